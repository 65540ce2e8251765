/** An edit that was proposed: its hunks, each to be taken or left. */

import { useEffect, useState } from "preact/hooks";
import { plural } from "../format";
import { accept, loadProposal, proposals, reject } from "./store";
import type { Hunk, Proposal } from "./types";

export function ProposalView({ id, name }: { id: number; name: string }) {
  useEffect(() => void loadProposal(id), [id]);
  const found = proposals.value[id];
  if (found === undefined || found.status === "loading") return <div class="chat-proposal" aria-busy="true"><header><code>{name}</code> <span class="faint">loading the edit</span></header></div>;
  if (found.status === "failed") return <div class="chat-proposal"><header><code>{name}</code> <span class="fail">{found.message}</span></header></div>;
  return <Loaded proposal={found.value} />;
}

function Loaded({ proposal }: { proposal: Proposal }) {
  const open = proposal.hunks.filter((hunk) => hunk.decision === null);
  const numbers = (proposal.is_removed ? proposal.hunks : open).map((hunk) => hunk.number);
  const what = proposal.is_new ? "new file" : proposal.is_removed ? "to be removed" : plural(proposal.hunks.length, "change");
  return (
    <section class="chat-proposal" aria-label={`Proposed edit of ${proposal.name}`}>
      <header>
        <code>{proposal.name}</code> <span class="faint">{what}</span>
        <span class="spring" />
        {proposal.problem === "" && open.length > 0 && (
          <>
            <button class="plain" onClick={() => void accept(proposal, numbers)}>Accept {open.length > 1 ? `all ${open.length}` : ""}</button>
            <button class="plain" onClick={() => void reject(proposal, numbers)}>Reject</button>
          </>
        )}
      </header>
      {proposal.problem !== "" && <p class="fail"><span aria-hidden="true">■ </span>Not offered, because it does not parse: {proposal.problem}</p>}
      {proposal.hunks.map((hunk) => <HunkView key={hunk.number} proposal={proposal} hunk={hunk} alone={proposal.hunks.length === 1} />)}
    </section>
  );
}

function HunkView({ proposal, hunk, alone }: { proposal: Proposal; hunk: Hunk; alone: boolean }) {
  const [own, setOwn] = useState<string | null>(null);
  const open = hunk.decision === null && !proposal.is_removed && proposal.problem === "";
  const place = hunk.first === hunk.last ? `after line ${hunk.first}` : `lines ${hunk.first + 1}–${hunk.last}`;
  return (
    <div class={`chat-hunk ${hunk.decision ?? ""}`}>
      <div class="chat-hunk-bar">
        <span class="faint">{place}</span>
        <span class="spring" />
        {hunk.decision !== null && <span class={hunk.decision === "accepted" ? "correct" : "faint"}>{hunk.decision === "accepted" ? "● accepted" : "○ rejected"}</span>}
        {open && own === null && <button class="link" onClick={() => setOwn(hunk.new.join(""))}>edit first</button>}
        {open && own === null && !alone && (
          <>
            <button class="link" onClick={() => void accept(proposal, [hunk.number])}>accept</button>
            <button class="link" onClick={() => void reject(proposal, [hunk.number])}>reject</button>
          </>
        )}
      </div>
      <pre>
        {hunk.old.map((line, index) => <div key={`-${index}`} class="gone">- {line.replace(/\n$/, "")}</div>)}
        {own === null && hunk.new.map((line, index) => <div key={`+${index}`} class="come">+ {line.replace(/\n$/, "")}</div>)}
      </pre>
      {open && own !== null && (
        <form class="chat-own" onSubmit={(event) => { event.preventDefault(); void accept(proposal, [hunk.number], { own: { [hunk.number]: own } }).then(() => setOwn(null)); }}>
          <textarea aria-label={`Your text for ${place}`} rows={Math.min(20, own.split("\n").length + 1)} value={own} spellcheck={false} onInput={(event) => setOwn(event.currentTarget.value)} ref={(box) => { if (box !== null && document.activeElement !== box && box.dataset["met"] === undefined) { box.dataset["met"] = ""; box.focus(); } }} />
          <button class="plain">Accept this text</button>
          <button type="button" class="link" onClick={() => setOwn(null)}>as proposed</button>
        </form>
      )}
    </div>
  );
}
