/** Sizes of the workbench: plain numbers, pure changes, remembered in this browser. */

export type ColumnId = "graph" | "pass" | "verdict";
/** What the right half of the dock can show. */
export type DockTab = "about" | "history" | "log" | "assistant";
export type PaneId = ColumnId | "code" | DockTab;
export const COLUMNS: readonly ColumnId[] = ["graph", "pass", "verdict"];
export const DOCK_TABS: readonly DockTab[] = ["about", "history", "log", "assistant"];
export const PANES: readonly PaneId[] = ["graph", "pass", "verdict", "code", ...DOCK_TABS];

export interface Layout {
  /** Shares of the width; any positive numbers. */
  columns: [number, number, number];
  /** Height of the lower dock in per cent. */
  dock: number;
  /** Width of the code in the dock in per cent. */
  dockSplit: number;
  collapsed: PaneId[];
  maximised: PaneId | null;
  dockTab: DockTab;
  /** What a narrow window shows. */
  tab: PaneId;
}

export const DEFAULT_LAYOUT: Layout = {
  columns: [29, 33, 38], dock: 30, dockSplit: 56, collapsed: [], maximised: null, dockTab: "history", tab: "graph",
};

const MIN_COLUMN = 12;

/** Moves the border after column `index` by a share of the whole width; both neighbours keep a minimum. */
export function resizeColumns(layout: Layout, index: 0 | 1, by: number): Layout {
  const total = layout.columns.reduce((sum, share) => sum + share, 0);
  const columns = layout.columns.map((share) => (share / total) * 100) as Layout["columns"];
  const left = columns[index];
  const right = columns[index + 1]!;
  const moved = Math.min(right - MIN_COLUMN, Math.max(MIN_COLUMN - left, by * 100));
  columns[index] = left + moved;
  columns[index + 1] = right - moved;
  return { ...layout, columns };
}

const clamp = (value: number, low: number, high: number): number => Math.min(high, Math.max(low, value));

export function resizeDock(layout: Layout, by: number): Layout {
  return { ...layout, dock: clamp(layout.dock - by * 100, 8, 80) };
}

export function resizeDockSplit(layout: Layout, by: number): Layout {
  return { ...layout, dockSplit: clamp(layout.dockSplit + by * 100, 15, 85) };
}

export function toggleMaximised(layout: Layout, pane: PaneId): Layout {
  return { ...layout, maximised: layout.maximised === pane ? null : pane, collapsed: layout.collapsed.filter((id) => id !== pane) };
}

/** Collapses or opens a pane; the last open column stays open. */
export function toggleCollapsed(layout: Layout, pane: PaneId): Layout {
  if (layout.collapsed.includes(pane)) return { ...layout, collapsed: layout.collapsed.filter((id) => id !== pane) };
  const collapsed = [...layout.collapsed, pane];
  if (COLUMNS.every((id) => collapsed.includes(id))) return layout;
  return { ...layout, collapsed, maximised: layout.maximised === pane ? null : layout.maximised };
}

export function isDockTab(value: unknown): value is DockTab {
  return DOCK_TABS.includes(value as DockTab);
}

/** The layout with a pane in sight. */
export function withPane(layout: Layout, pane: PaneId): Layout {
  const dockTab = isDockTab(pane) ? pane : layout.dockTab;
  const holder = isDockTab(pane) ? "code" : pane;
  return {
    ...layout, tab: pane, dockTab,
    maximised: layout.maximised !== null && layout.maximised !== pane ? null : layout.maximised,
    collapsed: layout.collapsed.filter((id) => id !== pane && id !== holder),
  };
}

export function isLayout(value: unknown): value is Layout {
  if (typeof value !== "object" || value === null) return false;
  const layout = value as Partial<Layout>;
  return (
    Array.isArray(layout.columns) && layout.columns.length === 3 && layout.columns.every((share) => typeof share === "number" && share > 0) &&
    typeof layout.dock === "number" && typeof layout.dockSplit === "number" && Array.isArray(layout.collapsed) &&
    isDockTab(layout.dockTab) && PANES.includes(layout.tab as PaneId) &&
    (layout.maximised === null || PANES.includes(layout.maximised as PaneId))
  );
}

/** The CSS grid columns: a collapsed column is a thin strip, the rest share what is left. */
export function gridColumns(layout: Layout): string {
  return COLUMNS.map((id, index) => (layout.collapsed.includes(id) ? "28px" : `minmax(0, ${layout.columns[index]!.toFixed(3)}fr)`)).join(" 1px ");
}

/** For an address: "27-34-39_30_56_graph.code_verdict_history"; null for what everybody starts with. */
export function encodeLayout({ columns, dock, dockSplit, collapsed, maximised, dockTab }: Layout): string | null {
  const total = columns.reduce((sum, share) => sum + share, 0);
  const encode = (value: Omit<Layout, "tab">, of: number): string =>
    [
      value.columns.map((share) => Math.round((100 * share) / of)).join("-"), Math.round(value.dock), Math.round(value.dockSplit),
      [...value.collapsed].sort().join("."), value.maximised ?? "", value.dockTab,
    ].join("_");
  // What a task is about is for its first visit, not for a link.
  const text = encode({ columns, dock, dockSplit, collapsed, maximised, dockTab: dockTab === "about" ? DEFAULT_LAYOUT.dockTab : dockTab }, total);
  return text === encode(DEFAULT_LAYOUT, 100) ? null : text;
}

/** The layout that a link carries; null for what is none. */
export function decodeLayout(text: string | null): Layout | null {
  const parts = text?.split("_") ?? [];
  if (parts.length !== 6) return null;
  const [columns, dock, dockSplit, collapsed, maximised, dockTab] = parts as [string, string, string, string, string, string];
  const isPane = (name: string): boolean => PANES.includes(name as PaneId);
  const layout = {
    ...DEFAULT_LAYOUT, columns: columns.split("-").map(Number), dock: Number(dock), dockSplit: Number(dockSplit),
    collapsed: collapsed.split(".").filter(isPane), maximised: maximised === "" ? null : maximised, dockTab,
  };
  if (!isLayout(layout) || !(layout.dock >= 8 && layout.dock <= 80) || !(layout.dockSplit >= 15 && layout.dockSplit <= 85)) return null;
  return COLUMNS.every((id) => layout.collapsed.includes(id)) ? null : layout;
}
