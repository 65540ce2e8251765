/** Whatever overlay is open. */

import { keyLabel } from "../lib/keys";
import { ExportDialog } from "../share/ExportDialog";
import { ShareDialog } from "../share/ShareDialog";
import { closeDialog, dialog } from "../workbench/dialogs";
import { useEffect } from "preact/hooks";
import { commands } from "./commands";
import { Overlay } from "./Overlay";
import { Palette } from "./Palette";
import { findPlaces, places } from "./places";

export function Dialogs() {
  const open = dialog.value;
  if (open === null) return null;
  if (open.kind === "palette") return <WorkbenchPalette />;
  if (open.kind === "shortcuts") return <Shortcuts />;
  if (open.kind === "share") return <ShareDialog />;
  if (open.kind === "export") return <ExportDialog />;
  const confirm = (): void => {
    closeDialog();
    open.run();
  };
  return (
    <Overlay label={open.title} class="confirm">
      <h2>{open.title}</h2>
      <p>{open.text}</p>
      <footer>
        <button class="plain" onClick={closeDialog}>Keep as it is</button>
        <button class="primary" data-autofocus onClick={confirm}>{open.confirm}</button>
      </footer>
    </Overlay>
  );
}

function WorkbenchPalette() {
  useEffect(findPlaces, []);
  return <Palette commands={commands()} places={places()} />;
}

const ON_GRAPH: [string[], string][] = [
  [["arrowup", "arrowdown"], "Walk along edges"], [["arrowleft", "arrowright"], "Walk sideways"], [["n", "p"], "Next and previous node"],
  [["+", "-"], "Zoom"], [["shift+arrowup"], "Pan (all arrows)"], [["escape"], "Clear the selection"],
];

function Shortcuts() {
  const withKeys = commands().filter((command) => command.keys);
  return (
    <Overlay label="Keyboard shortcuts" class="shortcuts">
      <h2>Keyboard</h2>
      <div class="shortcut-columns">
        {(["Run", "Files", "Graph", "View"] as const).map((group) => (
          <section key={group}>
            <h3>{group}</h3>
            <dl>
              {withKeys.filter((command) => command.group === group).map((command) => (
                <div key={command.id}><dt><kbd>{keyLabel(command.keys!)}</kbd></dt><dd>{command.title}</dd></div>
              ))}
              {group === "Graph" && ON_GRAPH.map(([keys, does]) => (
                <div key={does}><dt>{keys.map((key) => <kbd key={key}>{keyLabel(key)}</kbd>)}</dt><dd>{does}</dd></div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <footer><span class="faint">Keys without a modifier work outside text fields. Escape closes.</span><button class="plain" data-autofocus onClick={closeDialog}>Close</button></footer>
    </Overlay>
  );
}
