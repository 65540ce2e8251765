/** Under the drawing: the selected nodes in words, or how to select some; what the colours say. */

import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { inputName, micros, plural, tensor } from "../format";
import { remember, remembered } from "../lib/storage";
import { tell } from "../lib/hub";
import type { Overlays } from "../run/overlay";
import { valueOf } from "../lib/load";
import { graphName, selectedNode, task } from "../workbench/session";
import type { ColourBy, Legend } from "./colouring";
import { COLOUR_BY, COLOUR_WORDS } from "./colouring";
import { colourBy } from "./coloured";
import type { Block } from "./blocks";
import type { Format } from "./export";
import { FORMATS } from "./export";
import { flip, setAll } from "./folding";
import type { Marks } from "./marks";
import { grow, select, selected, shrink } from "./selection";
import type { GraphJson, GraphNode } from "./types";

const isBoolean = (value: unknown): value is boolean => typeof value === "boolean";
const tall = signal(remembered("graphDetails", false, isBoolean));

interface Props {
  graph: GraphJson | null;
  marks: Marks;
  overlays: Overlays | null;
  legend: Legend;
  /** Repeated blocks of the graph, and how many of them are closed. */
  blocks: readonly Block[];
  closed: number;
}

export function GraphDetails({ graph, marks, overlays, legend, blocks, closed }: Props) {
  const node = graph?.nodes.find((entry) => entry.name === selectedNode.value);
  const toggle = (): void => {
    tall.value = !tall.value;
    remember("graphDetails", tall.value);
  };
  return (
    <footer class="graph-foot">
      <div class={`graph-details${tall.value ? " tall" : ""}`} role="region" aria-label="Details of the selection" tabIndex={0}>
        {selected.value.size > 1 && <Several />}
        {graph !== null && node ? <Details graph={graph} node={node} mark={marks.get(node.name)?.word} overlays={overlays} block={blocks.find((one) => one.nodes.includes(node.name))} /> : <Hint graph={graph} />}
      </div>
      <div class="legend-row">
        <label class="colour-by">
          <span>Colour by</span>
          <select value={colourBy.value} onChange={(event) => (colourBy.value = event.currentTarget.value as ColourBy)}>
            {COLOUR_BY.map((by) => <option key={by} value={by}>{COLOUR_WORDS[by]}</option>)}
          </select>
        </label>
        <span class="spring" />
        <GraphPageLink />
        <label class="colour-by">
          <span class="visually-hidden">Export the drawing</span>
          <select value="" disabled={graph === null || graph.nodes.length === 0} title="Export the drawing" onChange={(event) => { tell("exportGraph", { format: event.currentTarget.value as Format }); event.currentTarget.value = ""; }}>
            <option value="" disabled hidden>export</option>
            {FORMATS.map((format) => <option key={format} value={format}>{format.toUpperCase()}</option>)}
          </select>
        </label>
        {blocks.length > 0 && (
          <button class="link block-toggle" title="The same operators in the same order: a double click or Enter opens or closes one block" onClick={() => setAll(closed > 0)}>
            {closed > 0 ? "open" : "fold"} {plural(blocks.length, "block")}
          </button>
        )}
        <button class="icon" aria-expanded={tall.value} title={tall.value ? "Fewer details" : "More room for details"} aria-label="More room for details" onClick={toggle}>{tall.value ? "▾" : "▴"}</button>
      </div>
      <LegendList legend={legend} by={colourBy.value} overlays={overlays} />
    </footer>
  );
}

function Hint({ graph }: { graph: GraphJson | null }) {
  if (graph === null || graph.nodes.length === 0) return null;
  return (
    <p class="faint">
      Click a node or a line of model.py: both light up. <kbd>Shift</kbd> takes in more, by click or rectangle. <kbd>↑</kbd> <kbd>↓</kbd> walk along edges, <kbd>f</kbd> fits, <kbd>/</kbd> searches.
    </p>
  );
}

/** To the graph's own page; there is none to go to on that page itself. */
function GraphPageLink() {
  const identity = valueOf(task.value)?.graphs.find((one) => one.name === graphName.value)?.identity;
  return identity === undefined ? null : <a class="link block-toggle" href={`/graphs/${identity}/`} title="This graph on a page of its own: statistics, hashes, origin, baselines, its tasks">graph page</a>;
}

