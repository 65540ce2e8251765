/** The workbench: three columns and a dock, or tabs in a narrow window. */

import { CodePane } from "../dock/CodePane";
import { RecordPane } from "../dock/RecordPane";
import { PassPane } from "../editor/PassPane";
import { Dialogs } from "../frame/Dialogs";
import { layout, narrow } from "../frame/frame";
import type { PaneId } from "../frame/layout";
import { DEFAULT_LAYOUT, gridColumns, PANES, resizeColumns, resizeDock, resizeDockSplit } from "../frame/layout";
import { IsolationBanner } from "../frame/IsolationBanner";
import { Notices } from "../frame/Notices";
import { Resizer } from "../frame/Resizer";
import { GraphPane } from "../graph/GraphPane";
import { RunBar } from "../verdict/RunBar";
import { VerdictLine } from "../verdict/VerdictLine";
import { VerdictPane } from "../verdict/VerdictPane";

export function App() {
  return (
    <>
      <IsolationBanner />
      {narrow.value ? <Narrow /> : <Wide />}
      <Dialogs />
      <Notices />
    </>
  );
}

function Wide() {
  const now = layout.value;
  const reset = (part: "columns" | "dock" | "dockSplit") => (): void => void (layout.value = { ...now, [part]: DEFAULT_LAYOUT[part] });
  const dockShut = now.collapsed.includes("code");
  const share = (index: number): number => (100 * now.columns[index]!) / now.columns.reduce((sum, part) => sum + part, 0);
  return (
    <div
      class={`bench wide${now.maximised === null ? "" : " maximised"}`} data-maximised={now.maximised ?? undefined}
      style={{ gridTemplateRows: dockShut ? "minmax(0, 1fr) 1px 28px" : `minmax(0, ${100 - now.dock}fr) 1px minmax(0, ${now.dock}fr)` }}
    >
      <div class="columns" style={{ gridTemplateColumns: gridColumns(now) }}>
        <GraphPane />
        <Resizer direction="column" label="Width of graph and pass" value={share(0)} onMove={(by) => (layout.value = resizeColumns(layout.value, 0, by))} onReset={reset("columns")} />
        <PassPane />
        <Resizer direction="column" label="Width of pass and verdict" value={share(0) + share(1)} onMove={(by) => (layout.value = resizeColumns(layout.value, 1, by))} onReset={reset("columns")} />
        <VerdictPane />
      </div>
      <Resizer direction="row" label="Height of the dock" value={100 - now.dock} onMove={(by) => (layout.value = resizeDock(layout.value, by))} onReset={reset("dock")} />
      <div class="dock" style={{ gridTemplateColumns: `minmax(0, ${now.dockSplit}fr) 1px minmax(0, ${100 - now.dockSplit}fr)` }}>
        <CodePane />
        <Resizer direction="column" label="Width of the code" value={now.dockSplit} onMove={(by) => (layout.value = resizeDockSplit(layout.value, by))} onReset={reset("dockSplit")} />
        <RecordPane />
      </div>
    </div>
  );
}

function Narrow() {
  const tab = layout.value.tab;
  const names: Record<PaneId, string> = { graph: "Graph", pass: "Pass", verdict: "Verdict", code: "Code", about: "About", history: "History", log: "Log", assistant: "Assistant" };
  const key = (event: KeyboardEvent): void => {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (by === 0) return;
    event.preventDefault();
    const next = PANES[(PANES.indexOf(tab) + by + PANES.length) % PANES.length]!;
    layout.value = { ...layout.value, tab: next };
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
    <div class="bench narrow" data-tab={tab}>
      <div class="narrow-verdict"><VerdictLine /><RunBar /></div>
      <div class="bench-tabs" role="tablist" aria-label="Panes" onKeyDown={key}>
        {PANES.map((id) => (
          <button key={id} id={`tab-${id}`} role="tab" aria-selected={tab === id} tabIndex={tab === id ? 0 : -1} onClick={() => (layout.value = { ...layout.value, tab: id })}>{names[id]}</button>
        ))}
      </div>
      <div class="narrow-panes">
        <GraphPane />
        <PassPane />
        <VerdictPane />
        <CodePane />
        <RecordPane />
      </div>
    </div>
  );
}
