/** Under the drawing: what the text in the editor matches, while it is typed; a near miss with its quick fixes. */

import { signal } from "@preact/signals";
import { plural } from "../format";
import { isBoolean, remember, remembered } from "../lib/storage";
import { files } from "../workbench/draft";
import { showNodes } from "../graph/show";
import { graphName, graphNames, side } from "../workbench/session";
import { placeOfNearMiss } from "../run/locate";
import type { NearMiss } from "../events";
import { tell } from "../lib/hub";
import { applyFix, fixesNow } from "./fixes";
import { askedFiles, live } from "./live";
import { answerInView, missInView } from "./overlay";
import type { LiveState } from "./state";
import { isEarlier, tally } from "./state";

const open = signal(remembered("liveMiss", true, isBoolean));

function toggle(): void {
  open.value = !open.value;
  remember("liveMiss", open.value);
}

export function LiveMatch() {
  const state = live.value;
  const miss = missInView.value;
  const earlier = answerInView.value !== null && isEarlier(state, answerInView.value);
  const shown = miss !== null && !earlier && side.value === "before"; // its nodes are those of the graph before
  return (
    <div class="live-match">
      {shown && open.value && <MissCard />}
      <p class="live-line" role="status" aria-live="polite">
        <Line state={state} />
        <span class="spring" />
        {shown && (
          <button class="link" aria-expanded={open.value} aria-label={open.value ? "Hide the near miss" : "Show the near miss"} onClick={toggle}>{open.value ? "Hide" : "Why?"}</button>
        )}
      </p>
    </div>
  );
}

function Line({ state }: { state: LiveState }) {
  const answer = answerInView.value;
  if (state.offline !== null) return <span class="faint" title={state.offline}><b aria-hidden="true">○ </b>{state.offline}</span>;
  if (state.problem !== null) {
    const message = `Not matched: ${state.problem.message}`;
    return (
      <>
        <span class="warn live-problem" title={message}><b aria-hidden="true">▲ </b>{message}</span>
        {answer !== null && <span class="tag stale" title="The marks are those of the last text that could be matched">of an earlier text</span>}
      </>
    );
  }
  if (answer === null) return <span class="faint" title={whyNone(state)}><b aria-hidden="true">○ </b>{whyNone(state)}</span>;
  const { hit, answered } = tally(state);
  const graphs = graphNames.value.length;
  const all = answered > 0 && graphs > 1 ? <span class="faint"> · {hit} of {answered < graphs && state.done < state.asked ? `${answered} graphs so far` : plural(answered, "graph")}</span> : null;
  if (answer.matches > 0) {
    return <><span class="correct"><b aria-hidden="true">● </b>{answer.matches === 1 ? "Matches once" : `Matches ${answer.matches} times`}</span>{all}<Notes notes={answer.notes} /></>;
  }
  const miss = missInView.value;
  const leaks = miss !== null && miss.leaks.length > 0 && miss.matched.length === miss.pattern_size;
  const fit = miss === null ? "" : leaks ? ": all fit, but a value is used elsewhere" : `: ${miss.matched.length} of ${plural(miss.pattern_size, "node")} fit`;
  return <><span class="fail"><b aria-hidden="true">■ </b>No match{fit}</span>{all}</>;
}

/** What the author should know besides: a function that is not written yet, operands that were swapped. */
function Notes({ notes }: { notes: readonly string[] }) {
  if (notes.length === 0) return null;
  return <span class="faint live-problem" title={notes.join("\n")}>{` · ${notes[0]}`}{notes.length > 1 && ` and ${notes.length - 1} more`}</span>;
}

function whyNone(state: LiveState): string {
  const graph = graphName.value ?? "";
  if (Object.hasOwn(state.unreadable, graph)) return `Nothing can be matched on this graph: ${state.unreadable[graph]}`;
  if (state.asked === 0) return "Matches show here while you type.";
  return state.done === state.asked ? "This task has too much code to match this graph while you type; a run does." : "Matching";
}

/** The essence of the miss, small enough to leave the drawing in sight: both sides, what differs, how to mend it. */
function MissCard() {
  const miss = missInView.value;
  const graph = graphName.value;
  if (miss === null || graph === null) return null;
  const fixes = fixesNow(miss, askedFiles.value, files.value);
  return (
    <div class="live-miss" tabIndex={0} role="group" aria-label="Near miss of the text in the editor" title={miss.message}>
      {miss.pattern_code === null && miss.graph_code === null ? <p>{miss.message}</p> : <Sides miss={miss} graph={graph} />}
      {miss.differences.map((difference) => (
        <p key={difference.argument} class="live-difference mono">
          <span class="faint">{difference.argument}</span> <span>{difference.expected}</span> <span class="faint">in the pattern,</span> <b class="fail">{difference.found}</b> <span class="faint">in the graph</span>
        </p>
      ))}
      {miss.leaks.map((leak) => (
        <p key={leak.node}>
          <b class="warn" aria-hidden="true">▲ </b><NodeLink graph={graph} node={leak.node} /> (<span class="mono">{leak.pattern_node}</span>) is also used by{" "}
          {leak.users.map((user, index) => <span key={user}>{index > 0 && ", "}<NodeLink graph={graph} node={user} /></span>)}
        </p>
      ))}
      {fixes.length > 0 && (
        <p class="live-fixes">
          {fixes.map((fix) => <button key={fix.title} class="plain" title={fix.title} onClick={() => applyFix(miss, fix)}>{fix.title}</button>)}
        </p>
      )}
    </div>
  );
}

function Sides({ miss, graph }: { miss: NearMiss; graph: string }) {
  const place = placeOfNearMiss(miss, files.value);
  const pattern = miss.pattern_code ?? "nothing";
  const found = miss.graph_code ?? "nothing here";
  return (
    <dl class="live-sides">
      <dt>pattern</dt>
      <dd class="mono">{place === null ? pattern : <button class="link" title={pattern} onClick={() => tell("revealPlace", place)}>{pattern}</button>}</dd>
      <dt>graph</dt>
      <dd class="mono">{miss.graph_node === null ? found : <button class="link" title={found} onClick={() => showNodes(graph, [miss.graph_node!])}>{found}</button>}</dd>
    </dl>
  );
}

function NodeLink({ graph, node }: { graph: string; node: string }) {
  return <button class="link mono" onClick={() => showNodes(graph, [node])}>{node}</button>;
}
