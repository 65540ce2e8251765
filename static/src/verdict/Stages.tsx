/** The stages of a run with their clocks, in a strip that never changes its size. */

import { clock, plural } from "../format";
import { useNow } from "../lib/now";
import { stageSeconds } from "../run/summary";
import type { StageName } from "../run/view";
import { STAGES } from "../run/view";
import { active, shown } from "../workbench/runs";

const WORDS: Record<StageName, string> = { queued: "queue", check: "static check", load: "load", graphs: "graphs" };

export function Stages() {
  const now = useNow(active.value);
  const run = shown.value;
  const view = run?.view ?? null;
  const done = view?.graphs.filter((graph) => graph.phase === "done").length ?? 0;
  const queue = queueText();
  return (
    <ol class="stages" aria-label="Stages of the run">
      {STAGES.map((name) => {
        const seconds = view === null ? null : stageSeconds(view, name, now);
        const stage = view?.stages[name];
        const open = stage?.start != null && stage.end === null;
        return (
          <li key={name} class={open ? "open" : seconds === null ? "ahead" : "past"} aria-current={open ? "step" : undefined}>
            <span>{WORDS[name]}{name === "graphs" && view !== null && view.seq > 0 ? ` ${done}/${view.graphs.length}` : ""}</span>
            <span class="number">{name === "queued" && open && queue !== null ? queue : seconds === null ? "–" : clock(seconds)}</span>
          </li>
        );
      })}
    </ol>
  );
}

function queueText(): string | null {
  const ahead = shown.value?.info?.jobs_ahead ?? null;
  if (ahead === null || ahead === 0) return null;
  const wait = shown.value?.info?.expected_wait_seconds ?? null;
  return `${plural(ahead, "run")} ahead${wait === null ? "" : `, about ${clock(wait)}`}`;
}
