/** Kernels of one call of eager and of every side, on one time-line, and by name. */

import { Timeline } from "../charts/Timeline";
import { fileName } from "../charts/export";
import { micros } from "../format";
import { EAGER, YOURS } from "../run/speed";
import type { Lane } from "../run/timeline";
import { lanes, shortKernel } from "../run/timeline";
import { chosen } from "./Drawings";
import { entries, graphOf, shownGraph } from "./store";
import { letter } from "./types";

export function Kernels() {
  const name = shownGraph.value;
  if (name === null) return null;
  const sides = entries.value.map((one, place) => ({ one, place, view: graphOf(one, name) }));
  const counted = sides.filter(({ view }) => view !== null && Object.keys(view.kernels).length > 0);
  if (counted.length === 0) return null;
  const drawn: Lane[] = sides.flatMap(({ one, place, view }) => (view === null || one.why_not !== "" ? [] : lanes(view).filter((lane) => lane.who === YOURS || (lane.who === EAGER && place === 0)).map((lane) => (lane.who === EAGER ? lane : { ...lane, name: letter(place) }))));
  const names = [...new Set(counted.flatMap(({ view }) => [...(view!.kernels[EAGER] ?? []), ...(view!.kernels[YOURS] ?? [])].map((kernel) => kernel.name)))];
  const eager = counted[0]!.view!.kernels[EAGER] ?? [];
  const count = (list: readonly { name: string; count: number }[] | undefined, kernel: string): string => String(list?.find((each) => each.name === kernel)?.count ?? "");
  return (
    <section aria-label="Kernels">
      <h2>Kernels of {name}</h2>
      {drawn.some((lane) => lane.total > 0) && <Timeline lanes={drawn} file={fileName("compare", name, "kernels")} onNodes={(_, nodes) => (chosen.value = new Set(nodes))} isShown={(_, nodes) => nodes.some((node) => chosen.value.has(node))} />}
      <div class="table-scroll" tabIndex={0} role="region" aria-label="Kernels by name">
        <table class="checks">
          <thead><tr><th scope="col">kernel</th><th scope="col" class="number">eager</th>{counted.map(({ one, place, view }) => <th key={one.key} scope="col" class={`number side-${place}`}><span class="side-letter">{letter(place)}</span> {view!.launches?.[YOURS] ?? "–"} launches{view!.profiles[YOURS] === undefined ? "" : `, ${micros(view!.profiles[YOURS]!.device_time)} µs`}</th>)}</tr></thead>
          <tbody>{names.slice(0, 60).map((kernel) => <tr key={kernel}><th scope="row" class="mono" title={kernel}><bdi>{shortKernel(kernel)}</bdi></th><td class="number">{count(eager, kernel)}</td>{counted.map(({ one, view }) => <td key={one.key} class="number">{count(view!.kernels[YOURS], kernel)}</td>)}</tr>)}</tbody>
        </table>
      </div>
      {names.length > 60 && <p class="faint">{names.length - 60} kernels more are in the runs' own pages.</p>}
    </section>
  );
}
