/** The page's address names what is in view: run, row, graph, selection, layout. */

import { notify } from "../workbench/notices";

export function copyLink(what = "what is in view"): void {
  const copied = navigator.clipboard?.writeText(location.href) ?? Promise.reject(new Error("no clipboard"));
  copied.then(() => notify(`The link to ${what} is copied.`), () => notify("The link could not be copied: it is the address of this page."));
}
