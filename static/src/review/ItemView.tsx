/** The right side: one item, its evidence beside its code, what was said, and the bar to decide with. */

import { plural, when } from "../format";
import { Message } from "../frame/Message";
import { integrityWord, runStateWord } from "../vocabulary";
import { change } from "./acts";
import { CodeView } from "./CodeView";
import { Decide } from "./Decide";
import { Evidence } from "./Evidence";
import { runAddress, taskAddress } from "./places";
import { go, item, loadItem, mayReview, neighbour, open, openId, showView } from "./store";
import { Talk } from "./Talk";
import type { Item } from "./types";
import { causeName, DECISIONS, groupLook } from "./words";

export function ItemView() {
  const now = item.value;
  if (openId.value === null) return <div class="review-item" />;
  if (now.status === "failed") return <div class="review-item"><Message title="This item could not be loaded" tone="fail" action={now.code === "unknown_item" ? { label: "Show the first one", run: () => open(null) } : { label: "Try again", run: () => void loadItem() }}>{now.message}</Message></div>;
  if (now.status === "loading") return <div class="review-item"><div class="table-skeleton" role="status" aria-label="Loading the item">{Array.from({ length: 14 }, (_, row) => <i key={row} />)}</div></div>;
  const one = now.value;
  return (
    <div class="review-item" role="region" aria-label={`Item ${one.id}`}>
      <Head item={one} />
      <div class="review-sides-by" tabIndex={0} role="group" aria-label="Evidence and code">
        <div class="review-left"><Evidence item={one} /><Talk item={one} /></div>
        <CodeView item={one} />
      </div>
      <Decide item={one} />
    </div>
  );
}

function Head({ item: one }: { item: Item }) {
  const look = groupLook(one.group);
  const task = taskAddress(one);
  const run = runAddress(one);
  return (
    <header class="review-title">
      <h2><span class={look.tone} aria-hidden="true">{look.glyph}</span> {causeName(one)} <span class="faint number">{one.total > 0 ? `${one.failed} of ${plural(one.total, "graph")}` : ""}</span></h2>
      <span class="review-steps"><button class="plain" title="Previous (k)" disabled={neighbour(-1) === null} onClick={() => go(-1)}>Previous <kbd>k</kbd></button><button class="plain" title="Next (j)" disabled={neighbour(1) === null} onClick={() => go(1)}>Next <kbd>j</kbd></button></span>
      <p class="review-cause"><bdi>{one.text}</bdi> {one.cluster.count > 1 && <button class="link" onClick={() => showView("list", { signature: one.signature, state: "any" })}>the same for {plural(one.cluster.count, "submission")} of {plural(one.cluster.authors, "author")}</button>}</p>
      <p class="review-facts">
        <bdi>{one.author}</bdi> · {task === null ? <bdi class="mono">{one.task_name}</bdi> : <a class="link" href={task}><bdi>{one.task_name}</bdi></a>} · {one.device === "" ? "not evaluated" : one.device} · {when(one.at)}
        {run !== null && <> · <a class="link" href={run}>run</a></>}{one.submission !== null && <> · <a class="link" href={`/boards/submissions/${one.submission}/`}>imported submission</a></>}
        {one.run !== null && one.run.verdict !== "" && <> · <Verdict verdict={one.run.verdict} reviewed={one.run.reviewed} /></>}
        {one.assignee !== null && <> · assigned to <b><bdi>{one.assignee}</bdi></b></>}
        {one.labels.map((name) => <span key={name} class="tag"><bdi>{name}</bdi>{mayReview.value && <button class="icon" aria-label={`Take the label ${name} off`} onClick={() => void change({ what: "unlabel", value: name }, { items: [one.id] })}>×</button>}</span>)}
      </p>
      {one.decision !== "" && <p class="review-facts"><b>{DECISIONS.find((entry) => entry.key === one.decision)?.done ?? one.decision}</b>{one.decided_by !== null && <> by <bdi>{one.decided_by}</bdi></>}{one.decided_at !== null && <span class="faint"> {when(one.decided_at)}</span>}{one.duplicate_of !== null && <> of <button class="link" onClick={() => open(one.duplicate_of)}>item {one.duplicate_of}</button></>}{one.reason !== "" && <>: <q>{one.reason}</q></>}</p>}
      {one.rerun !== null && <p class="review-facts" role="status">Run again: <span class={runStateWord(one.rerun.state).tone}>{runStateWord(one.rerun.state).glyph} {runStateWord(one.rerun.state).text}</span>{one.rerun.correct !== null && `, correct on ${one.rerun.correct} of ${one.rerun.total ?? "?"}`}{one.rerun.verdict !== "" && `, ${integrityWord(one.rerun.verdict).text}`} {one.task !== null && <a class="link" href={`/tasks/${encodeURIComponent(one.task)}/?run=${one.rerun.id}`}>open</a>}</p>}
      {one.cases.map((entry) => <p key={entry.name} class="review-facts">Regression case <span class="mono">{entry.name}</span>: {entry.differences === null ? <span class="faint">not checked yet</span> : entry.differences.length === 0 ? <span class="correct">● the harness agrees</span> : <span class="warn">▲ {entry.differences.join("; ")}</span>}</p>)}
    </header>
  );
}

function Verdict({ verdict, reviewed }: { verdict: string; reviewed: string }) {
  const word = integrityWord(verdict);
  const after = reviewed === "" || reviewed === verdict ? null : integrityWord(reviewed);
  return <><span class={`status ${word.tone}${after === null ? "" : " struck"}`} title={word.means}>{word.glyph} {word.text}</span>{after !== null && <> → <span class={`status ${after.tone}`}>{after.glyph} {after.text}</span></>}</>;
}
