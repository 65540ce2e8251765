/** The server is back: whatever could not be loaded is asked for again, and what was kept in this browser is sent. */

import { baselines, loadBaselines } from "../baseline/store";
import { onReturn } from "../lib/reach";
import { draft, flushDraft, openDraft } from "./draft";
import { history, loadDevices, loadHistory, wake } from "./runs";
import { graphName, graphs, openTask, retryGraph, side, slug, task } from "./session";

export function followReturn(): void {
  onReturn(() => {
    wake();
    void loadDevices();
    if (task.value.status === "failed") void openTask(slug.value, { graph: graphName.value, side: side.value });
    if (draft.value.status === "failed") void openDraft();
    else void flushDraft();
    if (history.value.status === "failed") void loadHistory();
    if (baselines.value.status === "failed") void loadBaselines();
    const name = graphName.value;
    if (name !== null && graphs.value[name]?.status === "failed") retryGraph(name);
  });
}
