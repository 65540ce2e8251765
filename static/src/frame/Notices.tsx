/** The short messages at the foot of the page. */

import { dismiss, notices } from "../workbench/notices";

export function Notices() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {notices.value.map((notice) => (
        <div key={notice.id} class={`toast ${notice.tone}`}>
          <span>{notice.tone === "fail" && <b aria-hidden="true">■ </b>}{notice.text}</span>
          {notice.action && <button class="link" onClick={() => { notice.action!.run(); dismiss(notice.id); }}>{notice.action.label}</button>}
          <button class="icon" aria-label="Dismiss" onClick={() => dismiss(notice.id)}>×</button>
        </div>
      ))}
    </div>
  );
}
