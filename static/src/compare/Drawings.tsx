/** The graph that each side leaves, beside each other: one selection, one view, differences marked. */

import { signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { Message } from "../frame/Message";
import { colouring } from "../graph/colouring";
import { GraphCanvas } from "../graph/GraphCanvas";
import { readPalette } from "../graph/palette";
import type { Viewport } from "../graph/viewport";
import { makeRoom } from "../graph/room";
import { valueOf } from "../lib/load";
import { theme } from "../lib/theme";
import { differing } from "./differ";
import { drawingKey, drawings, entries, graph, graphNames, shownGraph } from "./store";
import { letter } from "./types";

/** The nodes that are selected on every drawing, and where the one that was moved last is. */
export const chosen = signal<ReadonlySet<string>>(new Set());
const place = signal<{ by: string; view: Viewport } | null>(null);

export function Drawings() {
  const name = shownGraph.value;
  if (name === null) return null;
  const found = entries.value.map((one) => drawings.value[drawingKey(one, name)]);
  const values = found.map((one) => valueOf(one));
  const marks = useMemo(() => differing(values.map((value) => value?.nodes ?? null)), values);
  const look = useMemo(() => colouring("operator", [], readPalette(), null).look, [theme.value]);
  const roomy = useMemo(() => values.map((value, at) => (value === null ? null : makeRoom(value, values.filter((each, other) => each !== null && other !== at) as NonNullable<typeof value>[]))), values);
  return (
    <section aria-label="Graphs">
      <h2>
        Rewritten graphs{" "}
        <select aria-label="Graph" value={name} onChange={(event) => { graph.value = event.currentTarget.value; place.value = null; }}>{graphNames.value.map((each) => <option key={each} value={each}>{each}</option>)}</select>
        <span class="faint"> one view and one selection; nodes that differ from A's are marked {chosen.value.size > 0 && `· selected: ${[...chosen.value].slice(0, 4).join(", ")}`}</span>
      </h2>
      <div class="compare-drawings">
        {entries.value.map((one, at) => {
          const drawn = roomy[at] ?? null;
          const state = found[at];
          return (
            <div key={one.key} class={`compare-drawing side-${at}`}>
              <h3><span class="side-letter">{letter(at)}</span> <bdi>{one.author}</bdi> <span class="faint">{values[at] === null ? "" : values[at]!.rewritten ? `${marks[at]!.size} nodes differ` : "not rewritten"}</span></h3>
              {drawn !== null ? (
                <GraphCanvas
                  identity={name} graph={drawn} label={`Graph ${name} of side ${letter(at)}, ${drawn.nodes.length} nodes`} marks={marks[at]!} look={look} found={[]}
                  selected={chosen.value} focus={null} nodesId={`nodes-${at}`} follow={place.value !== null && place.value.by !== one.key ? place.value.view : null}
                  onMoved={(view) => (place.value = { by: one.key, view })}
                  onSelect={(node) => (chosen.value = new Set(node === null ? [] : [node]))} onAdd={(nodes) => (chosen.value = new Set([...chosen.value, ...nodes]))}
                  onToggle={(node) => (chosen.value = flipped(chosen.value, node))} onOpen={() => undefined} onSearch={() => undefined}
                />
              ) : state?.status === "failed" ? <Message title="Not drawn" tone="fail">{state.message}</Message> : one.run === null ? <Message title="No drawing">It was not evaluated, so that no rewritten graph is known.</Message> : <Message busy title="Loading the graph" />}
            </div>
          );
        })}
      </div>
    </section>
  );
}

function flipped(names: ReadonlySet<string>, node: string): Set<string> {
  const next = new Set(names);
  if (!next.delete(node)) next.add(node);
  return next;
}
