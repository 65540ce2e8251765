/** Light or dark: the system's choice unless the author made one. Canvas and editor read colours when this changes. */

import { signal } from "@preact/signals";

export type Theme = "light" | "dark";

const KEY = "passnet.theme";
const system = matchMedia("(prefers-color-scheme: dark)");

function chosen(): Theme | null {
  try {
    const value = localStorage.getItem(KEY);
    return value === "light" || value === "dark" ? value : null;
  } catch {
    return null;
  }
}

const systemTheme = (): Theme => (system.matches ? "dark" : "light");

export const theme = signal<Theme>(chosen() ?? systemTheme());

function apply(choice: Theme | null): void {
  if (choice === null) delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = choice;
  // The server writes data-theme from this cookie, so that the next page is right from its first paint.
  document.cookie = `theme=${choice ?? ""}; path=/; SameSite=Lax; max-age=${choice === null ? 0 : 31_536_000}`;
  theme.value = choice ?? systemTheme();
}

export function toggleTheme(): void {
  const next: Theme = theme.value === "dark" ? "light" : "dark";
  const choice = next === systemTheme() ? null : next;
  try {
    if (choice === null) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, choice);
  } catch {
    /* privacy mode: the choice lasts for this page */
  }
  apply(choice);
}

/** Called once by each page; also wires the button of the page's header. */
export function startTheme(): void {
  apply(chosen());
  system.addEventListener("change", () => apply(chosen()));
  const button = document.getElementById("theme-toggle");
  button?.addEventListener("click", toggleTheme);
}
