/** Entry of the pages of boards. The server draws them; here is what makes them quick: palette, theme, choices that go at once. */

import "./tokens.css";
import "./styles/base.css";
import "./styles/controls.css";
import "./styles/boards.css";
import "./styles/overlay.css";
import { h, render } from "preact";
import { BoardsTopbar } from "./boards/BoardsTopbar";
import { startPicking } from "./boards/picking";
import { inTextField } from "./lib/keys";
import { watchServer } from "./lib/reach";
import { startTheme } from "./lib/theme";

startTheme();
const slot = document.getElementById("topbar-slot");
if (slot !== null) render(h(BoardsTopbar, {}), slot);
for (const choice of document.querySelectorAll<HTMLSelectElement>("select[data-goes]")) {
  choice.addEventListener("change", () => {
    const form = choice.form;
    if (choice.name === "benchmark") for (const other of form?.querySelectorAll<HTMLSelectElement>("select[name=context]") ?? []) other.disabled = true; // another benchmark has other devices
    form?.submit();
  });
}
startPicking(document);
const patterns = document.getElementById("patterns");
if (patterns !== null) void import("./compare/patternsPage").then((page) => page.mount(patterns));
watchServer(true);
document.addEventListener("keydown", (event) => {
  const marking = event.target instanceof HTMLInputElement && event.target.type === "checkbox"; // takes Space alone
  if (event.ctrlKey || event.metaKey || event.altKey || (inTextField(event.target) && !marking)) return;
  document.querySelector<HTMLButtonElement>(`button[data-key="${CSS.escape(event.key)}"]`)?.click();
});
