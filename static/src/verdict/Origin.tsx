/** A run that was not measured here: where it was, and the way back. Always in view above its numbers. */

import type { Imported } from "../api";
import { plural, when } from "../format";
import { openHistoryFiles } from "../workbench/filesets";
import { history, shown, showRun } from "../workbench/runs";
import { valueOf } from "../lib/load";
import { graphNames } from "../workbench/session";

export function Origin() {
  const info = shown.value?.info;
  const imported = info?.imported;
  if (info == null || imported == null) return null;
  const judged = shown.value?.view.graphs.length ?? 0;
  const own = valueOf(history.value)?.find((run) => run.imported == null);
  return (
    <section class="origin" aria-label="Origin of this run">
      <p>
        <span class="tag">{imported.kind === "example" ? "example run" : "imported"}</span> <b>measured on {imported.hardware}</b>, not here
        <span class="faint"> · {judged > 0 && judged < graphNames.value.length ? `${judged} of ${plural(graphNames.value.length, "graph")}, ` : ""}{originWords(imported)}</span>
      </p>
      <p class="origin-actions">
        <button class="link" onClick={() => openHistoryFiles(info.run)}>Open its files</button>
        {imported.kind === "example" && own !== undefined && <button class="link" onClick={() => showRun(own.run, own.revision)}>Back to your newest run</button>}
      </p>
      {imported.note !== "" && <details><summary class="faint">What its file says of it</summary><p class="faint">{imported.note}</p></details>}
    </section>
  );
}

/** "torch 2.11.0, triton 3.6.0, another harness than here, imported 04:12" */
export function originWords(imported: Imported): string {
  const versions = ["torch", "triton", "python"].flatMap((name) => (imported.versions[name] === undefined ? [] : [`${name} ${imported.versions[name]}`]));
  const harness = imported.same_harness === null ? "harness not named" : imported.same_harness ? "the same harness as here" : `another harness than here (${imported.harness.slice(0, 12)})`;
  return [...versions, harness, `${imported.kind === "example" ? "loaded" : "imported"} ${when(imported.imported_at)}`].join(", ");
}
