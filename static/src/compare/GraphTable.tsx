/** Graph by graph: status, first t, error and speed of every side, and whether a difference in speed is real. */

import { error, firstT, ratio } from "../format";
import { valueOf } from "../lib/load";
import { speedOf } from "../run/speed";
import { speedWord, statusWord } from "../vocabulary";
import { differences, entries, graph, graphNames, graphOf, method, METHODS, shownGraph } from "./store";
import type { Difference, Entry } from "./types";
import { letter } from "./types";

export function GraphTable() {
  const all = entries.value;
  const found = valueOf(differences.value) ?? [];
  if (graphNames.value.length === 0) return null;
  return (
    <section aria-label="Graph by graph">
      <h2>
        Graph by graph <span class="segmented" role="group" aria-label="Method of timing">{METHODS.map((by) => <button key={by} aria-pressed={by === method.value} onClick={() => (method.value = by)}>{by}</button>)}</span>
      </h2>
      <div class="table-scroll" tabIndex={0} role="region" aria-label="Results graph by graph">
        <table class="checks">
          <thead>
            <tr><th scope="col">graph</th>{all.map((one, place) => <th key={one.key} scope="col" class={`side-${place}`}><span class="side-letter">{letter(place)}</span> status · first t · largest error · eager / {letter(place)}</th>)}{all.slice(1).map((one, at) => <th key={one.key} scope="col" class="number" title={`How many times as fast as A: by ${method.value}, with the 95 % interval`}>{letter(at + 1)} against A</th>)}</tr>
          </thead>
          <tbody>
            {graphNames.value.map((name) => (
              <tr key={name} class={name === shownGraph.value ? "drawn" : ""}>
                <th scope="row"><button class="link" aria-pressed={name === shownGraph.value} onClick={() => (graph.value = name)}>{name}</button></th>
                {all.map((one) => <Result key={one.key} one={one} name={name} />)}
                {all.slice(1).map((one) => <Differs key={one.key} found={found.find((each) => each.key === one.key && each.graph === name)} loading={differences.value.status === "loading"} />)}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="faint compare-note">{basisWords(found)}</p>
    </section>
  );
}

function Result({ one, name }: { one: Entry; name: string }) {
  const view = graphOf(one, name);
  if (view === null || view.status === null) return <td class="faint">–</td>;
  const word = statusWord(view.status);
  const speed = speedOf(view, method.value);
  return (
    <td class="number">
      <span class={`status ${word.tone}`} title={view.message ?? word.means}><span aria-hidden="true">{word.glyph}</span> {word.text}</span>{" "}
      <span title="first t">t {firstT(view.firstT)}</span> <span class="faint" title="largest absolute error">{error(view.maxAbs)}</span>{" "}
      <span title={speed?.title}>{speed === null ? "–" : <>{speed.value} <span class="faint">{speed.interval}</span></>}</span>
    </td>
  );
}

function Differs({ found, loading }: { found: Difference | undefined; loading: boolean }) {
  if (found === undefined) return <td class="number faint">{loading ? "…" : "–"}</td>;
  if (found.ratio === null) return <td class="number faint" title={found.why}>{found.why}</td>;
  const word = speedWord(found.word);
  const real = found.word === "faster" || found.word === "slower" ? "real" : "not shown to be real";
  return (
    <td class="number" title={`95 % interval ${found.ratio.low.toFixed(3)} to ${found.ratio.high.toFixed(3)}, ${found.basis === "rounds" ? `from ${found.rounds.join(" and ")} rounds` : "from the two intervals alone: no rounds are stored"}: the difference is ${real}`}>
      <span class={`status ${word.tone}`}><span aria-hidden="true">{word.glyph}</span> {word.text}</span> {ratio(found.ratio.value)} <span class="faint">{found.ratio.low.toFixed(2)}–{found.ratio.high.toFixed(2)}</span>{found.basis === "intervals" && <span class="tag" title="The log keeps no rounds: the interval is made of the two runs' own intervals, unpaired">unpaired</span>}
    </td>
  );
}

function basisWords(found: readonly Difference[]): string {
  const paired = found.some((one) => one.basis === "rounds");
  const bare = found.some((one) => one.basis === "intervals");
  if (!paired && !bare) return "";
  const first = paired ? "A difference is real where its 95 % interval leaves out 1. Each run was timed in rounds with eager: whole rounds are resampled, as pairs; two runs share no round, so they are compared through eager." : "";
  return `${first}${bare ? " Where a log keeps no rounds the interval is unpaired, made of the two runs' own intervals, and marked so." : ""}`.trim();
}
