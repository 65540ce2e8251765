/** What the page's header says about the task, and the door to every command. */

import { plural, shortDtype } from "../format";
import { Reach } from "../frame/Reach";
import { keyLabel } from "../lib/keys";
import { valueOf } from "../lib/load";
import { silentSince } from "../lib/reach";
import { openDialog } from "./dialogs";
import { task } from "./session";

export function Topbar() {
  const value = valueOf(task.value);
  const dtypes = [...new Set(value?.graphs.flatMap((graph) => graph.dtypes) ?? [])].map(shortDtype);
  return (
    <>
      {value !== null && silentSince.value === null && <span class="topbar-facts" title={value.summary}>{plural(value.graphs.length, "graph")} · {dtypes.join(" ")}</span>}
      <Reach kept="What you type is kept in this browser and saved when it answers." />
      <span class="spring" />
      <button class="plain topbar-button" title="A link to this run or to these files" onClick={() => openDialog({ kind: "share" })}>Share</button>
      <button class="plain topbar-button" title="Everything that can be done here" onClick={() => openDialog({ kind: "palette" })}>Commands <kbd>{keyLabel("mod+k")}</kbd></button>
      <button class="icon" title="Keyboard shortcuts  ?" aria-label="Keyboard shortcuts" onClick={() => openDialog({ kind: "shortcuts" })}>?</button>
    </>
  );
}
