/** The left side: causes with how many share them, or submissions one by one, however many there are. */

import { useEffect, useRef } from "preact/hooks";
import { plural, when } from "../format";
import { Message } from "../frame/Message";
import { loginAddress, needsLogin } from "../lib/account";
import { VirtualList } from "../lib/VirtualList";
import { isFiltered } from "./address";
import { chosen, clear, clusters, following, load, mark, marked, mayReview, more, open, openCluster, openId, order, rows, showView, waiting } from "./store";
import type { Cluster, Row } from "./types";
import { causeName, DECISIONS, groupLook } from "./words";

const ROW = 52;

export function List() {
  const box = useRef<HTMLDivElement>(null);
  const { view } = chosen.value;
  const now = view === "list" ? rows.value : clusters.value;
  const at = view === "clusters" ? order.value.indexOf(openCluster.value?.first ?? -1) : order.value.indexOf(openId.value ?? -1);
  useEffect(() => {
    const list = box.current?.querySelector<HTMLElement>(".virtual");
    if (list == null || at < 0) return;
    if (at * ROW < list.scrollTop) list.scrollTop = at * ROW;
    else if ((at + 1) * ROW > list.scrollTop + list.clientHeight) list.scrollTop = (at + 1) * ROW - list.clientHeight;
  }, [at, view]);
  return (
    <div ref={box} class="review-list" aria-busy={waiting.value}>
      {now.status === "loading" && <div class="table-skeleton" role="status" aria-label="Loading the queue">{Array.from({ length: 14 }, (_, row) => <i key={row} />)}</div>}
      {now.status === "failed" && <Message title="The queue could not be loaded" tone="fail" action={needsLogin(now.code) ? { label: "Log in", run: () => location.assign(loginAddress()) } : now.code === "unknown_state" ? { label: "Show open items", run: clear } : { label: "Try again", run: () => void load() }}>{now.message}</Message>}
      {now.status === "ready" && now.value.length === 0 && <Empty />}
      {view === "clusters" && clusters.value.status === "ready" && clusters.value.value.length > 0 && <Clusters all={clusters.value.value} />}
      {view === "list" && rows.value.status === "ready" && rows.value.value.length > 0 && <Rows all={rows.value.value} />}
    </div>
  );
}

function Empty() {
  if (isFiltered(chosen.value.filters)) return <Message title="No item fits" action={{ label: "Clear the filters", run: clear }}>Every word has to occur in the cause, the task or the author's name.</Message>;
  return <Message title="Nothing waits for a review">Submissions come here by themselves when a run fails, is slower than eager on a GPU or is flagged, and when an imported file can not be evaluated. Of work that was there before: <code>manage.py fill_reviews</code>.</Message>;
}

function Clusters({ all }: { all: readonly Cluster[] }) {
  return (
    <VirtualList label="Causes, those of most submissions first" count={all.length} rowHeight={ROW} row={(index) => {
      const one = all[index]!;
      const look = groupLook(one.group);
      const current = openCluster.value?.signature === one.signature;
      return (
        <div key={one.signature} role="listitem" class={`review-row${current ? " current" : ""}`}>
          <button class="review-pick" aria-current={current} onClick={() => open(one.first)} onDblClick={() => showView("list", { signature: one.signature })} title={`${one.text}\nEnter: show them one by one`} onKeyDown={(event) => { if (event.key === "Enter" && current) showView("list", { signature: one.signature }); }}>
            <span class="review-head"><span class={look.tone} aria-hidden="true">{look.glyph}</span> <b>{causeName(one)}</b><span class="spring" /><span class="number review-count">{one.count.toLocaleString("en-US")}</span></span>
            <span class="review-text"><span class="words"><bdi>{one.text}</bdi></span><span class="faint">{plural(one.authors, "author")} · {when(one.newest)}</span></span>
          </button>
        </div>
      );
    }} />
  );
}

function Rows({ all }: { all: readonly Row[] }) {
  const count = all.length + (following.value === null ? 0 : 1);
  return (
    <VirtualList label="Submissions, the newest first" count={count} rowHeight={ROW} row={(index) => {
      const one = all[index];
      if (one === undefined) {
        void more();
        return <div key="more" role="listitem" class="review-row faint review-more">loading more …</div>;
      }
      const look = groupLook(one.group);
      const current = openId.value === one.id;
      const decided = DECISIONS.find((decision) => decision.key === one.decision);
      return (
        <div key={one.id} role="listitem" class={`review-row${current ? " current" : ""}`}>
          {mayReview.value && <input type="checkbox" aria-label={`Mark item ${one.id}`} title="Mark it (x)" checked={marked.value.has(one.id)} onChange={() => mark(one.id)} />}
          <button class="review-pick" aria-current={current} onClick={() => open(one.id)} title={`${one.text}\n${one.task_name}`}>
            <span class="review-head"><span class={look.tone} aria-hidden="true">{look.glyph}</span> <b>{causeName(one)}</b><span class="spring" />{decided !== undefined && <span class="tag">{decided.done}</span>}{one.labels.map((label) => <span key={label} class="tag"><bdi>{label}</bdi></span>)}<span class="faint review-author"><bdi>{one.author}</bdi></span></span>
            <span class="review-text"><span class="words"><bdi>{one.task_name}</bdi></span><span class="faint number">{one.total > 0 ? `${one.failed}/${one.total} · ` : ""}{when(one.at)}</span></span>
          </button>
        </div>
      );
    }} />
  );
}
