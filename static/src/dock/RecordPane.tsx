/** The right half of the dock: what the task is about, its history, the log of the shown run, the assistant. */

import { AssistantPane } from "../assistant/AssistantPane";
import { layout, narrow } from "../frame/frame";
import type { DockTab } from "../frame/layout";
import { DOCK_TABS, isDockTab } from "../frame/layout";
import { Pane } from "../frame/Pane";
import { plural } from "../format";
import { valueOf } from "../lib/load";
import { history, shown } from "../workbench/runs";
import { AboutTask } from "./AboutPane";
import { HistoryList } from "./HistoryPane";
import { LogList } from "./LogPane";

const CONTENT = { about: AboutTask, history: HistoryList, log: LogList, assistant: AssistantPane } as const;
const LABELS: Record<DockTab, string> = { about: "About", history: "History", log: "Log", assistant: "Assistant" };

export function RecordPane() {
  const tab = layout.value.tab;
  const current = narrow.value ? (isDockTab(tab) ? tab : "history") : layout.value.dockTab;
  const runs = valueOf(history.value)?.length ?? 0;
  const lines = shown.value === null ? 0 : shown.value.view.log.length + shown.value.view.logDropped;
  const counts = { about: "", history: runs > 0 ? plural(runs, "run") : "", log: lines > 0 ? plural(lines, "line") : "", assistant: "" };
  const tabs = (
    <div class="dock-tabs" role="tablist" aria-label="About the task, history, log and assistant">
      {DOCK_TABS.map((id) => (
        <button key={id} role="tab" aria-selected={current === id} onClick={() => (layout.value = { ...layout.value, dockTab: id })}>
          {id} <span class="faint">{counts[id]}</span>
        </button>
      ))}
    </div>
  );
  const Content = CONTENT[current];
  return (
    <Pane id={current} label={LABELS[current]} collapses={false} bar={<>{tabs}<span class="spring" /></>}>
      <Content />
    </Pane>
  );
}
