/** The drawing, with its search, folded blocks, details and export. */

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { valueOf } from "../lib/load";
import { Message } from "../frame/Message";
import { colourBy } from "../graph/coloured";
import { colouring } from "../graph/colouring";
import { drawing } from "../graph/drawing";
import { exportGraph } from "../graph/export";
import { fold } from "../graph/fold";
import { blocksOf, flip, folded, isOpen } from "../graph/folding";
import { GraphCanvas } from "../graph/GraphCanvas";
import { GraphDetails } from "../graph/GraphDetails";
import type { Marks } from "../graph/marks";
import { readPalette } from "../graph/palette";
import { makeRoom } from "../graph/room";
import { add, select, selected, toggle } from "../graph/selection";
import { search } from "../graph/walk";
import { on } from "../lib/hub";
import { saveBlob } from "../lib/save";
import { theme } from "../lib/theme";
import { selectedNode } from "../workbench/session";
import { identity, loadDrawing } from "./store";

const NO_MARKS: Marks = new Map();

export function Drawing({ name }: { name: string }) {
  const now = drawing.value;
  const [query, setQuery] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const value = valueOf(now.status === "absent" ? undefined : now);
  const graph = useMemo(() => (value === null ? null : makeRoom(value)), [value]);
  const found = useMemo(() => (graph === null ? [] : search(graph, query)), [graph, query]);
  const blocks = useMemo(() => (graph === null ? [] : blocksOf(graph)), [graph]);
  const closed = graph === null ? [] : blocks.filter((block) => !isOpen(block, graph));
  const closedNames = closed.map((block) => block.name).join("|");
  const inside = useMemo(() => new Map(closed.flatMap((block) => block.nodes.map((node) => [node, block.name] as const))), [graph, closedNames]);
  const drawn = useMemo(() => (graph === null ? null : fold(graph, closed)), [graph, closedNames]);
  const coloured = useMemo(() => colouring(colourBy.value, graph?.nodes ?? [], readPalette(), null), [colourBy.value, graph, theme.value]);
  const members = (node: string): string[] => closed.find((block) => block.name === node)?.nodes ?? [node];
  const openOrClose = (node: string): void => {
    const block = blocks.find((one) => one.name === node || one.nodes.includes(node));
    if (block !== undefined) flip(block);
  };
  useEffect(() => on("exportGraph", ({ format }) => {
    if (drawn === null) return;
    setProblem(null);
    exportGraph(format, drawn, name, { palette: readPalette(), marks: NO_MARKS, look: coloured.look }).then(
      (file) => saveBlob(`${identity.value.slice(0, 12)}.${format}`, file),
      () => setProblem("The drawing is too large for a picture. SVG and DOT have no limit."),
    );
  }), [drawn, coloured, name]);
  const cycle = (by: number): void => {
    if (found.length === 0) return;
    const at = found.indexOf(selectedNode.value ?? "");
    const next = found[(at + by + found.length) % found.length]!;
    if (inside.has(next)) openOrClose(next);
    select([next]);
  };
  const leave = (): void => {
    setQuery("");
    document.querySelector<HTMLElement>(".graph-canvas canvas")?.focus();
  };
  return (
    <section class="pane pane-graph" data-pane="graph" aria-label="Graph" tabIndex={-1}>
      <header class="pane-bar">
        <span class="pane-title">Graph</span>
        <span class="spring" />
        {problem !== null && <span class="fail" role="alert">■ {problem}</span>}
        {query !== "" && <span class="faint number" role="status">{found.length} of {graph?.nodes.length ?? 0}</span>}
        <input
          ref={field} type="search" class="node-search" value={query} placeholder="find a node  /" aria-label="Search nodes" spellcheck={false} title="Operator, name or code. Enter goes to the next, Esc back to the drawing"
          onInput={(event) => setQuery(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter") cycle(event.shiftKey ? -1 : 1);
            else if (event.key === "Escape") leave();
            else return;
            event.preventDefault();
          }}
        />
      </header>
      <div class="pane-body">
        {graph !== null && drawn !== null && graph.nodes.length > 0 ? (
          <GraphCanvas
            identity={identity.value} graph={drawn} label={`Graph ${name}, ${graph.nodes.length} nodes`} marks={NO_MARKS} look={coloured.look}
            found={[...folded(found, inside)]} focus={inside.get(selectedNode.value ?? "") ?? selectedNode.value} selected={folded(selected.value, inside)}
            onSelect={(node) => select(node === null ? [] : members(node))} onOpen={openOrClose} onToggle={(node) => toggle(members(node))}
            onAdd={(nodes) => add(nodes.flatMap(members))} onSearch={() => field.current?.focus()}
          />
        ) : now.status === "failed" ? (
          <Message title="The drawing could not be loaded" tone="fail" action={{ label: "Try again", run: () => void loadDrawing() }}>{now.message}</Message>
        ) : now.status === "ready" ? (
          <Message title="Nothing to draw">{(now.value as { warnings?: string[] }).warnings?.[0] ?? "This graph has no operators."} Its code is beside this, under model.py.</Message>
        ) : (
          <Message busy title="Loading the graph" />
        )}
        <GraphDetails graph={graph} marks={NO_MARKS} overlays={null} legend={coloured.legend} blocks={blocks} closed={closed.length} />
      </div>
    </section>
  );
}
