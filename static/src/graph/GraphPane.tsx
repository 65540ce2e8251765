/** The subgraph to optimise, before and after the rewrite. */

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { DraftButton } from "../draft/DraftButton";
import { DraftOutcome } from "../draft/DraftOutcome";
import { Message } from "../frame/Message";
import { Pane } from "../frame/Pane";
import { valueOf } from "../lib/load";
import { on } from "../lib/hub";
import { saveBlob } from "../lib/save";
import { notify } from "../workbench/notices";
import { theme } from "../lib/theme";
import { live } from "../match/live";
import { LiveMatch } from "../match/LiveMatch";
import { liveMarks } from "../match/overlay";
import { countText } from "../match/state";
import { stale } from "../workbench/runs";
import { graphName, graphNames, retryGraph, selectedNode, showGraph, showSide, side, step } from "../workbench/session";
import type { Drawing } from "./drawing";
import { drawing, marks, siblings, steps } from "./drawing";
import { colouring } from "./colouring";
import { colourBy, measured } from "./coloured";
import { readPalette } from "./palette";
import { GraphCanvas } from "./GraphCanvas";
import { GraphDetails } from "./GraphDetails";
import { exportGraph } from "./export";
import { fold } from "./fold";
import { blocksOf, flip, folded, foldedMarks, isOpen } from "./folding";
import { makeRoom } from "./room";
import { add, select, selected, toggle } from "./selection";
import { search } from "./walk";

export function GraphPane() {
  const now = drawing.value;
  const [query, setQuery] = useState("");
  const [searching, setSearching] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const value = valueOf(now.status === "absent" ? undefined : now);
  const graph = useMemo(() => (value === null ? null : makeRoom(value, siblings.value)), [value, siblings.value]);
  const found = useMemo(() => (graph === null ? [] : search(graph, query)), [graph, query]);
  const blocks = useMemo(() => (graph === null ? [] : blocksOf(graph)), [graph]);
  const closed = graph === null ? [] : blocks.filter((block) => !isOpen(block, graph));
  const closedNames = closed.map((block) => block.name).join("|");
  const inside = useMemo(() => new Map(closed.flatMap((block) => block.nodes.map((name) => [name, block.name] as const))), [graph, closedNames]);
  const drawn = useMemo(() => (graph === null ? null : fold(graph, closed)), [graph, closedNames]);
  const drawnMarks = useMemo(() => foldedMarks(marks.value, inside), [marks.value, inside]);
  const members = (name: string): string[] => closed.find((block) => block.name === name)?.nodes ?? [name];
  const openOrClose = (name: string): void => {
    const block = blocks.find((one) => one.name === name || one.nodes.includes(name));
    if (block !== undefined) flip(block);
  };
  const coloured = useMemo(() => colouring(colourBy.value, graph?.nodes ?? [], readPalette(), measured.value), [colourBy.value, graph, measured.value, theme.value]);
  const openSearch = (): void => {
    setSearching(true);
    requestAnimationFrame(() => field.current?.focus());
  };
  useEffect(() => on("searchGraph", openSearch), []);
  useEffect(() => on("exportGraph", ({ format }) => {
    if (drawn === null) return;
    const name = `${graphName.peek() ?? "graph"}-${side.peek()}`;
    exportGraph(format, drawn, name, { palette: readPalette(), marks: drawnMarks, look: coloured.look }).then(
      (file) => saveBlob(`${name}.${format}`, file),
      () => notify("The drawing is too large for a picture. SVG and DOT have no limit.", { tone: "fail" }),
    );
  }), [drawn, drawnMarks, coloured]);
  const cycle = (by: number): void => {
    if (found.length === 0) return;
    const at = found.indexOf(selectedNode.value ?? "");
    const name = found[(at + by + found.length) % found.length]!;
    if (inside.has(name)) openOrClose(name);
    select([name]);
  };
  const closeSearch = (): void => {
    setSearching(false);
    setQuery("");
    document.querySelector<HTMLElement>(".graph-canvas canvas")?.focus();
  };
  // The same graph before and after passes: the view stays where it is.
  const identity = graphName.value ?? "";
  return (
    <Pane id="graph" label="Graph" bar={<GraphBar />}>
      {searching && (
        <div class="graph-search">
          <input
            ref={field} type="search" value={query} placeholder="operator, name or code" aria-label="Search nodes" spellcheck={false}
            onInput={(event) => setQuery(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === "Enter") cycle(event.shiftKey ? -1 : 1);
              else if (event.key === "Escape") closeSearch();
              else return;
              event.preventDefault();
            }}
          />
          <span class="faint">{query === "" ? "Enter next · Esc close" : `${found.length} of ${graph?.nodes.length ?? 0}`}</span>
        </div>
      )}
      {graph !== null && drawn !== null && graph.nodes.length > 0 ? (
        <GraphCanvas
          identity={identity} graph={drawn} label={`Graph ${graphName.value} ${side.value} the rewrite, ${graph.nodes.length} nodes`} marks={drawnMarks}
          look={coloured.look} found={[...folded(found, inside)]} focus={inside.get(selectedNode.value ?? "") ?? selectedNode.value} selected={folded(selected.value, inside)}
          onSelect={(name) => select(name === null ? [] : members(name))} onOpen={openOrClose}
          onToggle={(name) => toggle(members(name))} onAdd={(names) => add(names.flatMap(members))} onSearch={openSearch}
        />
      ) : (
        <NoDrawing now={now} />
      )}
      <DraftOutcome />
      <LiveMatch />
      <GraphDetails graph={graph} marks={marks.value} overlays={measured.value} legend={coloured.legend} blocks={blocks} closed={closed.length} />
    </Pane>
  );
}

