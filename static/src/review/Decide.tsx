/** The bar at the bottom: one key for each decision, on the item, on a whole cause, on what is marked or on all that fit. */

import { signal } from "@preact/signals";
import { valueOf } from "../lib/load";
import { act, busy, change, decide, makeCase, runAgain, scope, scopes, undo, wantedScope } from "./acts";
import type { Scope } from "./acts";
import { drafts, typed } from "./drafts";
import { counts, load, mayReview } from "./store";
import type { Item } from "./types";
import { DECISIONS } from "./words";

const label = signal("");
const device = signal("");

export function Decide({ item }: { item: Item }) {
  const found = valueOf(counts.value);
  if (!mayReview.value) return <p class="review-bar faint">Reviewers decide. You may read and comment{item.decision === "" ? "" : `; decided: ${DECISIONS.find((one) => one.key === item.decision)?.done ?? item.decision}`}.</p>;
  const one = scope.value;
  const barred = one.scope === "item" && !item.may_decide;
  const devices = found?.devices ?? [];
  const chosenDevice = devices.includes(device.value) ? device.value : (devices[0] ?? "");
  const putLabel = async (remove: boolean): Promise<void> => {
    if (label.value.trim() !== "" && (await change({ what: remove ? "unlabel" : "label", value: label.value }))) label.value = "";
  };
  return (
    <div class="review-bar" role="toolbar" aria-label="Decide">
      <label class="review-scope">on <select aria-label="What is decided on" value={one.scope} onChange={(event) => (wantedScope.value = event.currentTarget.value as Scope)}>{scopes.value.map((entry) => <option key={entry.scope} value={entry.scope}>{entry.words}</option>)}</select></label>
      <input id="review-reason" class="review-reason" aria-label="Reason" placeholder="Reason; the author reads it" maxLength={4000} value={drafts.value[item.id]?.reason ?? ""} onInput={(event) => typed(item.id, "reason", event.currentTarget.value)} onKeyDown={(event) => { if (event.key === "Escape") event.currentTarget.blur(); }} />
      {DECISIONS.map((entry) => (
        <button key={entry.key} class={item.decision === entry.key && one.scope === "item" ? "primary" : "plain"} aria-pressed={item.decision === entry.key && one.scope === "item"} disabled={busy.value || barred} title={barred ? "This is your own work, or of a model that you brought in: another reviewer decides." : `${entry.means} (${entry.keys})`} onClick={() => void decide(entry.key)}>{entry.word} <kbd>{entry.keys}</kbd></button>
      ))}
      {item.decision !== "" && <button class="plain" disabled={busy.value || barred} onClick={() => void decide("")}>Open again</button>}
      <button class="plain" disabled={found?.undo == null} title={found?.undo == null ? "You have done nothing here that could be undone" : "Take back your newest step (u)"} onClick={() => void undo()}>Undo <kbd>u</kbd></button>
      <span class="review-more-acts">
        <form onSubmit={(event) => { event.preventDefault(); void putLabel(false); }}>
          <input id="review-label" list="review-labels" aria-label="Label" placeholder="Label" maxLength={40} size={10} value={label.value} onInput={(event) => (label.value = event.currentTarget.value)} />
          <datalist id="review-labels">{(found?.facets["label"] ?? []).map((entry) => <option key={entry.value} value={entry.value} />)}</datalist>
          <button class="plain" type="submit" title="Put this label on (l)">Put on</button>
          <button class="plain" type="button" title="Take this label off" onClick={() => void putLabel(true)}>Take off</button>
        </form>
        <button class="plain" title="Assign to yourself (a)" onClick={() => void change({ what: "assign", value: "me" })}>Assign to me <kbd>a</kbd></button>
        {item.assignee !== null && <button class="plain" title="Assign to nobody" onClick={() => void change({ what: "assign", value: "" })}>To nobody</button>}
        <span class="spring" />
        {devices.length > 0 && <select aria-label="Device" value={chosenDevice} onChange={(event) => (device.value = event.currentTarget.value)}>{devices.map((name) => <option key={name}>{name}</option>)}</select>}
        {one.scope === "item" ? <button class="plain" disabled={item.task === null || chosenDevice === ""} title={item.task === null ? "The graphs of this task are not here" : "Judge these files again, now (r)"} onClick={() => void runAgain(chosenDevice)}>Run again <kbd>r</kbd></button>
          : <button class="plain" disabled={chosenDevice === ""} title="Have those judged that were only imported, behind people" onClick={() => void act({ what: "evaluate", value: chosenDevice }).then(() => load())}>Evaluate imports</button>}
        <button class="plain" disabled={item.run === null && item.task === null} title="A case that the harness is tried with: manage.py check_cases" onClick={() => void makeCase()}>Regression case</button>
      </span>
    </div>
  );
}
