/** What became of eager's kernels: one line of counts for everybody, and the kernels by name. */

import { fileName } from "../charts/export";
import { Timeline } from "../charts/Timeline";
import { plural } from "../format";
import { showNodes, showsAny } from "../graph/show";
import type { KernelRow } from "../run/kernels";
import { kernelLists } from "../run/kernels";
import { lanes, shortKernel } from "../run/timeline";
import { sideOf } from "../run/speed";
import type { GraphView } from "../run/view";

const SIGNS = { removed: "−", kept: "=", new: "+", eager: "" } as const;

export function KernelDiff({ graph }: { graph: GraphView }) {
  const lists = kernelLists(graph);
  const show = (who: string, nodes: readonly string[]): void => showNodes(graph.name, nodes, sideOf(who));
  const shows = (who: string, nodes: readonly string[]): boolean => showsAny(graph.name, nodes, sideOf(who));
  return (
    <section class="kernels" aria-label="Kernels">
      <h3>
        Kernels
        {lists.map(({ who, name, total, change }, index) => (
          <span key={who} class="kernel-total">
            {index > 0 && <span class="faint" aria-hidden="true">→ </span>}{name} <b class="number">{total ?? "–"}</b>
            {change !== null && change !== 0 && <span class={`number ${change < 0 ? "correct" : "warn"}`}> {change < 0 ? `−${-change}` : `+${change}`}</span>}
          </span>
        ))}
      </h3>
      <Timeline lanes={lanes(graph)} file={fileName(graph.name, "kernels")} onNodes={show} isShown={shows} />
      <div class="kernel-lists">
        {lists.map((list) => (
          <div key={list.who}>
            <h4>{list.name} <span class="faint">{list.total === null ? "" : plural(list.total, "launch", "launches")}{list.time === "" ? "" : `, ${list.time} µs`}</span></h4>
            {list.rows.length === 0 && <p class="faint">no kernel</p>}
            <ul>{list.rows.map((row) => <Kernel key={`${row.change} ${row.name}`} row={row} shown={shows(list.who, row.nodes)} onNodes={(nodes) => show(list.who, nodes)} />)}</ul>
          </div>
        ))}
      </div>
    </section>
  );
}

function Kernel({ row, shown, onNodes }: { row: KernelRow; shown: boolean; onNodes: (nodes: readonly string[]) => void }) {
  const title = [row.name, row.launch, row.nodes.length === 0 ? "" : `launched by ${row.nodes.join(", ")}`].filter(Boolean).join("\n");
  return (
    <li class={`${row.change}${shown ? " is-selected" : ""}`} aria-current={shown ? "true" : undefined} title={title}>
      <span class="sign" aria-hidden="true">{SIGNS[row.change]}</span>
      {row.change !== "removed" && row.nodes.length > 0
        ? <button class="link kernel-name mono" onClick={() => onNodes(row.nodes)}><bdi>{shortKernel(row.name)}</bdi></button>
        : <span class="kernel-name mono"><bdi>{shortKernel(row.name)}</bdi></span>}
      <span class="number faint">{row.before === null ? (row.count === 1 ? "" : `×${row.count}`) : `×${row.before} → ×${row.count}`}</span>
      <span class="number">{row.change === "removed" || row.duration === "" ? "" : `${row.duration} µs`}</span>
      {row.change !== "eager" && <span class="visually-hidden">{row.change}</span>}
    </li>
  );
}
