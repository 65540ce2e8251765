/** The verdict in one line, always in view, read out politely when it changes. */

import { computed } from "@preact/signals";
import type { Summary } from "../run/summary";
import { summarise } from "../run/summary";
import { valueOf } from "../lib/load";
import { integrityWord } from "../vocabulary";
import { history, refused, shown, stale } from "../workbench/runs";

const summary = computed(() => {
  const run = shown.value;
  const unread = run !== null && run.problem === null && run.view.state === null && run.view.seq === 0;
  return unread ? READING : summarise(run?.view ?? null);
});
/** A run is there, its log is on its way: anything but "not run". */
const READING: Summary = { tone: "accent", glyph: "◐", headline: "reading the run", details: [] };
const revision = computed(() => {
  const run = shown.value;
  if (run === null) return null;
  return run.info?.revision_number ?? valueOf(history.value)?.find((entry) => entry.run === run.id)?.revision_number ?? null;
});

/** The word of a reviewer that stands instead of the judge's. */
const overturned = computed(() => {
  const info = shown.value?.info;
  return info?.reviewed_verdict == null || info.reviewed_verdict === info.verdict ? null : integrityWord(info.reviewed_verdict);
});

export function VerdictLine() {
  const { tone, glyph, headline, details } = summary.value;
  if (refused.value !== null) return <NotTaken why={refused.value} />;
  return (
    <p class={`verdict-line${stale.value ? " is-stale" : ""}`} role="status" aria-live="polite" aria-atomic="true">
      {stale.value && <span class="tag stale" title="The code in the editor is not the code this result belongs to. Run again.">stale</span>}
      {stale.value && <span class="faint">{revision.value === null ? " of earlier code: " : ` of revision ${revision.value}: `}</span>}
      <span class={`headline ${tone}`}><span class="glyph" aria-hidden="true">{glyph}</span> {headline}</span>
      {details.map((detail) => <span key={detail} class="detail"> · {detail}</span>)}
      {overturned.value !== null && <span class={`detail ${overturned.value.tone}`}> · overturned to {overturned.value.text}</span>}
      {shown.value?.info?.review_item != null && <> · <a class="link" href={`/review/?state=any&view=list&item=${shown.value.info.review_item}`} title="Its place in the review queue: cause, decision, comments">in review</a></>}
      {revision.value !== null && !stale.value && <span class="revision faint">{` · revision ${revision.value}`}</span>}
    </p>
  );
}

/** Run was pressed and nothing runs: that is the news. The verdict below is of an earlier run, and says so. */
function NotTaken({ why }: { why: string }) {
  const earlier = shown.value === null ? "" : ` Below: ${revision.value === null ? "an earlier run" : `revision ${revision.value}`}, ${summary.value.headline}.`;
  return (
    <p class="verdict-line" role="status" aria-live="polite" aria-atomic="true">
      <span class="headline fail"><span class="glyph" aria-hidden="true">■</span> not run</span>
      <span class="detail"> · {why}</span>
      <span class="faint">{earlier}</span>
    </p>
  );
}
