/** One row for each graph of the task, there from the start; results fill in place. */

import { computed } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { error, firstT, launches } from "../format";
import { useNow } from "../lib/now";
import type { GraphView } from "../run/view";
import { doing } from "../run/doing";
import { isTimed, METHOD_MEANS, speedOf } from "../run/speed";
import { emptyGraph } from "../run/view";
import { isFinal, statusWord, words } from "../vocabulary";
import { shown, stale } from "../workbench/runs";
import { graphName, graphNames, showGraph } from "../workbench/session";
import { RowDetails } from "./RowDetails";
import { opened, toggleRow as toggle, wanted } from "./rows";
import { SpeedText } from "./SpeedText";

const rows = computed<GraphView[]>(() => {
  const known = shown.value?.view.graphs ?? [];
  const missing = graphNames.value.filter((name) => !known.some((graph) => graph.name === name));
  return [...known, ...missing.map(emptyGraph)];
});

export function GraphTable() {
  const table = useRef<HTMLTableElement>(null);
  const timed = (shown.value?.view.device ?? "cpu") !== "cpu" || isTimed(rows.value);
  const columns = timed ? 8 : 7;
  const focusRow = (index: number): void => table.current?.querySelectorAll<HTMLElement>("tr[data-graph]")[index]?.focus();
  useEffect(() => {
    if (wanted.value === null || (shown.value !== null && !isFinal(shown.value.view.state))) return; // it would move away again
    const found = [...(table.current?.querySelectorAll<HTMLElement>("tr[data-graph]") ?? [])].find((row) => row.dataset["graph"] === wanted.value);
    if (found === undefined) return;
    wanted.value = null;
    found.scrollIntoView({ block: "start" });
  });
  const key = (event: KeyboardEvent, index: number, name: string): void => {
    if (event.target !== event.currentTarget) return;
    if (event.key === "ArrowDown") focusRow(index + 1);
    else if (event.key === "ArrowUp") focusRow(index - 1);
    else if (event.key === "Enter" || event.key === " ") toggle(name);
    else if (event.key === "ArrowRight" && !opened.value.has(name)) toggle(name);
    else if (event.key === "ArrowLeft" && opened.value.has(name)) toggle(name);
    else return;
    event.preventDefault();
  };
  return (
    <>
    <table class={`verdict-table${timed ? " timed" : ""}${stale.value ? " is-stale" : ""}`} ref={table} role="treegrid" aria-label="Verdict graph by graph">
      <thead>
        <tr>
          <th scope="col">graph</th>
          <th scope="col" class="number" title="How many times a pass matched">match</th>
          <th scope="col">status</th>
          <th scope="col" class="number" title="Smallest tolerance t at which every output is correct; correct means t ≤ −5">first t</th>
          <th scope="col" class="number" title="Largest absolute error over all outputs and input sets">max abs</th>
          <th scope="col" class="number" title="Kernel launches: eager, then yours">launches</th>
          {timed ? SHOWN_METHODS.map((method) => <th key={method} scope="col" class="number" title={`Speed-up against eager by ${method}. ${METHOD_MEANS[method]}`}>{method}</th>) : <th scope="col" class="number">speed</th>}
        </tr>
      </thead>
      <tbody>
        {rows.value.map((graph, index) => {
          const open = opened.value.has(graph.name);
          const spills = needsRoom(graph);
          return [
            <tr
              key={graph.name} data-graph={graph.name} tabIndex={0} aria-level={1} aria-expanded={open} class={graph.name === graphName.value ? "current" : ""}
              title={graph.name} onClick={() => { showGraph(graph.name); toggle(graph.name); }} onKeyDown={(event) => key(event, index, graph.name)} onFocus={() => showGraph(graph.name)}
            >
              <th scope="row"><span class="twisty" aria-hidden="true">{open ? "▾" : "▸"}</span><span class="graph-name">{graph.name}</span></th>
              <td class={`number${graph.status === "no_match" ? " fail" : ""}`}>{matches(graph)}</td>
              <td class={spills ? "spills" : ""}><StatusCell graph={graph} /></td>
              <td class="number">{spills ? "" : graph.phase === "done" ? firstT(graph.firstT) : "–"}</td>
              <td class="number">{spills ? "" : error(graph.maxAbs)}</td>
              <td class="number"><Launches graph={graph} /></td>
              {timed
                ? SHOWN_METHODS.map((method) => <td key={method} class="number speed"><SpeedCell graph={graph} method={method} /></td>)
                : <td class="number speed"><span class="faint" title="The CPU judges correctness, matches and launches; a GPU worker measures time">needs a GPU worker</span></td>}
            </tr>,
            open && <tr key={`${graph.name} details`} class="details"><td colSpan={columns}><RowDetails graph={graph} /></td></tr>,
          ];
        })}
      </tbody>
    </table>
    {!timed && <p class="speed-note faint">speed needs a GPU worker</p>}
    </>
  );
}

/** A graph that was not evaluated has no number of matches. */
function matches(graph: GraphView): string {
  const unknown = graph.matches === null || graph.status === "rejected" || graph.status === "eager_fail";
  return unknown ? "–" : String(graph.matches);
}

/** A long status goes on over the two cells to its right, which have nothing to say then. */
function needsRoom(graph: GraphView): boolean {
  if (graph.status === null) return graph.phase === "rewritten" && !ended();
  return graph.reason !== null && graph.firstT === null && graph.maxAbs === null;
}

function ended(): boolean {
  return shown.value !== null && isFinal(shown.value.view.state);
}

function StatusCell({ graph }: { graph: GraphView }) {
  if (graph.status !== null) {
    const word = statusWord(graph.status);
    const reason = graph.mismatch ?? graph.reason;
    return (
      <span class={`status ${word.tone}`} title={word.means}>
        <span class="glyph" aria-hidden="true">{word.glyph}</span> {word.text}{reason === null ? "" : <span class="reason">{` ${words(reason)}`}</span>}
      </span>
    );
  }
  if (ended()) return <span class="faint">not judged</span>;
  if (graph.phase === "waiting") return <span class="faint">{shown.value === null ? "not run" : "waiting"}</span>;
  return <Doing graph={graph} />;
}

/** Ticks by itself: the table around it stands still. */
function Doing({ graph }: { graph: GraphView }) {
  const now = useNow(true);
  return <span class="status accent number"><span class="glyph" aria-hidden="true">◐</span> {doing(graph, shown.value?.view.limits["call_seconds"] ?? null, now)}</span>;
}

function Launches({ graph }: { graph: GraphView }) {
  if (graph.launches === null) return <>–</>;
  const { eager, yours } = launches(graph.launches);
  const fewer = (graph.launches["candidate"] ?? Infinity) < (graph.launches["eager"] ?? 0);
  return <span title={`eager ${eager} → yours ${yours}`}>{eager} <span class="faint">→</span> <b class={fewer ? "correct" : ""}>{yours}</b></span>;
}

const SHOWN_METHODS = ["e2e", "graph"] as const;

function SpeedCell({ graph, method }: { graph: GraphView; method: string }) {
  const speed = speedOf(graph, method);
  return speed === null ? <>–</> : <SpeedText speed={speed} />;
}
