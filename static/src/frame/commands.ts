/** Everything that can be done, in one list: the palette shows it, the keyboard reaches it, the overlay explains it. */

import { draftForOthers, draftSelection, obstacle, outcome, unmatched } from "../draft/make";
import { comboOf, inTextField } from "../lib/keys";
import { tell } from "../lib/hub";
import { language } from "../language/state";
import { toggleTheme } from "../lib/theme";
import { dialog, openDialog } from "../workbench/dialogs";
import { activeFile, files, flushDraft } from "../workbench/draft";
import { openExample, openHistoryFiles } from "../workbench/filesets";
import { nextProblem, problems } from "../workbench/problems";
import { active, cancelRun, shown, startRun } from "../workbench/runs";
import { graphName, graphNames, showGraph, showSide, side, task } from "../workbench/session";
import { valueOf } from "../lib/load";
import { colourBy } from "../graph/coloured";
import { COLOUR_BY, COLOUR_WORDS } from "../graph/colouring";
import { drawing, scrub, steps } from "../graph/drawing";
import { setAll } from "../graph/folding";
import { grow, select, selected, shrink } from "../graph/selection";
import type { Command } from "./command";
import { possible } from "./command";
import { cyclePane, focusPane, layout } from "./frame";
import { DEFAULT_LAYOUT, toggleMaximised } from "./layout";
import type { PaneId } from "./layout";
import { RESULT_COMMANDS, runCommands } from "./resultCommands";

function turnGraph(by: number): void {
  const names = graphNames.value;
  showGraph(names[(names.indexOf(graphName.value ?? "") + by + names.length) % names.length] ?? null);
}

function currentPane(): PaneId | null {
  return (document.activeElement?.closest<HTMLElement>("[data-pane]")?.dataset["pane"] as PaneId | undefined) ?? null;
}

