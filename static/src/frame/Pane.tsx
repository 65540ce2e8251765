/** The frame around every pane: a quiet bar with its controls, and its content below. */

import type { ComponentChildren } from "preact";
import { layout, narrow } from "./frame";
import type { PaneId } from "./layout";
import { toggleCollapsed, toggleMaximised } from "./layout";

interface Props {
  id: PaneId;
  label: string;
  bar?: ComponentChildren;
  /** Panes of the lower dock share one collapse button. */
  collapses?: boolean;
  children: ComponentChildren;
}

export function Pane({ id, label, bar, collapses = true, children }: Props) {
  const collapsed = collapses && !narrow.value && layout.value.collapsed.includes(id) && layout.value.maximised !== id;
  const maximised = layout.value.maximised === id;
  const toggle = (): void => void (layout.value = toggleCollapsed(layout.value, id));
  return (
    <section class={`pane pane-${id}${collapsed ? " collapsed" : ""}`} data-pane={id} aria-label={label} tabIndex={-1}>
      {collapsed && (
        <button class="pane-opener" title={`Open ${label.toLowerCase()}`} aria-expanded="false" onClick={toggle}>{label}</button>
      )}
      <header class="pane-bar" onDblClick={(event) => event.target === event.currentTarget && (layout.value = toggleMaximised(layout.value, id))}>
        {bar}
        {!narrow.value && (
          <span class="pane-buttons">
            {collapses && !maximised && <button class="icon" title={`Collapse ${label.toLowerCase()}`} aria-label={`Collapse ${label.toLowerCase()}`} onClick={toggle}>–</button>}
            <button class="icon" title={maximised ? "Restore" : `Maximise ${label.toLowerCase()}`} aria-label={maximised ? "Restore" : `Maximise ${label.toLowerCase()}`} aria-pressed={maximised} onClick={() => (layout.value = toggleMaximised(layout.value, id))}>
              {maximised ? "⤡" : "⤢"}
            </button>
          </span>
        )}
      </header>
      <div class="pane-body">{children}</div>
    </section>
  );
}
