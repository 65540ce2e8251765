/** Run and verdict. Everything has its place from the start; results only fill it. */

import { OfAuthor } from "../assistant/OfAuthor";
import { Baselines } from "../baseline/Baselines";
import { Pane } from "../frame/Pane";
import { narrow } from "../frame/frame";
import { Message } from "../frame/Message";
import { task } from "../workbench/session";
import { device, devices, shown } from "../workbench/runs";
import { Elsewhere } from "./Elsewhere";
import { Findings } from "./Findings";
import { GraphTable } from "./GraphTable";
import { Isolation } from "./Isolation";
import { Origin } from "./Origin";
import { RunBar } from "./RunBar";
import { Score } from "./Score";
import { Stages } from "./Stages";
import { Standing } from "./Standing";
import { VerdictLine } from "./VerdictLine";

export function VerdictPane() {
  const problem = shown.value?.problem ?? null;
  return (
    <Pane id="verdict" label="Verdict" bar={narrow.value ? <span class="pane-title">Verdict</span> : <RunBar />}>
      <div class="verdict">
        {!narrow.value && <VerdictLine />}
        {shown.value?.info?.imported == null ? <Stages /> : <Origin />}
        <OfAuthor />
        <Isolation />
        <Standing />
        {problem !== null ? (
          <Message title="This run cannot be shown" tone="fail">{problem}</Message>
        ) : task.value.status === "failed" ? (
          <Message title="The task could not be loaded" tone="fail" action={{ label: "Load the page again", run: () => location.reload() }}>{task.value.message}</Message>
        ) : task.value.status === "loading" ? (
          <div class="table-skeleton" aria-busy="true" role="status" aria-label="Loading the graphs">{[0, 1, 2, 3].map((row) => <i key={row} />)}</div>
        ) : (
          <GraphTable />
        )}
        {task.value.status !== "failed" && <Known />}
      </div>
    </Pane>
  );
}

/** What needs a task to be about. */
function Known() {
  return (
    <>
      <Score />
      <NotYet />
      <Elsewhere />
      <Findings />
      <Baselines />
    </>
  );
}

/** Below the waiting rows: what a run is, and what stands in its way. */
function NotYet() {
  const current = devices.value?.find((entry) => entry.device === device.value);
  const waiting = current !== undefined && (current.status === "offline" || current.status === "warming");
  const message = shown.value?.view.message ?? shown.value?.info?.message ?? null;
  if (shown.value === null) {
    return (
      <p class="not-yet faint">
        Nothing has been run yet. Run hands your files to the evaluator: it matches them against every graph above, rewrites, compiles, and compares each output with eager.
        {waiting && current.message !== null ? ` ${current.message}` : ""}
      </p>
    );
  }
  if (message !== null && message !== "") return <p class="not-yet faint">{message}</p>;
  return waiting && current.message !== null ? <p class="not-yet faint">{current.message}</p> : null;
}