function GraphBar() {
  const names = graphNames.value;
  const at = names.indexOf(graphName.value ?? "");
  const turn = (by: number): void => showGraph(names[(at + by + names.length) % names.length] ?? null);
  const old = stale.value && liveMarks.value === null && (side.value === "after" || marks.value.size > 0);
  return (
    <>
      <label class="graph-picker">
        <span class="visually-hidden">Graph</span>
        <select value={graphName.value ?? ""} title={graphName.value ?? ""} disabled={names.length === 0} onChange={(event) => showGraph(event.currentTarget.value)}>
          {names.map((name, index) => <option key={name} value={name}>{[`${index + 1}/${names.length}`, countText(live.value, name), name].filter(Boolean).join(" ")}</option>)}
        </select>
      </label>
      <button class="icon graph-bar-turn" title="Previous graph  [" aria-label="Previous graph" disabled={names.length < 2} onClick={() => turn(-1)}>‹</button>
      <button class="icon graph-bar-turn" title="Next graph  ]" aria-label="Next graph" disabled={names.length < 2} onClick={() => turn(1)}>›</button>
      <DraftButton />
      <span class="spring" />
      {old && <span class="tag stale" title="The marks belong to the last run, not to the code in the editor">stale</span>}
      <div class="segmented" role="group" aria-label="Before or after the rewrite">
        <button aria-pressed={side.value === "before"} title="The graph as it was captured  B" onClick={() => showSide("before")}>before</button>
        {steps.value.slice(0, -1).map((pass, index) => (
          <button key={index} aria-pressed={side.value === "after" && step.value === index} title={`After ${pass}  , and . go back and on`} aria-label={`${index + 1}: after ${pass}`} onClick={() => showSide("after", index)}>{index + 1}</button>
        ))}
        <button aria-pressed={side.value === "after" && step.value === null} title={steps.value.length > 1 ? `After all passes, the last was ${steps.value.at(-1)}  A` : "The graph the last run left  A"} onClick={() => showSide("after")}>after</button>
      </div>
    </>
  );
}

function NoDrawing({ now }: { now: Drawing }) {
  if (now.status === "loading") return <Message busy title="Loading the graph" />;
  if (now.status === "absent") return <Message title="Not rewritten">{now.message}</Message>;
  if (now.status === "failed") {
    const name = graphName.value;
    return (
      <Message title="The graph could not be loaded" tone="fail" action={name === null ? undefined : { label: "Try again", run: () => retryGraph(name) }}>
        {now.message}
      </Message>
    );
  }
  const warnings = (now.value as { warnings?: string[] }).warnings ?? [];
  return <Message title="Nothing to draw">{warnings[0] ?? "This graph has no operators."} Its code is below, under model.py.</Message>;
}