function Several() {
  return (
    <p class="selection-line">
      <strong>{plural(selected.value.size, "node")} selected</strong>
      <button class="link" title="Take in what feeds them  Alt ↑" onClick={() => grow("producers")}>+ producers</button>
      <button class="link" title="Take in what uses them  Alt ↓" onClick={() => grow("consumers")}>+ consumers</button>
      <button class="link" title="Back to before it grew  Alt ←" onClick={shrink}>shrink</button>
      <button class="link" title="Escape" onClick={() => select([])}>clear</button>
    </p>
  );
}

function Details({ graph, node, mark, overlays, block }: { graph: GraphJson; node: GraphNode; mark: string | undefined; overlays: Overlays | null; block: Block | undefined }) {
  const from = graph.edges.filter((edge) => edge.target === node.name).map((edge) => edge.source);
  const to = graph.edges.filter((edge) => edge.source === node.name).map((edge) => edge.target);
  const time = overlays?.time.get(node.name);
  const kernels = overlays?.kernels.get(node.name) ?? [];
  return (
    <>
      <p class="graph-node-line">
        <strong>{node.name}</strong> <span class="mono">{node.target}</span> <span class="mono faint">{tensor(node.shape, node.dtype)}</span>
        {mark !== undefined && <span class="tag">{mark}</span>}
        {graph.outputs.includes(node.name) && <span class="tag">output</span>}
        {block !== undefined && <button class="link" title={`${block.summary}  Enter`} onClick={() => flip(block)}>{block.name} of {block.of}</button>}
        {node.span !== null && <button class="link" title="Show the line in model.py" onClick={() => tell("focusPane", { pane: "code" })}>line {node.span.line}</button>}
      </p>
      <dl class="graph-args mono">
        {node.args.map(([name, text], index) => (
          <div key={index}>
            <dt>{name}</dt>
            <dd title={text}>{text}</dd>
          </div>
        ))}
        {node.badges.map((badge) => (
          <div key={badge.name}>
            <dt title={badge.name}>{inputName(badge.name)}</dt>
            <dd class="faint">{tensor(badge.shape, badge.dtype) || "input"}</dd>
          </div>
        ))}
      </dl>
      <dl class="graph-facts">
        {node.stride !== undefined && node.stride !== null && <Fact name="strides"><span class="mono">{`(${node.stride.join(", ")})`}</span></Fact>}
        <Fact name="from"><Names names={from} /></Fact>
        <Fact name="used by"><Names names={to} /></Fact>
        {kernels.length > 0 && <Fact name={`kernels${time === undefined ? "" : `, ${micros(time)} µs`}`}><span class="mono">{kernels.join(", ")}</span></Fact>}
        <Fact name="code"><code>{node.code}</code></Fact>
      </dl>
    </>
  );
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return <div><dt>{name}</dt><dd>{children}</dd></div>;
}

const MOST_NAMES = 12;

function Names({ names }: { names: readonly string[] }) {
  if (names.length === 0) return <span class="faint">nothing</span>;
  return (
    <>
      {names.slice(0, MOST_NAMES).map((name) => <button key={name} class="link mono" onClick={() => select([name])}>{name}</button>)}
      {names.length > MOST_NAMES && <span class="faint">and {names.length - MOST_NAMES} more</span>}
    </>
  );
}

function LegendList({ legend, by, overlays }: { legend: Legend; by: ColourBy; overlays: Overlays | null }) {
  const missing = missingFor(by, overlays);
  if (missing !== null) return <p class="legend faint" title={missing}>{missing}</p>;
  return (
    <ul class="legend" aria-label={`Colours: ${COLOUR_WORDS[by]}, by the tint of a node's left edge`}>
      {legend.ramp !== null && (
        <li>
          {legend.ramp.low}
          <span class="heat-ramp" aria-hidden="true">{legend.ramp.colours.map((colour) => <i key={colour} style={{ background: colour }} />)}</span>
          {legend.ramp.high}
        </li>
      )}
      {legend.entries.map(({ colour, words }) => <li key={words}><i style={{ background: colour }} />{words}</li>)}
      {by === "operator" && legend.entries.length > 0 && <li><b>•</b>input</li>}
    </ul>
  );
}

/** Why a run has nothing to colour by; null when it has. */
function missingFor(by: ColourBy, overlays: Overlays | null): string | null {
  if (by === "time" && (overlays?.time.size ?? 0) === 0) return "Run the pass on a GPU to see what each node takes.";
  if (by === "kernel" && (overlays?.kernels.size ?? 0) === 0) return "Run the pass on a GPU to see which kernels a node launches.";
  if (by === "group" && (overlays?.groups.size ?? 0) + (overlays?.inductor.size ?? 0) === 0) return "Run a pass that matches to see what becomes one.";
  return null;
}