const COMMANDS: Command[] = [
  { id: "run", title: "Run the pass", group: "Run", keys: "mod+enter", enabled: () => !active.value, run: () => void startRun() },
  { id: "cancel", title: "Cancel the run", group: "Run", enabled: () => active.value, run: () => void cancelRun() },
  { id: "run-files", title: "Open the files of the shown run", group: "Run", enabled: () => shown.value !== null, run: () => openHistoryFiles(null) },
  { id: "before", title: "Show the graph before the rewrite", group: "Graph", keys: "b", run: () => showSide("before") },
  { id: "after", title: "Show the graph after the rewrite", group: "Graph", keys: "a", run: () => showSide(side.value === "after" ? "before" : "after") },
  { id: "step-on", title: "One pass further: before, after each pass, after all", group: "Graph", keys: ".", enabled: () => steps.value.length > 0, run: () => scrub(1) },
  { id: "step-back", title: "One pass back", group: "Graph", keys: ",", enabled: () => steps.value.length > 0, run: () => scrub(-1) },
  { id: "next-graph", title: "Next graph of the task", group: "Graph", keys: "]", run: () => turnGraph(1) },
  { id: "previous-graph", title: "Previous graph of the task", group: "Graph", keys: "[", run: () => turnGraph(-1) },
  { id: "search", title: "Search nodes", group: "Graph", keys: "/", run: () => { focusPane("graph"); tell("searchGraph", undefined); } },
  { id: "draft-pass", title: "Draft a pass for the selected nodes", group: "Graph", keys: "d", enabled: () => obstacle.value === null, run: () => void draftSelection() },
  { id: "draft-others", title: "Draft the last pass for the graphs that it does not match, too", group: "Graph", enabled: () => outcome.value?.kind === "made" && outcome.value.also === null && unmatched.value.length > 0, run: () => void draftForOthers() },
  { id: "export-svg", title: "Export the graph as SVG", group: "Graph", run: () => tell("exportGraph", { format: "svg" }) },
  { id: "export-png", title: "Export the graph as PNG", group: "Graph", run: () => tell("exportGraph", { format: "png" }) },
  { id: "export-dot", title: "Export the graph as DOT, for Graphviz", group: "Graph", run: () => tell("exportGraph", { format: "dot" }) },
  { id: "fold", title: "Fold the repeated blocks of the graph", group: "Graph", run: () => setAll(false) },
  { id: "unfold", title: "Open the repeated blocks of the graph", group: "Graph", run: () => setAll(true) },
  { id: "grow-up", title: "Grow the selection to producers (Alt ↑ on the graph)", group: "Graph", enabled: () => selected.value.size > 0, run: () => grow("producers") },
  { id: "grow-down", title: "Grow the selection to consumers (Alt ↓ on the graph)", group: "Graph", enabled: () => selected.value.size > 0, run: () => grow("consumers") },
  { id: "shrink", title: "Shrink the selection (Alt ← on the graph)", group: "Graph", enabled: () => selected.value.size > 0, run: shrink },
  { id: "select-all", title: "Select every node of the graph", group: "Graph", enabled: () => drawing.value.status === "ready", run: () => { const now = drawing.value; if (now.status === "ready") select(now.value.nodes.map((node) => node.name)); } },
  { id: "select-none", title: "Clear the selection (Escape on the graph)", group: "Graph", enabled: () => selected.value.size > 0, run: () => select([]) },
  { id: "fit", title: "Fit the graph", group: "Graph", keys: "f", run: () => tell("fitGraph", undefined) },
  { id: "save", title: "Save the draft now (it also saves by itself)", group: "Files", keys: "mod+s", run: () => void flushDraft() },
  { id: "new-file", title: "New pass file", group: "Files", run: () => { focusPane("pass"); tell("newFile", undefined); } },
  { id: "format", title: "Format the file with ruff", group: "Files", keys: "alt+shift+f", enabled: () => language.value.kind === "on" && activeFile.value.endsWith(".py"), run: () => tell("formatFile", undefined) },
  { id: "explain", title: "Show what is known about the name at the caret", group: "Files", enabled: () => language.value.kind === "on", run: () => tell("explainName", undefined) },
  { id: "example", title: "Open the worked example", group: "Files", enabled: () => valueOf(task.value)?.has_example === true, run: () => void openExample() },
  { id: "share", title: "Share this run or these files by a link", group: "Files", run: () => openDialog({ kind: "share" }) },
  { id: "export-pass-dir", title: "Export pass_dir for the published harness, with the portability check", group: "Files", run: () => openDialog({ kind: "export" }) },
  { id: "palette", title: "Command palette", group: "View", keys: "mod+k", run: () => openDialog({ kind: "palette" }) },
  { id: "shortcuts", title: "Keyboard shortcuts", group: "View", keys: "?", run: () => openDialog({ kind: "shortcuts" }) },
  { id: "next-pane", title: "Next pane", group: "View", keys: "f6", run: () => cyclePane(1) },
  { id: "previous-pane", title: "Previous pane", group: "View", keys: "shift+f6", run: () => cyclePane(-1) },
  { id: "pane-graph", title: "Go to the graph", group: "View", keys: "alt+1", run: () => focusPane("graph") },
  { id: "pane-pass", title: "Go to the pass", group: "View", keys: "alt+2", run: () => focusPane("pass") },
  { id: "pane-verdict", title: "Go to the verdict", group: "View", keys: "alt+3", run: () => focusPane("verdict") },
  { id: "pane-code", title: "Go to model.py", group: "View", keys: "alt+4", run: () => focusPane("code") },
  { id: "pane-about", title: "About this task: description, hints, rules, origin", group: "View", keys: "alt+5", run: () => focusPane("about") },
  { id: "pane-history", title: "Go to the history", group: "View", keys: "alt+6", run: () => focusPane("history") },
  { id: "pane-log", title: "Go to the log", group: "View", keys: "alt+7", run: () => focusPane("log") },
  { id: "pane-assistant", title: "Go to the assistant", group: "View", keys: "alt+8", run: () => focusPane("assistant") },
  { id: "next-problem", title: "Next problem in the pass files", group: "Files", keys: "f8", enabled: () => problems.value.length > 0, run: nextProblem },
  {
    id: "maximise", title: "Maximise or restore the pane", group: "View", keys: "shift+escape",
    run: () => { const pane = layout.value.maximised ?? currentPane(); if (pane !== null) layout.value = toggleMaximised(layout.value, pane); },
  },
  { id: "reset-layout", title: "Reset the layout", group: "View", run: () => (layout.value = DEFAULT_LAYOUT) },
  { id: "theme", title: "Switch between light and dark", group: "View", run: toggleTheme },
];

/** All commands now, with one for each file and graph. */
export function commands(): Command[] {
  const openFiles = Object.keys(files.value).map((name): Command => ({
    id: `file:${name}`, title: `Open ${name}`, group: "Files", run: () => { activeFile.value = name; focusPane("pass"); },
  }));
  const openGraphs = graphNames.value.map((name, index): Command => ({
    id: `graph:${name}`, title: `Show graph ${index + 1}: ${name}`, group: "Graph", run: () => showGraph(name),
  }));
  const colours = COLOUR_BY.map((by): Command => ({ id: `colour:${by}`, title: `Colour the graph by ${COLOUR_WORDS[by]}`, group: "Graph", run: () => (colourBy.value = by) }));
  const openSteps = steps.value.slice(0, -1).map((pass, index): Command => ({ id: `step:${index}`, title: `Show the graph after ${pass}`, group: "Graph", run: () => showSide("after", index) }));
  return possible([...COMMANDS, ...RESULT_COMMANDS, ...colours, ...openSteps, ...openGraphs, ...openFiles, ...runCommands()]);
}

/** Read in the capture phase: Monaco has meanings of its own for some of these. */
export function onGlobalKey(event: KeyboardEvent): void {
  if (event.isComposing) return;
  const combo = comboOf(event);
  const command = COMMANDS.find((entry) => entry.keys === combo);
  if (command === undefined) return;
  const plain = !/^(mod|alt)\+|f6$|f8$|^shift\+escape$/.test(combo);
  if (plain && (inTextField(event.target) || dialog.value !== null)) return;
  event.preventDefault();
  event.stopPropagation();
  if (command.enabled?.() ?? true) command.run();
}
