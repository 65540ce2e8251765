/** Two pinned runs graph by graph: the same rows for both, the difference in the middle. */

import { useState } from "preact/hooks";
import type { RunSummary } from "../api";
import { fileName, saveCsv } from "../charts/export";
import { firstT } from "../format";
import type { Change, Side } from "../run/compare";
import { compareRuns } from "../run/compare";
import { openPins, pinned, pins } from "../run/pins";
import { isTimed } from "../run/speed";
import { statusWord } from "../vocabulary";

const GLYPHS: Record<Change, string> = { better: "●", worse: "▲", same: "=", unknown: "○" };
const TONES: Record<Change, string> = { better: "correct", worse: "warn", same: "faint", unknown: "idle" };

export function Compare({ runs }: { runs: readonly RunSummary[] }) {
  const [method, setMethod] = useState("e2e");
  const [one, other] = pins.value;
  const name = (id: string): string => {
    const run = runs.find((entry) => entry.run === id);
    if (run === undefined) return `run ${id.slice(0, 8)}`;
    return `${run.imported?.kind === "example" ? "example" : `revision ${run.revision_number}`} on ${run.device}`;
  };
  if (one === undefined) return null;
  if (other === undefined) return <p class="compare-hint"><b>{name(one)}</b> is pinned. <span class="faint">Pin another run to compare the two graph by graph.</span></p>;
  const left = pinned.value[one];
  const right = pinned.value[other];
  if (left?.status === "failed" || right?.status === "failed") {
    return <p class="compare-hint"><span class="fail">■ A pinned run could not be read: {left?.status === "failed" ? left.message : right?.status === "failed" ? right.message : ""}</span> <button class="link" onClick={() => openPins([])}>Unpin both</button></p>;
  }
  if (left?.status !== "ready" || right?.status !== "ready") return <p class="compare-hint faint" role="status">Reading the two runs</p>;
  const rows = compareRuns(left.value, right.value, method);
  const timed = isTimed(left.value.graphs) || isTimed(right.value.graphs);
  const otherDevice = left.value.device !== right.value.device || left.value.versions["torch"] !== right.value.versions["torch"];
  const save = (): void => saveCsv(fileName("compare", one.slice(0, 8), other.slice(0, 8)), {
    columns: ["graph", `${name(one)} status`, "first t", "launches", `eager / yours ${method}`, "change", `${name(other)} status`, "first t", "launches", `eager / yours ${method}`],
    rows: rows.map((row) => [row.graph, ...cells(row.left), row.words, ...cells(row.right)]),
  });
  return (
    <section class="compare" aria-label="Comparison of two runs">
      <h3>
        {name(one)} <span class="faint">against</span> {name(other)}
        <span class="spring" />
        {timed && (
          <span class="segmented" role="group" aria-label="Method of timing">
            {["e2e", "graph"].map((value) => <button key={value} aria-pressed={value === method} onClick={() => setMethod(value)}>{value}</button>)}
          </span>
        )}
        <a class="link" href={`/compare/?of=${one}&of=${other}`} title="Code, graphs, kernels and whether the speeds really differ, side by side">Whole page</a>
        <button class="link" onClick={save}>CSV</button>
        <button class="link" onClick={() => openPins([other, one])}>Swap</button>
        <button class="link" onClick={() => openPins([])}>Unpin both</button>
      </h3>
      {otherDevice && <p class="faint"><span class="warn" aria-hidden="true">▲ </span>Not the same device and torch: speeds do not compare, verdicts do.</p>}
      <table class="checks compare-table">
        <thead>
          <tr><th scope="col">graph</th><th scope="col">{name(one)}</th><th scope="col" class="number">first t</th><th scope="col" class="number">launches</th>{timed && <th scope="col" class="number">{method}</th>}<th scope="col" class="middle">change</th><th scope="col">{name(other)}</th><th scope="col" class="number">first t</th><th scope="col" class="number">launches</th>{timed && <th scope="col" class="number">{method}</th>}</tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.graph} class={row.change === "same" ? "faint" : ""}>
              <th scope="row">{row.graph}</th>
              <SideCells side={row.left} timed={timed} />
              <td class={`middle ${TONES[row.change]}`}><span aria-hidden="true">{GLYPHS[row.change]}</span> {row.words === "" ? "same" : row.words}</td>
              <SideCells side={row.right} timed={timed} />
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function SideCells({ side, timed }: { side: Side | null; timed: boolean }) {
  if (side === null) return <td colSpan={timed ? 4 : 3} class="faint">–</td>;
  const word = side.status === null ? null : statusWord(side.status);
  return (
    <>
      <td>{word === null ? "–" : <span class={`status ${word.tone}`}><span aria-hidden="true">{word.glyph}</span> {word.text}</span>}</td>
      <td class="number">{firstT(side.firstT)}</td>
      <td class="number">{side.launches ?? "–"}</td>
      {timed && <td class="number">{side.speedText}</td>}
    </>
  );
}

function cells(side: Side | null): (string | number | null)[] {
  return side === null ? [null, null, null, null] : [side.status, side.firstT, side.launches, side.speed?.value ?? null];
}
