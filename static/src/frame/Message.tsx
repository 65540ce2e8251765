/** An empty or failed place: what this is, why it is so, and the one action that helps. */

import type { ComponentChildren } from "preact";

interface Props {
  title: string;
  tone?: "idle" | "fail";
  busy?: boolean;
  action?: { label: string; run: () => void } | undefined;
  children?: ComponentChildren;
}

export function Message({ title, tone = "idle", busy = false, action, children }: Props) {
  return (
    <div class={`place ${tone}`} role={tone === "fail" ? "alert" : "status"} aria-busy={busy}>
      <h2>{tone === "fail" && <span aria-hidden="true">■ </span>}{title}{busy && <span class="dots" aria-hidden="true" />}</h2>
      {children !== undefined && <p>{children}</p>}
      {action && <button class="plain" onClick={action.run}>{action.label}</button>}
    </div>
  );
}
