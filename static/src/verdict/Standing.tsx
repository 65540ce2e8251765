/** A run that is not clean: the verdict, what it rests on, who overturned it and why. Both verdicts stay in sight. */

import { computed } from "@preact/signals";
import { useState } from "preact/hooks";
import type { Counts, Review } from "../api";
import { plural, when } from "../format";
import { consequence, counted, GROUNDS_SHOWN, standing } from "../run/integrity";
import { integrityWord } from "../vocabulary";
import { reviewRun, showRun, shown, stale } from "../workbench/runs";
import { FindingLine } from "./FindingLine";

const current = computed(() => {
  const run = shown.value;
  return run === null ? null : standing(run.view.integrity, run.view.findings, run.info?.reviews ?? []);
});

export function Standing() {
  const now = current.value;
  const [opened, setOpened] = useState<string | null>(null);
  const run = shown.value;
  if (now === null || run === null) return null;
  const more = now.grounds.length - GROUNDS_SHOWN;
  return (
    <section class={`standing${stale.value ? " is-stale" : ""}`} data-tone={integrityWord(now.stands).tone} aria-label="Integrity verdict">
      <h2>
        <Verdict verdict={now.judged} struck={now.stands !== now.judged} />
        {now.stands !== now.judged && <> <span class="faint" aria-label="overturned to">→</span> <Verdict verdict={now.stands} /></>}
        <span class="consequence">{consequence(now)}</span>
      </h2>
      {run.info?.counts != null && <ScoreThatCounts counts={run.info.counts} of={run.id} />}
      {run.info?.overturns != null && <p class="faint">A reviewer has overturned the violation of <button class="link" onClick={() => showRun(run.info!.overturns!)}>an earlier run</button> of these files; this one scores them all the same.</p>}
      <ul>{now.grounds.slice(0, GROUNDS_SHOWN).map((finding, index) => <FindingLine key={index} finding={finding} />)}</ul>
      {more > 0 && <p class="faint">{`and ${plural(more, "finding")} more, below`}</p>}
      {now.reviews.map((review, index) => <ReviewLine key={index} review={review} />)}
      {run.info?.may_review === true && (opened === run.id
        ? <ReviewForm run={run.id} stands={now.stands} onDone={() => setOpened(null)} />
        : <button class="plain" onClick={() => setOpened(run.id)}>Review this verdict</button>)}
    </section>
  );
}

function Verdict({ verdict, struck = false }: { verdict: string; struck?: boolean }) {
  const word = integrityWord(verdict);
  return <span class={`status ${word.tone}${struck ? " struck" : ""}`} title={word.means}><span class="glyph" aria-hidden="true">{word.glyph}</span> {word.text}</span>;
}

/** The judge's result stays above in the table; this is the one that counts since the review. */
function ScoreThatCounts({ counts, of }: { counts: Counts; of: string }) {
  const words = counted(counts);
  return (
    <p>
      <b>What counts: {words}</b>
      {counts.run !== of && <> <span class="faint">The same files, scored again after the review.</span> <button class="link" onClick={() => showRun(counts.run)}>Show that run</button></>}
    </p>
  );
}

function ReviewLine({ review }: { review: Review }) {
  return (
    <p class="review">
      <b>{review.reviewer}</b> <span class="faint">{when(review.created_at)}</span> {review.before === review.verdict ? "confirmed" : "overturned"} {integrityWord(review.before).text}{review.before === review.verdict ? "" : ` to ${integrityWord(review.verdict).text}`}: <q>{review.reason}</q>
    </p>
  );
}

function ReviewForm({ run, stands, onDone }: { run: string; stands: string; onDone: () => void }) {
  const [verdict, setVerdict] = useState(stands === "clean" ? "violation" : "clean");
  const [reason, setReason] = useState("");
  const [sending, setSending] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const ready = reason.trim() !== "" && verdict !== stands && !sending;
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (!ready) return;
    setSending(true);
    const refused = await reviewRun(run, verdict, reason.trim());
    setSending(false);
    setProblem(refused);
    if (refused === null) onDone();
  };
  return (
    <form class="review-form" aria-label="Review this verdict" onSubmit={(event) => void send(event)}>
      <span class="segmented" role="group" aria-label="Your verdict">
        {["clean", "suspicious", "violation"].map((value) => (
          <button key={value} type="button" aria-pressed={verdict === value} disabled={value === stands} title={value === stands ? "This is the verdict that stands" : integrityWord(value).means} onClick={() => setVerdict(value)}>{value}</button>
        ))}
      </span>
      <textarea
        aria-label="Reason" placeholder="Why? The author reads this, and it stays on record." rows={2} maxLength={4000} value={reason}
        onInput={(event) => setReason(event.currentTarget.value)} ref={(field) => { if (field !== null && field.dataset["seen"] === undefined) { field.dataset["seen"] = ""; field.focus(); } }}
      />
      {problem !== null && <p class="fail" role="alert"><b aria-hidden="true">■ </b>{problem}</p>}
      <span class="review-buttons">
        <button type="button" class="plain" onClick={onDone}>Keep as it is</button>
        <button type="submit" class="primary" disabled={!ready}>{sending ? "Sending" : "Overturn"}</button>
      </span>
    </form>
  );
}
