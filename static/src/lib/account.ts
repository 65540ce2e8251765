/** Who uses this page, as far as the page's header says; and the way back in for a session that has ended. */

/** Name of the logged-in account; "" without accounts or for a visitor. */
export function accountName(): string {
  return document.querySelector(".topbar-user")?.textContent?.trim() ?? "";
}

export const needsLogin = (code: string): boolean => code === "not_logged_in";

/** The login page, which leads back here. */
export function loginAddress(): string {
  return `/login/?next=${encodeURIComponent(location.pathname + location.search)}`;
}
