/** Two to six submissions on one task: what they are, graph by graph, curves, drawings, kernels, code. */

import { useEffect } from "preact/hooks";
import { Curves } from "../charts/Curves";
import { Message } from "../frame/Message";
import { Palette } from "../frame/Palette";
import type { Command } from "../frame/command";
import { comboOf } from "../lib/keys";
import { toggleTheme } from "../lib/theme";
import { curve } from "../run/score";
import { dialog, openDialog } from "../workbench/dialogs";
import { Code } from "./Code";
import { Drawings } from "./Drawings";
import { GraphTable } from "./GraphTable";
import { Kernels } from "./Kernels";
import { Patterns } from "./Patterns";
import { Sides } from "./Sides";
import { comparison, entries, graph, graphNames, load, method, METHODS, putFirst, query } from "./store";
import { letter } from "./types";

export function ComparePage() {
  useEffect(() => {
    const key = (event: KeyboardEvent): void => {
      if (comboOf(event) !== "mod+k") return;
      openDialog({ kind: "palette" });
      event.preventDefault();
    };
    window.addEventListener("keydown", key);
    return () => window.removeEventListener("keydown", key);
  }, []);
  const now = comparison.value;
  return (
    <div class="compare-page">
      {now.status === "failed" ? (
        <Message title="This can not be compared" tone="fail" action={now.code === "unknown" ? { label: "Try again", run: () => void load() } : undefined}>
          {now.message} <a class="link" href="/boards/">To the leaderboard</a>
        </Message>
      ) : now.status === "loading" ? <Message busy title="Loading the submissions" /> : (
        <>
          <p class="compare-task">
            {now.value.task === null ? <bdi class="mono">{now.value.name}</bdi> : <a class="link" href={`/tasks/${encodeURIComponent(now.value.task.slug)}/`}><bdi>{now.value.task.title}</bdi></a>}
            {now.value.task === null && <span class="faint"> the graphs of this task are not here: nothing was measured</span>}
            <span class="spring" />
            <a class="link" href={`/api/compare/figures?${query.value}&method=${method.value}`} download>CSV</a>{" "}
            <a class="link" href={`/api/compare?${query.value}`} download="compare.json">JSON</a>
          </p>
          <Sides />
          <GraphTable />
          <Scores />
          <Drawings />
          <Unevaluated />
          <Kernels />
          <Code />
        </>
      )}
      {dialog.value?.kind === "palette" && <Palette commands={commands()} places={[]} />}
    </div>
  );
}

/** What those look for that were not evaluated: of them no rewritten graph is known. */
function Unevaluated() {
  const shown = entries.value.flatMap((one, place) => (one.run === null && one.submission !== null ? [{ key: one.key, submission: one.submission, title: `${letter(place)} ${one.author}`, place }] : []));
  if (shown.length === 0) return null;
  return (
    <section aria-label="Patterns">
      <h2>Patterns <span class="faint">of those that were not evaluated here, drawn from their text</span></h2>
      <div class="compare-drawings">{shown.map((one) => <div key={one.key} class={`compare-drawing side-${one.place}`}><h3><bdi>{one.title}</bdi></h3><Patterns submission={one.submission} /></div>)}</div>
    </section>
  );
}

function Scores() {
  const series = entries.value.flatMap((one, place) => (one.es_t === null || one.why_not !== "" ? [] : [{ name: `${letter(place)} ${one.author}`, place, points: curve(one.es_t) }])).filter(({ points }) => points.length > 1);
  if (series.length === 0) return null;
  const left = entries.value.filter((one) => one.es_t !== null && one.why_not !== "").length;
  return (
    <section aria-label="ES_t">
      <Curves series={series} file="compare_es_t" />
      {left > 0 && <p class="faint">{left === 1 ? "One curve is" : `${left} curves are`} left out: measured on another device or with other versions.</p>}
    </section>
  );
}

function commands(): Command[] {
  return [
    ...METHODS.map((by): Command => ({ id: `method:${by}`, title: `Compare speeds by ${by}`, group: "Results", run: () => (method.value = by) })),
    ...graphNames.value.map((name): Command => ({ id: `graph:${name}`, title: `Show graph ${name}`, group: "Graph", run: () => (graph.value = name) })),
    ...entries.value.slice(1).map((one, at): Command => ({ id: `first:${one.key}`, title: `Hold the others against ${letter(at + 1)} ${one.author}`, group: "Results", run: () => putFirst(one.key) })),
    { id: "boards", title: "Go to the leaderboard", group: "Go to", run: () => location.assign("/boards/") },
    { id: "catalogue", title: "Go to the catalogue", group: "Go to", run: () => location.assign("/") },
    { id: "theme", title: "Switch between light and dark", group: "View", run: toggleTheme },
  ];
}
