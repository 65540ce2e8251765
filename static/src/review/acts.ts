/** What reviewers do. A step that went through is said with the way to undo it; one that was refused says why. */

import { computed, signal } from "@preact/signals";
import { plural } from "../format";
import { valueOf } from "../lib/load";
import { isFinal } from "../vocabulary";
import { notify } from "../workbench/notices";
import type { Step, Target } from "./api";
import { reviewApi } from "./api";
import { drafts, flush, sent } from "./drafts";
import { chosen, counts, item, load, loadItem, marked, neighbour, open, openCluster, openId } from "./store";
import { stepWord } from "./words";

export type Scope = "item" | "marked" | "cluster" | "all";
const MOST = 5000;

/** What a reviewer has asked for by hand; null: what the view suggests. */
export const wantedScope = signal<Scope | null>(null);
export const busy = signal(false);

export const scopes = computed<readonly { scope: Scope; count: number; words: string }[]>(() => {
  const found: { scope: Scope; count: number; words: string }[] = [];
  const cluster = openCluster.value;
  const total = valueOf(counts.value)?.total ?? 0;
  if (marked.value.size > 0) found.push({ scope: "marked", count: marked.value.size, words: `${marked.value.size.toLocaleString("en-US")} marked` });
  if (cluster !== null && cluster.count > 1) found.push({ scope: "cluster", count: cluster.count, words: `all ${cluster.count.toLocaleString("en-US")} of this cause` });
  found.push({ scope: "item", count: 1, words: "this one" });
  if (chosen.value.view === "list" && total > 1 && total <= MOST) found.push({ scope: "all", count: total, words: `all ${total.toLocaleString("en-US")} that fit` });
  return found;
});

/** The scope in force. What is marked goes before the cause in view, and that before the one item. */
export const scope = computed(() => scopes.value.find((one) => one.scope === wantedScope.value) ?? scopes.value[0]!);

function target(): Target | null {
  const id = openId.value;
  const cluster = openCluster.value;
  switch (scope.value.scope) {
    case "marked": return { items: [...marked.value] };
    case "cluster": return cluster === null ? null : { all: { ...chosen.value.filters, signature: cluster.signature } };
    case "all": return { all: chosen.value.filters };
    case "item": return id === null ? null : { items: [id] };
  }
}

/** Does a step to what is in scope; true when it went through. */
export async function act(step: Step, on: Target | null = target()): Promise<boolean> {
  if (on === null || busy.value) return false;
  busy.value = true;
  try {
    const done = await reviewApi.step(step, on);
    const what = step.what === "decide" ? (step.decision === "" ? "open" : step.decision!) : step.what;
    if (step.what === "evaluate") notify(`${plural(done.items, "evaluation")} more wanted, behind people`);
    else notify(`${stepWord(what)}: ${plural(done.items, "item")}`, { action: { label: "Undo", run: () => void undo() } });
    return true;
  } catch (problem) {
    notify(problem instanceof Error ? problem.message : String(problem), { tone: "fail" });
    return false;
  } finally {
    busy.value = false;
  }
}

/** Decides and goes on to the next one. The reason that was typed is sent with it, and stays where it is refused. */
export async function decide(decision: string): Promise<void> {
  const id = openId.value;
  if (id === null) return;
  const next = decision === "" ? id : (neighbour(1) ?? neighbour(-1));
  if (!(await act({ what: "decide", decision, reason: drafts.value[id]?.reason ?? "" }))) {
    document.querySelector<HTMLElement>("#review-reason")?.focus();
    return;
  }
  sent(id, "reason");
  marked.value = new Set();
  wantedScope.value = null;
  if (next !== null) open(next);
  await load();
}

/** Labels, assigns, notes: the open item stays open. */
export async function change(step: Step, on?: Target | null): Promise<boolean> {
  const done = await act(step, on === undefined ? target() : on);
  if (done) await load();
  return done;
}

export async function undo(): Promise<void> {
  try {
    const done = await reviewApi.undo();
    notify(`Undone: ${stepWord(done.what)}, ${plural(done.items.length, "item")}`);
    const first = done.items[0];
    await load();
    if (first !== undefined && done.items.length === 1) open(first);
  } catch (problem) {
    notify(problem instanceof Error ? problem.message : String(problem), { tone: "fail" });
  }
}

/** Runs something about the open item, and shows the item as it is then. */
async function about(run: (id: number) => Promise<string>): Promise<boolean> {
  const id = openId.value;
  if (id === null) return false;
  try {
    const words = await run(id);
    if (words !== "") notify(words);
    await loadItem();
    return true;
  } catch (problem) {
    notify(problem instanceof Error ? problem.message : String(problem), { tone: "fail" });
    return false;
  }
}

export const saveNote = async (id: number, text: string): Promise<void> => {
  await flush(id);
  if (await change({ what: "note", value: text }, { items: [id] })) sent(id, "note");
};

export const say = async (id: number, text: string): Promise<void> => {
  if (await about(async () => (await reviewApi.comment(id, text), ""))) sent(id, "comment");
};

export const takeBack = (comment: number): Promise<boolean> => about(async (id) => (await reviewApi.withdraw(id, comment), "The comment was taken back"));
export const makeCase = (): Promise<boolean> => about(async (id) => `Regression case ${(await reviewApi.makeCase(id, drafts.value[id]?.reason ?? "")).name}`);

const ASK_MS = 2000;

export async function runAgain(device: string): Promise<void> {
  if (!(await about(async (id) => (await reviewApi.rerun(id, device), "The files run again; the result comes here")))) return;
  const id = openId.value;
  const ask = async (): Promise<void> => {
    const now = valueOf(item.value);
    if (openId.value !== id || now?.rerun == null || isFinal(now.rerun.state)) return;
    await loadItem();
    setTimeout(() => void ask(), ASK_MS);
  };
  setTimeout(() => void ask(), ASK_MS);
}
