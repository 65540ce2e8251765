/** One graph: its drawing, its code, and what is known about it. */

import { useEffect } from "preact/hooks";
import { Message } from "../frame/Message";
import { Palette } from "../frame/Palette";
import { on } from "../lib/hub";
import { comboOf, inTextField } from "../lib/keys";
import { valueOf } from "../lib/load";
import { dialog, openDialog } from "../workbench/dialogs";
import { Code } from "./Code";
import { graphCommands, graphPlaces } from "./commands";
import { Drawing } from "./Drawing";
import { Facts } from "./Facts";
import { facts, loadFacts } from "./store";

export function GraphPage() {
  useEffect(() => on("focusPane", ({ pane }) => focus(pane)), []);
  useEffect(() => {
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
  const now = facts.value;
  return (
    <div class="graph-page">
      <Drawing name={valueOf(now)?.name ?? ""} />
      <Code />
      <section class="pane pane-facts" data-pane="facts" aria-label="About this graph" tabIndex={-1}>
        <header class="pane-bar"><span class="pane-title">About this graph</span><span class="spring" /><kbd title="To the next pane">F6</kbd></header>
        <div class="pane-body facts" tabIndex={0} role="region" aria-label="Facts">
          {now.status === "ready" ? (
            <Facts page={now.value} />
          ) : now.status === "failed" ? (
            <Message title="What is known about the graph could not be loaded" tone="fail" action={{ label: "Try again", run: () => void loadFacts() }}>{now.message}</Message>
          ) : (
            <div class="table-skeleton" aria-busy="true" role="status" aria-label="Loading what is known about the graph">{[0, 1, 2, 3, 4, 5, 6, 7].map((row) => <i key={row} />)}</div>
          )}
        </div>
      </section>
      {dialog.value?.kind === "palette" && <Palette commands={graphCommands(focus)} places={graphPlaces()} />}
    </div>
  );
}

/** The pane's own place for the keyboard: the drawing, the editor, or the pane itself. */
function focus(name: string): void {
  const pane = document.querySelector<HTMLElement>(`[data-pane="${CSS.escape(name)}"]`);
  (pane?.querySelector<HTMLElement>(".graph-canvas canvas, .facts") ?? pane)?.focus();
}

function onKey(event: KeyboardEvent): void {
  if (event.key === "F6") {
    const names = [...document.querySelectorAll<HTMLElement>("[data-pane]")].map((pane) => pane.dataset["pane"]!);
    const at = names.indexOf(document.activeElement?.closest<HTMLElement>("[data-pane]")?.dataset["pane"] ?? "");
    const by = event.shiftKey ? -1 : 1;
    focus(names[at === -1 ? 0 : (at + by + names.length) % names.length]!);
  } else if (comboOf(event) === "mod+k") {
    openDialog({ kind: "palette" });
  } else if (event.key === "/" && !event.ctrlKey && !event.metaKey && !inTextField(event.target)) {
    document.querySelector<HTMLElement>(".node-search")?.focus();
  } else return;
  event.preventDefault();
}
