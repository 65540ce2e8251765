/** What a compiler makes of the task's graphs, measured with no submission in sight. Never mixed with a pass's numbers. */

import { useEffect } from "preact/hooks";
import { clock, halfWidth, micros, ratio, when } from "../format";
import { useNow } from "../lib/now";
import { valueOf } from "../lib/load";
import { ENTRY_MEANS, METHOD_MEANS } from "../run/speed";
import { speedWord } from "../vocabulary";
import { graphNames, slug } from "../workbench/session";
import { asking, baselines, cancelMeasuring, loadBaselines, measured, measureHere } from "./store";
import type { BaselineRow, Measuring } from "./types";
import type { BaselineTable } from "./words";
import { age, badEnd, commonProblem, isOpen, outputsWord, tables } from "./words";
import "./baseline.css";

const MEASURE = "Measure eager and Inductor on this machine";
const TITLE = "CPU, eager against Inductor's CPU compile";

export function Baselines() {
  useEffect(() => void loadBaselines(), [slug.value]);
  const found = valueOf(baselines.value);
  const measuring = found?.measuring ?? null;
  const open = isOpen(measuring);
  const all = tables(found?.rows ?? []);
  const here = all.filter((table) => table.here);
  const problem = commonProblem(measuring) ?? badEnd(measuring);
  return (
    <section class="baselines" aria-label="Baselines">
      <header>
        <h2>Baselines</h2>
        <span class="spring" />
        {open && measuring?.run != null && <button class="plain" onClick={() => void cancelMeasuring()}>Cancel measuring</button>}
        <button class="plain" disabled={open || asking.value || found === null} onClick={() => void measureHere()}>
          {open ? "Measuring" : MEASURE}
        </button>
      </header>
      {baselines.value.status === "failed" && <p class="fail" role="alert"><b aria-hidden="true">■ </b>The baselines could not be loaded: {baselines.value.message}</p>}
      {!open && problem !== null && <p class="fail" role="status"><b aria-hidden="true">■ </b>{problem}</p>}
      {open && <p class="faint" role="status">{progress(measuring!)}</p>}
      {here.map((table, index) => <Table key={table.key} table={table} measuring={index === here.length - 1 ? measuring : null} />)}
      {here.length === 0 && measuring !== null && (open || measuring.problems.length > 0) && <Table table={null} measuring={measuring} />}
      {here.length === 0 && measuring === null && found !== null && (
        <p class="faint">
          {TITLE}: not measured yet. Both are called in turn, in one isolated process of this machine's CPU worker, which needs a C++ compiler. The first compile takes some ten seconds.
        </p>
      )}
      {all.filter((table) => !table.here).map((table) => <Table key={table.key} table={table} measuring={null} />)}
      {all.length > 0 && <p class="faint">A compiler against eager, not a pass: kernels of a pass are interpreted on a CPU and never timed there; its speed needs a GPU worker.</p>}
    </section>
  );
}

function progress(measuring: Measuring): string {
  if (measuring.state === "queued") return measuring.message ?? (measuring.jobs_ahead ? `Queued behind ${measuring.jobs_ahead} on this device.` : "Queued.");
  return `Measured ${measuring.done} of ${measuring.total} graphs. The first compile takes some ten seconds.`;
}

/** `measuring`: also a row for each graph of the task that has no figures here, with what became of it. */
function Table({ table, measuring }: { table: BaselineTable | null; measuring: Measuring | null }) {
  const compiler = table?.compiler ?? "Inductor";
  const rows = table?.rows ?? [];
  const missing = measuring === null ? [] : graphNames.value.filter((name) => !rows.some((row) => row.graph === name));
  const mixed = table?.mixed ?? false;
  return (
    <figure>
      <figcaption>
        <b>{table?.title ?? TITLE}</b>
        {table !== null && <span class="faint" title={`${METHOD_MEANS[rows[0]!.method] ?? ""}. ${ENTRY_MEANS[rows[0]!.entry] ?? ""}.`}>{table.how}</span>}
        {table !== null && <span class="faint" title={`${when(table.oldest)} to ${when(table.newest)}`}>measured {age(table.newest)}</span>}
      </figcaption>
      <div class="table-scroll">
        <table class="baseline-table">
          <thead>
            <tr>
              <th scope="col">graph</th>
              {mixed && <th scope="col" class="method">method, entry</th>}
              <th scope="col" class="number time" title="Median of one call of eager">eager µs</th>
              <th scope="col" class="number time" title={`Median of one call of ${compiler}, in the same session`}>{compiler} µs</th>
              <th scope="col" class="number versus" title="Ratio of the medians with its 95 % interval; above 1 the compiler is faster">eager / {compiler}</th>
              <th scope="col" class="number kernels" title={`Kernels of one call, counted by ${compiler}'s own metrics`}>kernels</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => <Row key={`${row.graph} ${row.entry} ${row.method}`} row={row} mixed={mixed} />)}
            {missing.map((name) => <Missing key={name} name={name} measuring={measuring!} />)}
          </tbody>
        </table>
      </div>
    </figure>
  );
}

function Row({ row, mixed }: { row: BaselineRow; mixed: boolean }) {
  const word = speedWord(row.word);
  const { value, low, high } = row.ratio;
  return (
    <tr data-baseline={row.graph}>
      <th scope="row" title={`${row.graph}, measured ${when(row.measured_at)}`}><bdi>{row.graph}</bdi></th>
      {mixed && <td class="faint">{row.method}, {row.entry}</td>}
      <td class="number">{micros(row.eager_us)}</td>
      <td class="number">{micros(row.median_us)}</td>
      <td class="number" title={`95 % interval ${low.toFixed(3)} to ${high.toFixed(3)}: ${word.text}. ${word.means}`}>
        <span class={`baseline-word ${word.tone}`}><span aria-hidden="true">{word.glyph}</span> {word.text}</span> <b>{ratio(value)}</b> <span class="interval">{halfWidth(value, low, high)}</span>
        {outputsWord(row) !== null && <span class="warn"> <span aria-hidden="true">▲</span> {outputsWord(row)}</span>}
      </td>
      <td class="number">{row.eager_kernels === null ? "" : <><span class="faint" title="eager's">{row.eager_kernels} →</span> </>}{row.kernels ?? "–"}</td>
    </tr>
  );
}

function Missing({ name, measuring }: { name: string; measuring: Measuring }) {
  const problem = measuring.problems.find((one) => one.graph === name)?.message;
  const now = measured.value?.graph === name;
  return (
    <tr data-baseline={name}>
      <th scope="row" title={name}><bdi>{name}</bdi></th>
      <td colSpan={4} class="baseline-missing">
        {problem !== undefined ? <span class="fail"><span aria-hidden="true">■ </span>{problem}</span>
          : now && isOpen(measuring) ? <Clock since={measured.value!.since} />
          : <span class="faint">{isOpen(measuring) ? "waiting" : "not measured"}</span>}
      </td>
    </tr>
  );
}

function Clock({ since }: { since: number }) {
  const now = useNow(true);
  return <span class="accent number"><span aria-hidden="true">◐ </span>compiling and timing {clock((now - since) / 1000)}</span>;
}
