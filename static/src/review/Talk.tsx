/** What people say about an item: the reviewers' note, comments, and everything that was done, the newest first. */

import { plural, when } from "../format";
import { say, saveNote, takeBack } from "./acts";
import { showPlace } from "./code";
import { drafts, saving, typed } from "./drafts";
import { pieces } from "./links";
import { graphAddress } from "./places";
import type { Item } from "./types";
import { stepWord } from "./words";

export function Talk({ item }: { item: Item }) {
  const draft = drafts.value[item.id] ?? {};
  const note = draft.note ?? item.note;
  const comment = draft.comment ?? "";
  return (
    <section class="review-talk" aria-label="Notes and comments">
      {item.may_review && (
        <form aria-label="Note" onSubmit={(event) => { event.preventDefault(); void saveNote(item.id, note); }}>
          <label for="review-note">Note <span class="faint">reviewers read it, authors do not</span></label>
          <textarea id="review-note" rows={2} maxLength={20000} value={note} onInput={(event) => typed(item.id, "note", event.currentTarget.value)} />
          {note !== item.note && <button class="plain" type="submit">Save the note</button>}
        </form>
      )}
      <div aria-label="Comments" role="group">
        {item.comments.map((one) => (
          <div key={one.id} class="review-comment">
            <p><b><bdi>{one.author}</bdi></b> <span class="faint">{when(one.at)}</span>{one.mine && !one.withdrawn && <> <button class="link" onClick={() => void takeBack(one.id)}>Take back</button></>}</p>
            <p class="said">{one.withdrawn ? <span class="faint">taken back</span> : <Said item={item} text={one.text} />}</p>
          </div>
        ))}
      </div>
      <form aria-label="Comment" onSubmit={(event) => { event.preventDefault(); if (comment.trim() !== "") void say(item.id, comment); }}>
        <label for="review-comment">Comment <span class="faint">@name, A.py:12 and graph:name become links; a click on a line's number names it</span></label>
        <textarea
          id="review-comment" rows={2} maxLength={10000} value={comment} onInput={(event) => typed(item.id, "comment", event.currentTarget.value)}
          onKeyDown={(event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); event.currentTarget.form?.requestSubmit(); } }}
        />
        <span class="review-sends">
          <button class="plain" type="submit" disabled={comment.trim() === ""}>Comment</button>
          <span class={saving.value === "here" ? "warn" : "faint"} role="status">{Object.values(draft).some((text) => text !== "") ? SAVING[saving.value] : ""}</span>
        </span>
      </form>
      {item.reviews.map((one, index) => <p key={index} class="review-comment">Verdict {one.before} → {one.verdict} by <b><bdi>{one.reviewer}</bdi></b>: <q>{one.reason}</q></p>)}
      {item.steps.length > 0 && (
        <details>
          <summary>{plural(item.steps.length, "step")} on record</summary>
          <ol>{item.steps.map((one, index) => <li key={index} class={one.undone ? "faint" : ""}><bdi>{one.who}</bdi> {stepWord(one.what)} <span class="faint">{when(one.at)}{one.undone ? ", undone" : ""}</span></li>)}</ol>
        </details>
      )}
    </section>
  );
}

const SAVING = { "": "", saving: "keeping the draft …", saved: "draft kept", here: "▲ draft kept in this browser only: the server does not answer" } as const;

function Said({ item, text }: { item: Item; text: string }) {
  const graphs = item.graphs.map((graph) => graph.name);
  return <>{pieces(text, item.files, graphs).map((piece, index) => {
    if (piece.kind === "person") return <b key={index}>{piece.text}</b>;
    if (piece.kind === "line") return <button key={index} class="link mono" onClick={() => showPlace(piece.file, piece.line)}>{piece.text}</button>;
    const address = piece.kind === "graph" ? graphAddress(item, piece.graph) : null;
    return address === null ? <span key={index}>{piece.text}</span> : <a key={index} class="link mono" href={address}>{piece.text}</a>;
  })}</>;
}
