/** The least time this graph can take on the device, and how near everybody comes to it. */

import { CostBars } from "../charts/CostBars";
import { fileName } from "../charts/export";
import type { Roofline } from "../events";
import { micros } from "../format";
import { dominates, measuredCost, modelCost } from "../run/cost";
import { boundSentence, floorBars, memorySentence, workSentence } from "../run/roofline";
import type { GraphView } from "../run/view";

export function RooflineView({ graph, roofline }: { graph: GraphView; roofline: Roofline }) {
  const measured = measuredCost(graph);
  const model = modelCost(roofline);
  const bars = floorBars(roofline);
  const memory = memorySentence(roofline);
  const below = bars.filter((bar) => bar.below);
  return (
    <section class="roofline" aria-label="Roofline">
      <h3 title="Bytes that must be touched once by the device's bandwidth, or operations by its rate, whichever takes longer">
        Roofline floor <b class="number">{micros(roofline.floor)} µs</b> <span class="faint">{workSentence(roofline)}</span>
      </h3>
      <ul>
        {bars.map((bar) => (
          <li key={bar.who} class={bar.who === "candidate" ? "yours" : ""}>
            <span>{bar.name}</span>
            <span class="bar" role="img" aria-label={`${bar.percent} of the floor, ${bar.time} µs`}><i style={{ width: `${100 * bar.part}%` }} /></span>
            <span class="number"><b>{bar.percent}</b> of the floor, {bar.time} µs</span>
          </li>
        ))}
      </ul>
      <CostBars title="Where a call's time goes" note="median by e2e, split by graph; direct" bars={measured} file={fileName(graph.name, "cost")} />
      {model === null
        ? <p class="faint">The launch cost was not calibrated in this run, so that the cost model has nothing to say.</p>
        : <CostBars title="Cost model" note={`calibrated on the device: ${dominates(model)}`} bars={[model]} file={fileName(graph.name, "cost model")} />}
      <p class="faint">{boundSentence(roofline)}{memory === "" ? "" : ` Peak memory of a call: ${memory}.`}</p>
      {below.length > 0 && <p class="faint">○ Below the floor: {below.map((bar) => bar.name).join(", ")}. A cache may have served part of the reads; worth a look, no accusation.</p>}
    </section>
  );
}
