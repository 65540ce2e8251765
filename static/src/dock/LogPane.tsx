/** What the submission printed. Capped and virtual: a flood neither hides nor slows anything. */

import { plural } from "../format";
import { Message } from "../frame/Message";
import { VirtualList } from "../lib/VirtualList";
import { isFinal } from "../vocabulary";
import { shown } from "../workbench/runs";

const ROW = 18;

/** Where the output was cut, and where the rest of it is. */
function cutWords(limits: Record<string, number>): string {
  const shownBytes = limits["streamed_bytes"];
  const beginning = shownBytes === undefined ? "its beginning" : `its first ${shownBytes / 1024} KB`;
  const keptBytes = limits["kept_bytes"] ?? 0;
  if (keptBytes === 0) return `cut: the log of a run has ${beginning}, the rest was not kept. Print less, or run the pass on your machine`;
  return `cut: the log shows ${beginning}, the file has up to ${keptBytes / 2 ** 20} MB more`;
}

export function LogList() {
  const view = shown.value?.view ?? null;
  if (view === null || view.log.length === 0) {
    return (
      <Message title="No output">
        {view === null ? "What your pass prints while it is judged appears here, by stream." : isFinal(view.state) ? "This run printed nothing." : "This run has printed nothing yet."}
      </Message>
    );
  }
  return (
    <>
      <VirtualList
        role="log" label="Output of the run" follow count={view.log.length} rowHeight={ROW}
        row={(index) => {
          const line = view.log[index]!;
          return <div key={index} class={`log-line ${line.stream === "stderr" ? "stderr" : ""}`}><span class="log-stream">{line.stream === "stderr" ? "err" : "out"}</span>{line.text}</div>;
        }}
      />
      <footer class="pane-foot faint">
        <span>{plural(view.log.length, "line")}</span>
        {view.logDropped > 0 && <span>{`${plural(view.logDropped, "earlier line")} not shown`}</span>}
        {view.logTruncated && <span class="warn"><b aria-hidden="true">▲ </b>{cutWords(view.limits)}</span>}
        <span class="spring" />
        {/* The server has every character; the list here cuts long lines and drops early ones. */}
        <a class="link" href={`/api/runs/${encodeURIComponent(shown.value?.id ?? "")}/output.txt`} download>Download all of it</a>
      </footer>
    </>
  );
}
