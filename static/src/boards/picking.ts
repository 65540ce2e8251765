/** Marks on a board: how many there are decides whether they can be compared; of the heat-map those of one row alone. */

export function startPicking(page: Document): void {
  for (const form of page.querySelectorAll<HTMLFormElement>("form[data-least]")) {
    const button = form.querySelector<HTMLButtonElement>("button[type=submit]");
    if (button === null) continue;
    const words = button.textContent ?? "";
    const least = Number(form.dataset.least);
    const most = Number(form.dataset.most);
    const boxes = (): HTMLInputElement[] => [...page.querySelectorAll<HTMLInputElement>(`input[type=checkbox][form="${form.id}"]`)];
    const show = (): void => {
      const count = boxes().filter((box) => box.checked).length;
      button.disabled = count < least || count > most;
      button.textContent = count === 0 ? words : `${words} (${count})`;
      button.title = button.disabled ? `Mark ${least === most ? least : `${least} to ${most}`}` : "";
    };
    page.addEventListener("change", (event) => {
      const box = event.target;
      if (!(box instanceof HTMLInputElement) || box.getAttribute("form") !== form.id) return;
      if (form.dataset.rows !== undefined) for (const other of boxes()) if (other.closest("tr") !== box.closest("tr")) other.checked = false;
      show();
    });
    show();
  }
}
