/** What can be done with runs: compare, export, import, measure. */

import { asking, baselines, cancelMeasuring, measureHere } from "../baseline/store";
import { isOpen } from "../baseline/words";
import { tell } from "../lib/hub";
import { copyLink } from "../lib/link";
import { valueOf } from "../lib/load";
import { openPins, pins, togglePin } from "../run/pins";
import { isFinal } from "../vocabulary";
import { compareHistoryFiles, openHistoryFiles } from "../workbench/filesets";
import { chooseDevice, device, devices, examples, history, shown, showRun } from "../workbench/runs";
import type { Command } from "./command";
import { focusPane } from "./frame";

const over = (): boolean => shown.value !== null && isFinal(shown.value.view.state ?? shown.value.info?.state ?? null);
const isPinned = (): boolean => shown.value !== null && pins.value.includes(shown.value.id);
const measuring = (): boolean => isOpen(valueOf(baselines.value)?.measuring ?? null);

/** The shown run's predecessor among those that came to an end; null where there is none. */
function before(): string | null {
  const runs = (valueOf(history.value) ?? []).filter((run) => run.state === "done");
  const at = runs.findIndex((run) => run.run === shown.value?.id);
  return runs[at + 1]?.run ?? null;
}

function pin(run: string): void {
  togglePin(run);
  focusPane("history");
}

function compareWithBefore(): void {
  openPins([before()!, shown.value!.id]);
  focusPane("history");
}

export const RESULT_COMMANDS: Command[] = [
  { id: "pin", title: "Pin the shown run for a comparison", group: "Results", enabled: () => over() && !isPinned(), run: () => pin(shown.value!.id) },
  { id: "unpin", title: "Unpin the shown run", group: "Results", enabled: isPinned, run: () => pin(shown.value!.id) },
  { id: "compare", title: "Compare the shown run with the one before it", group: "Results", enabled: () => over() && before() !== null, run: compareWithBefore },
  { id: "unpin-all", title: "End the comparison: unpin both runs", group: "Results", enabled: () => pins.value.length > 0, run: () => openPins([]) },
  { id: "copy-link", title: "Copy a link to what is in view: run, row, graph, selection", group: "Results", run: () => copyLink() },
  { id: "export-bundle", title: "Export a bundle to judge on another machine's GPU", group: "Results", run: () => { focusPane("verdict"); tell("exportBundle", undefined); } },
  { id: "import-results", title: "Import results that were measured elsewhere", group: "Results", run: () => { focusPane("verdict"); tell("importResults", undefined); } },
  { id: "run-data", title: "Download the shown run's data, every event", group: "Results", enabled: () => shown.value !== null, run: () => location.assign(`/api/runs/${encodeURIComponent(shown.value!.id)}/log.jsonl`) },
  { id: "measure", title: "Measure eager and Inductor on this machine", group: "Results", enabled: () => !asking.value && !measuring(), run: () => { focusPane("verdict"); void measureHere(); } },
  { id: "cancel-measuring", title: "Cancel measuring eager and Inductor", group: "Results", enabled: measuring, run: () => void cancelMeasuring() },
];

/** One for each device and each run. */
export function runCommands(): Command[] {
  const others = (devices.value ?? []).filter((one) => one.device !== device.value);
  const choose = others.map((one): Command => ({ id: `device:${one.device}`, title: `Judge on ${one.label}`, group: "Run", run: () => chooseDevice(one.device) }));
  const known = [...(valueOf(history.value) ?? []), ...examples.value].flatMap((run): Command[] => {
    const example = run.imported?.kind === "example";
    const name = example ? `the example run on ${run.device}` : `revision ${run.revision_number}, ${run.device}, ${run.created_at.slice(0, 16).replace("T", " ")}`;
    return [
      { id: `run:${run.run}`, title: `Show the run of ${name}`, group: "Results", run: () => { showRun(run.run, run.revision); focusPane("verdict"); } },
      { id: `run-diff:${run.run}`, title: `Compare the editor with the files of ${name}`, group: "Files", run: () => { focusPane("pass"); compareHistoryFiles(run.run); } },
      { id: `run-files:${run.run}`, title: `Open the files of ${name}`, group: "Files", run: () => openHistoryFiles(run.run) },
    ];
  });
  return [...choose, ...known];
}
