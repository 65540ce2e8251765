/** The layout in force, and moving the keyboard between panes. */

import { computed, effect, signal } from "@preact/signals";
import { on } from "../lib/hub";
import { remember, remembered } from "../lib/storage";
import type { Layout, PaneId } from "./layout";
import { DEFAULT_LAYOUT, isDockTab, isLayout, PANES, withPane } from "./layout";

export const layout = signal<Layout>(remembered("layout", DEFAULT_LAYOUT, isLayout));
/** A layout that came with a link is looked at; it becomes one's own when one changes it. */
let lent: Layout | null = null;

export function lendLayout(value: Layout): void {
  lent = value;
  layout.value = value;
}

// What a task is about is for its first visit: the next task decides anew.
effect(() => {
  const now = layout.value;
  if (now !== lent) remember("layout", now.dockTab === "about" ? { ...now, dockTab: DEFAULT_LAYOUT.dockTab } : now);
});

const narrowWindow = matchMedia("(max-width: 900px)");
export const narrow = signal(narrowWindow.matches);
narrowWindow.addEventListener("change", () => (narrow.value = narrowWindow.matches));

/** Panes a person can see or reach now, in reading order. */
export const openPanes = computed<PaneId[]>(() => {
  if (narrow.value) return [...PANES];
  if (layout.value.maximised !== null) return [layout.value.maximised];
  return PANES.filter((id) => {
    if (layout.value.collapsed.includes(id)) return false;
    if (id === "code" || isDockTab(id)) return !layout.value.collapsed.includes("code") && (id === "code" || id === layout.value.dockTab);
    return true;
  });
});

const FIRST_STOP: Partial<Record<PaneId, string>> = {
  graph: ".graph-canvas canvas", pass: ".editor-host textarea, .editor-host .native-edit-context", verdict: ".verdict-table [tabindex='0'], .run-button",
};

/** Where the keyboard is on its way to: the pane may have to be drawn first, and keys may come faster than frames. */
let heading: PaneId | null = null;

export function focusPane(id: PaneId): void {
  layout.value = withPane(layout.value, id);
  heading = id;
  requestAnimationFrame(() => {
    if (heading !== id) return;
    heading = null;
    const pane = document.querySelector<HTMLElement>(`[data-pane="${id}"]`);
    const stop = FIRST_STOP[id];
    const target = (stop === undefined ? null : pane?.querySelector<HTMLElement>(stop)) ?? pane;
    target?.focus();
  });
}

export function cyclePane(by: 1 | -1): void {
  const open = openPanes.value;
  const current = heading ?? document.activeElement?.closest<HTMLElement>("[data-pane]")?.dataset["pane"];
  const at = open.indexOf(current as PaneId);
  focusPane(open[at < 0 ? 0 : (at + by + open.length) % open.length]!);
}

on("focusPane", ({ pane }) => focusPane(pane as PaneId));
// A result leads to a node: the drawing must be in sight, and the keyboard stays where it is.
on("revealNode", () => {
  if (narrow.value || !openPanes.value.includes("graph")) layout.value = withPane(layout.value, "graph");
});
