/** What an imported submission looks for: the pattern of each pass file as a graph, drawn from its text. */

import { signal } from "@preact/signals";
import { useEffect, useMemo, useState } from "preact/hooks";
import { call } from "../api";
import { Message } from "../frame/Message";
import { colouring } from "../graph/colouring";
import { GraphCanvas } from "../graph/GraphCanvas";
import { readPalette } from "../graph/palette";
import type { GraphJson } from "../graph/types";
import type { Load } from "../lib/load";
import { failed, LOADING, ready } from "../lib/load";
import { theme } from "../lib/theme";

interface Pattern {
  file: string;
  code: string;
  graph: GraphJson | null;
  problem: string;
}

const loaded = signal<Readonly<Record<number, Load<Pattern[]>>>>({});

export function Patterns({ submission }: { submission: number }) {
  useEffect(() => void load(submission), [submission]);
  const [file, choose] = useState<string | null>(null);
  const [selected, select] = useState<ReadonlySet<string>>(new Set());
  const look = useMemo(() => colouring("operator", [], readPalette(), null).look, [theme.value]);
  const state = loaded.value[submission] ?? LOADING;
  if (state.status === "loading") return <Message busy title="Reading the patterns" />;
  if (state.status === "failed") return <Message title="Not drawn" tone="fail">{state.message}</Message>;
  const shown = state.value.find((one) => one.file === file) ?? state.value[0];
  if (shown === undefined) return <Message title="No pattern">No file has a function named pattern.</Message>;
  return (
    <>
      <p class="compare-pattern">
        {state.value.length === 1 ? <span class="mono">{shown.file}</span> : <select aria-label="Pass file" value={shown.file} onChange={(event) => { choose(event.currentTarget.value); select(new Set()); }}>{state.value.map((one) => <option key={one.file} value={one.file}>{one.file}</option>)}</select>}
        <span class="faint"> {shown.graph === null ? "not drawn" : `${shown.graph.nodes.filter((node) => node.op !== "output").length} operators`}{selected.size > 0 && ` · ${[...selected].map((name) => shown.graph?.nodes.find((node) => node.name === name)?.code ?? name).join(", ")}`}</span>
      </p>
      {shown.graph === null ? <Message title="Not drawn" tone="idle">{shown.problem}</Message> : (
        <GraphCanvas
          identity={`${submission}/${shown.file}`} graph={shown.graph} label={`Pattern of ${shown.file}, ${shown.graph.nodes.length} nodes`} marks={new Map()} look={look} found={[]}
          selected={selected} focus={null} nodesId={`pattern-${submission}`} follow={null} onMoved={() => undefined}
          onSelect={(node) => select(new Set(node === null ? [] : [node]))} onAdd={(nodes) => select(new Set([...selected, ...nodes]))}
          onToggle={(node) => select(new Set(selected.has(node) ? [...selected].filter((one) => one !== node) : [...selected, node]))} onOpen={() => undefined} onSearch={() => undefined}
        />
      )}
    </>
  );
}

async function load(submission: number): Promise<void> {
  if (loaded.peek()[submission] !== undefined) return;
  loaded.value = { ...loaded.peek(), [submission]: LOADING };
  let found: Load<Pattern[]>;
  try {
    found = ready(await call<Pattern[]>("GET", `/api/submissions/${submission}/patterns`));
  } catch (problem) {
    found = failed(problem);
  }
  loaded.value = { ...loaded.peek(), [submission]: found };
}
