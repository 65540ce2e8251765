/** What the submission printed. Capped and virtual: a flood neither hides nor slows anything. */

import { plural } from "../format";
import { Message } from "../frame/Message";
import { VirtualList } from "../lib/VirtualList";
import { isFinal } from "../vocabulary";
import { save } from "../lib/save";
import { shown } from "../workbench/runs";

const ROW = 18;

function kept(limits: Record<string, number>): string {
  const bytes = limits["streamed_bytes"];
  return bytes === undefined ? "a run keeps the beginning" : `a run keeps the first ${bytes / 1024} KB`;
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
        {view.logTruncated && <span class="warn"><b aria-hidden="true">▲ </b>cut: {kept(view.limits)} of what was printed, the rest was thrown away. Print less, or run the pass on your machine</span>}
        <span class="spring" />
        <button class="link" onClick={() => save(`run-${shown.value?.id ?? "log"}.txt`, view.log.map((line) => line.text).join("\n"))}>Download</button>
      </footer>
    </>
  );
}
