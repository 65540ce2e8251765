/** Runs of this task with a chart over revisions. A click shows a run's result; two pinned ones are compared. */

import { computed, signal } from "@preact/signals";
import type { RunSummary } from "../api";
import { HistoryChart, SHARE } from "../charts/HistoryChart";
import type { Mark } from "../charts/revisions";
import { when } from "../format";
import { Message } from "../frame/Message";
import { needsLogin } from "../lib/account";
import { valueOf } from "../lib/load";
import { integrityWord } from "../vocabulary";
import { pins, togglePin } from "../run/pins";
import { resultWord } from "../run/result";
import { currentHash, draft } from "../workbench/draft";
import { compareHistoryFiles, openHistoryFiles } from "../workbench/filesets";
import { slug } from "../workbench/session";
import { examples, history, loadHistory, points, shown, showRun } from "../workbench/runs";
import { Compare } from "./Compare";

const METHODS = ["e2e", "graph"] as const;
const wanted = signal<string | null>(null);

/** Marks by what can be drawn: the share of correct graphs, and the speed by the methods that any run was measured by. */
const charts = computed<Record<string, Mark[]>>(() => {
  const runs = new Map((valueOf(history.value) ?? []).map((run) => [run.run, run]));
  const known = points.value.flatMap((point) => {
    const run = runs.get(point.run);
    return run === undefined || point.total === 0 ? [] : [{ run, point }];
  });
  const found: Record<string, Mark[]> = { [SHARE]: known.map((one) => ({ ...one, value: one.point.correct / one.point.total })) };
  for (const method of METHODS) {
    const marks = known.flatMap((one) => (one.point.speedup[method] === undefined ? [] : [{ ...one, value: one.point.speedup[method]! }]));
    if (marks.length > 0) found[method] = marks;
  }
  return found;
});

export function HistoryList() {
  const runs = history.value;
  if (runs.status === "loading") return <div class="table-skeleton" aria-busy="true" role="status" aria-label="Loading the history">{[0, 1, 2].map((row) => <i key={row} />)}</div>;
  if (runs.status === "failed" && needsLogin(runs.code)) return <Message title="No history">Runs belong to an account. Log in to see yours.</Message>;
  if (runs.status === "failed") return <Message title="The history could not be loaded" tone="fail" action={{ label: "Try again", run: () => void loadHistory() }}>{runs.message}</Message>;
  const all = [...runs.value, ...examples.value];
  if (all.length === 0) return <Message title="No runs yet">Every run of this task is kept here with the files it was started with.</Message>;
  return (
    <div class="scroll">
      {pins.value.length > 0 && <Compare runs={all} />}
      <Trend />
      <table class="history-table" aria-label="Runs of this task">
        <thead><tr><th scope="col" class="number">revision</th><th scope="col">started</th><th scope="col">device</th><th scope="col">result</th><th scope="col">integrity</th><th scope="col"><span class="visually-hidden">Pin and files</span></th></tr></thead>
        <tbody>{all.map((run) => <Row key={run.run} run={run} />)}</tbody>
      </table>
      <p class="faint"><a class="link" href={`/compare/task/${encodeURIComponent(slug.value)}/`}>Best runs of all authors on this task, side by side</a></p>
    </div>
  );
}

/** From two finished runs on there is something to see. */
function Trend() {
  const choices = Object.keys(charts.value).filter((what) => charts.value[what]!.length > 1);
  if (choices.length === 0) return null;
  const what = wanted.value !== null && choices.includes(wanted.value) ? wanted.value : (choices.find((one) => one !== SHARE) ?? SHARE);
  return (
    <div class="trend">
      {choices.length > 1 && (
        <div class="segmented" role="group" aria-label="What the chart shows">
          {choices.map((one) => <button key={one} aria-pressed={one === what} onClick={() => (wanted.value = one)}>{one}</button>)}
        </div>
      )}
      <HistoryChart marks={charts.value[what]!} what={what} shown={shown.value?.id ?? null} pins={pins.value} onShow={(run) => showRun(run.run, run.revision)} />
    </div>
  );
}

function Row({ run }: { run: RunSummary }) {
  const current = shown.value?.id === run.run;
  const example = run.imported?.kind === "example";
  const older = !example && draft.value.status === "ready" && run.revision !== currentHash.value;
  const show = (): void => showRun(run.run, run.revision);
  const pinned = pins.value.includes(run.run);
  return (
    <tr
      tabIndex={0} aria-selected={current} class={current ? "current" : ""} onClick={show}
      onKeyDown={(event) => {
        if (event.target !== event.currentTarget) return;
        const row = event.currentTarget as HTMLElement;
        if (event.key === "Enter" || event.key === " ") show();
        else if (event.key === "p") togglePin(run.run);
        else if (event.key === "ArrowDown") (row.nextElementSibling as HTMLElement | null)?.focus();
        else if (event.key === "ArrowUp") (row.previousElementSibling as HTMLElement | null)?.focus();
        else return;
        event.preventDefault();
      }}
    >
      <td class="number">{example ? "example" : run.revision_number}</td>
      <td>{when(run.created_at)}</td>
      <td>{run.device}{run.imported != null && <span class="tag" title={`Measured on ${run.imported.hardware}, not here`}>{example ? "example run" : "imported"}</span>}</td>
      <td><Result run={run} />{older && <span class="tag" title="The editor holds other code now">other code</span>}</td>
      <td>{run.verdict === null ? <span class="faint">–</span> : <Integrity run={run} />}</td>
      <td class="number">
        <button class="link" aria-pressed={pinned} disabled={run.state !== "done"} title="Two pinned runs are compared graph by graph  P" onClick={(event) => { event.stopPropagation(); togglePin(run.run); }}>{pinned ? "unpin" : "pin"}</button>
        {" "}<button class="link" title="Lay the files in the editor beside these" onClick={(event) => { event.stopPropagation(); compareHistoryFiles(run.run); }}>diff</button>
        {" "}<button class="link" onClick={(event) => { event.stopPropagation(); openHistoryFiles(run.run); }}>open these files</button>
      </td>
    </tr>
  );
}

/** The judge's verdict, struck out where a reviewer's stands instead. */
function Integrity({ run }: { run: RunSummary }) {
  const overturned = run.reviewed_verdict !== null && run.reviewed_verdict !== run.verdict;
  return <>{run.verdict !== null && <Verdict verdict={run.verdict} struck={overturned} />}{overturned && <> <Verdict verdict={run.reviewed_verdict!} /></>}</>;
}

function Verdict({ verdict, struck = false }: { verdict: string; struck?: boolean }) {
  const word = integrityWord(verdict);
  return <span class={`status ${word.tone}${struck ? " struck" : ""}`} title={struck ? "The judge's verdict, overturned by a reviewer" : word.means}><span class="glyph" aria-hidden="true">{word.glyph}</span> {word.text}</span>;
}

function Result({ run }: { run: RunSummary }) {
  const word = resultWord(run);
  return <span class={`status ${word.tone}`} title={word.means}><span class="glyph" aria-hidden="true">{word.glyph}</span> {word.text}</span>;
}
