/** What became of the last draft: what was written and what to know about it, or why there is none. */

import { plural } from "../format";
import { graphName, graphNames } from "../workbench/session";
import type { Also } from "./make";
import { busy, closeOutcome, draftForOthers, outcome, showBlamed, undoDraft, unmatched } from "./make";

const KINDS = {
  kernel: "with a Triton kernel",
  views: "views only, no kernel",
  original: "without a kernel: yours to write",
} as const;

export function DraftOutcome() {
  const now = outcome.value;
  if (now === null || now.graph !== graphName.value) return null;
  return (
    <div class="draft-anchor">
      <section class={`draft-outcome ${now.kind}`} role={now.kind === "refused" ? "alert" : "status"} aria-label="Drafted pass">
        <header>
          {now.kind === "made" ? (
            <h3><code>{now.file}</code> <span class={now.made.kind === "original" ? "warn" : "faint"}>{KINDS[now.made.kind]}</span></h3>
          ) : (
            <h3><span class="fail" aria-hidden="true">■ </span>This selection can not be a pattern</h3>
          )}
          <span class="spring" />
          <button class="icon" aria-label="Close" title="Close" onClick={closeOutcome}>×</button>
        </header>
        {now.kind === "made" ? (
          <>
            <p>Returns {now.made.outputs.map((name, index) => <span key={name}>{index > 0 && ", "}<code>{name}</code></span>)}</p>
            {now.made.notes.length > 0 && <ul>{now.made.notes.map((note) => <li key={note}><Quoted text={note} /></li>)}</ul>}
            {now.also !== null && <AlsoDrafted also={now.also} />}
            <footer>
              {now.also === null && unmatched.value.length > 0 && graphNames.value.length > 1 && (
                <button class="plain" disabled={busy.value} aria-busy={busy.value} title="Literals and dtypes are part of a pattern: graphs that differ in them need a pass each" onClick={() => void draftForOthers()}>
                  Draft for the {plural(unmatched.value.length, "graph")} that it does not match
                </button>
              )}
              <button class="link" onClick={undoDraft}>Undo: take {now.also?.some((one) => one.file !== null) ? "the files" : "the file"} out again</button>
            </footer>
          </>
        ) : (
          <>
            <p><Quoted text={now.message} /></p>
            {now.nodes.length > 0 && <footer><button class="link" onClick={showBlamed}>Select {now.nodes.length === 1 ? "the node" : "the nodes"} in question</button></footer>}
          </>
        )}
      </section>
    </div>
  );
}

function AlsoDrafted({ also }: { also: readonly Also[] }) {
  const made = also.flatMap(({ file }) => file ?? []);
  return (
    <>
      {made.length > 0 && <p>Also {made.map((file, index) => <span key={file}>{index > 0 && ", "}<code>{file}</code></span>)}</p>}
      {also.flatMap(({ graph, problem }) => (problem === null ? [] : [<p key={graph}><span class="warn" aria-hidden="true">▲ </span>{graph}: <Quoted text={problem} /></p>]))}
    </>
  );
}

/** Text in which `names` stand between backquotes. */
function Quoted({ text }: { text: string }) {
  return <>{text.split("`").map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</>;
}
