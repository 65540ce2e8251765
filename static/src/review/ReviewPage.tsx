/** The review queue: what failed and why on the left, one look at the evidence on the right, one key for each decision. */

import { useEffect, useRef } from "preact/hooks";
import { Notices } from "../frame/Notices";
import { Overlay } from "../frame/Overlay";
import { Palette } from "../frame/Palette";
import { comboOf, inTextField, keyLabel } from "../lib/keys";
import { closeDialog, dialog } from "../workbench/dialogs";
import { commands, withKeys } from "./commands";
import { Filters } from "./Filters";
import { ItemView } from "./ItemView";
import { List } from "./Lists";
import { load } from "./store";

export function ReviewPage() {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    void load();
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
  return (
    <div class="review">
      <Filters field={field} />
      <div class="review-panes"><List /><ItemView /></div>
      {dialog.value?.kind === "palette" && <Palette commands={commands()} />}
      {dialog.value?.kind === "shortcuts" && <Shortcuts />}
      <Notices />
    </div>
  );
}

function onKey(event: KeyboardEvent): void {
  if (event.isComposing) return;
  const combo = comboOf(event);
  const command = commands().find((entry) => entry.keys === combo);
  if (command === undefined) return;
  if (!combo.startsWith("mod+") && (inTextField(event.target) || dialog.value !== null)) return;
  // Enter on a button or a link is theirs.
  if (combo === "enter" && event.target instanceof Element && event.target.closest("button, a, summary") !== null) return;
  event.preventDefault();
  command.run();
}

function Shortcuts() {
  return (
    <Overlay label="Keyboard shortcuts" class="shortcuts">
      <h2>Keyboard</h2>
      <div class="shortcut-columns">
        {([["Go to", "Go through the queue"], ["Results", "Review"], ["Run", "Run"], ["View", "View"]] as const).map(([group, title]) => (
          <section key={group}>
            <h3>{title}</h3>
            <dl>{withKeys().filter((command) => command.group === group).map((command) => <div key={command.id}><dt><kbd>{keyLabel(command.keys!)}</kbd></dt><dd>{command.title}</dd></div>)}</dl>
          </section>
        ))}
      </div>
      <footer><span class="faint">Keys without a modifier work outside text fields. Escape closes.</span><button class="plain" data-autofocus onClick={closeDialog}>Close</button></footer>
    </Overlay>
  );
}
