/** The boards' part of the palette: every choice and every column that the page has. */

import type { Command } from "../frame/command";
import { toggleTheme } from "../lib/theme";

export function boardCommands(page: Document): Command[] {
  const go = (address: string) => (): void => location.assign(address);
  return [
    ...[...page.querySelectorAll<HTMLSelectElement>("#choice select")].flatMap((select) =>
      [...select.options].filter((option) => !option.selected).map((option): Command => ({
        id: `${select.name}:${option.value}`, title: `Show ${option.text}`, group: "Results",
        run: () => {
          select.value = option.value;
          select.dispatchEvent(new Event("change"));
        },
      }))),
    ...[...page.querySelectorAll<HTMLAnchorElement>("#board a.sort")].map((link): Command => ({ id: `sort:${link.search}`, title: `Sort by ${link.textContent?.trim() ?? ""}`, group: "Results", run: go(link.href) })),
    ...[...page.querySelectorAll<HTMLAnchorElement>("#choice a[download]")].map((link): Command => ({ id: `file:${link.text}`, title: `Download the board as ${link.text}`, group: "Results", run: go(link.href) })),
    { id: "import", title: "Import a run folder", group: "Go to", run: go("/boards/import/") },
    { id: "boards", title: "Go to the leaderboard", group: "Go to", run: go("/boards/") },
    { id: "catalogue", title: "Go to the catalogue", group: "Go to", run: go("/") },
    { id: "theme", title: "Switch between light and dark", group: "View", run: toggleTheme },
  ];
}
