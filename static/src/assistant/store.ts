/** The assistant of the open task: providers, the conversation in view and its log, what was proposed. */

import { signal } from "@preact/signals";
import { ApiError } from "../api";
import type { RunEvent } from "../events";
import type { Load } from "../lib/load";
import { failed, LOADING, ready, valueOf } from "../lib/load";
import { remember, remembered } from "../lib/storage";
import { selected } from "../graph/selection";
import type { Connection, Socket } from "../run/stream";
import { RunStream } from "../run/stream";
import { activeFile, files, removeFile, setFiles, setText } from "../workbench/draft";
import { notify } from "../workbench/notices";
import { device, shown } from "../workbench/runs";
import { graphName, slug } from "../workbench/session";
import type { ProviderIn } from "./api";
import { assistantApi } from "./api";
import type { ChatView } from "./log";
import { EMPTY, take } from "./log";
import type { ChatEvent, Check, Conversation, Proposal, Provider } from "./types";

export const providers = signal<Load<Provider[]>>(LOADING);
export const conversations = signal<Conversation[]>([]);
export const neverSend = signal<{ any: boolean; own: boolean }>({ any: false, own: false });
export const current = signal<string | null>(null);
export const chat = signal<ChatView>(EMPTY);
export const connection = signal<Connection>("closed");
export const chosen = signal<number | null>(remembered("assistant.provider", null, (value): value is number | null => value === null || typeof value === "number"));
export const proposals = signal<Record<number, Load<Proposal>>>({});
export const checks = signal<Record<number, Load<Check[]>>>({});
/** The host that the author has to agree to, and what was to be said to it; null: nothing, it is asked for again. */
export const asksConsent = signal<{ host: string; text: string | null; command: string } | null>(null);
export const sending = signal(false);
/** The form for a new provider, or null. */
export const adding = signal(false);

export const provider = (): Provider | null => {
  const all = valueOf(providers.value) ?? [];
  return all.find((one) => one.id === chosen.value) ?? all[0] ?? null;
};

const complain = (problem: unknown): void => notify(problem instanceof Error ? problem.message : String(problem), { tone: "fail" });

let stream: RunStream | null = null;
let opened = "";

/** Loads once for each task; called when the pane is first looked at. */
export async function openAssistant(): Promise<void> {
  if (opened === slug.value) return;
  opened = slug.value;
  await loadProviders();
  await loadConversations();
  const newest = conversations.value[0];
  if (newest !== undefined) follow(newest.id);
}

export async function loadProviders(): Promise<void> {
  try {
    providers.value = ready((await assistantApi.providers()).providers);
  } catch (problem) {
    opened = "";
    providers.value = failed(problem);
  }
}

export async function loadConversations(): Promise<void> {
  try {
    const found = await assistantApi.conversations(slug.value);
    conversations.value = found.conversations;
    neverSend.value = { any: found.never_send, own: found.own_never_send };
  } catch (problem) {
    complain(problem);
  }
}

export function chooseProvider(id: number): void {
  chosen.value = id;
  remember("assistant.provider", id);
  if (conversations.value.find((one) => one.id === current.value)?.provider !== id) leave();
}

/** Shows a conversation and follows its log. */
export function follow(id: string): void {
  leave();
  current.value = id;
  const asked = conversations.value.find((one) => one.id === id)?.provider;
  if (asked != null) chosen.value = asked;
  stream = new RunStream({
    // The same protocol as a run's log; only the events are others.
    events: async (after) => (await assistantApi.events(id, after)) as unknown as { events: RunEvent[]; last: number; state: string },
    open: () => new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws/assistant/${id}`) as unknown as Socket,
    onEvents: (events) => (chat.value = (events as unknown as ChatEvent[]).reduce(take, chat.value)),
    onState: () => undefined,
    onConnection: (now) => (connection.value = now),
    onEnd: () => undefined,
  });
  stream.start();
}

/** The next message begins a new conversation. */
export function leave(): void {
  stream?.stop();
  stream = null;
  current.value = null;
  chat.value = EMPTY;
}

/** True when it was sent. */
export async function say(text: string, command = "", graph = graphName.value ?? ""): Promise<boolean> {
  const to = provider();
  if (to === null || sending.value) return false;
  sending.value = true;
  try {
    if (current.value === null) {
      const made = await assistantApi.begin(slug.value, to.id);
      await loadConversations();
      follow(made.id);
    }
    const view = { file: activeFile.value, graph, nodes: [...selected.value].slice(0, 500), run: shown.value?.id ?? "", selection: "" };
    await assistantApi.say(current.value!, { text, command, files: files.value, device: device.value, view });
    stream?.nudge();
    return true;
  } catch (problem) {
    if (problem instanceof ApiError && problem.code === "consent_needed") asksConsent.value = { host: String(problem.body["host"]), text, command };
    else complain(problem);
    return false;
  } finally {
    sending.value = false;
  }
}

export async function agree(): Promise<boolean> {
  const asked = asksConsent.value;
  if (asked === null) return false;
  try {
    await assistantApi.agree(asked.host);
    asksConsent.value = null;
    return asked.text !== null && (await say(asked.text, asked.command));
  } catch (problem) {
    complain(problem);
    return false;
  }
}

export const cancel = (): void => void (current.value !== null && assistantApi.cancel(current.value).catch(complain));

export async function removeConversation(): Promise<void> {
  const id = current.value;
  if (id === null) return;
  try {
    await assistantApi.remove(id);
    leave();
    await loadConversations();
  } catch (problem) {
    complain(problem);
  }
}

export async function setNeverSend(never: boolean): Promise<void> {
  try {
    await assistantApi.neverSend(slug.value, never);
    await loadConversations();
  } catch (problem) {
    complain(problem);
  }
}

export async function addProvider(values: ProviderIn): Promise<string | null> {
  try {
    const made = await assistantApi.addProvider(values);
    await loadProviders();
    chooseProvider(made.id);
    adding.value = false;
    void check(made.id);
    return null;
  } catch (problem) {
    return problem instanceof Error ? problem.message : String(problem);
  }
}

export async function removeProvider(id: number): Promise<void> {
  try {
    await assistantApi.removeProvider(id);
    leave();
    await loadProviders();
  } catch (problem) {
    complain(problem);
  }
}

export async function check(id: number): Promise<void> {
  const put = (found: Load<Check[]>): void => void (checks.value = { ...checks.value, [id]: found });
  put(LOADING);
  try {
    put(ready((await assistantApi.checkProvider(id)).checks));
  } catch (problem) {
    put(failed(problem));
  }
}

const putProposal = (id: number, found: Load<Proposal>): void => void (proposals.value = { ...proposals.value, [id]: found });

export async function loadProposal(id: number): Promise<void> {
  if (proposals.value[id] !== undefined) return;
  putProposal(id, LOADING);
  try {
    putProposal(id, ready(await assistantApi.proposal(id)));
  } catch (problem) {
    putProposal(id, failed(problem));
  }
}

/** The server merges the hunks into the text as it is in the editor now, or says that they do not fit any more. */
export async function accept(proposal: Proposal, hunks: number[], more: { own?: Record<number, string>; marks?: boolean } = {}): Promise<void> {
  const before = files.value;
  try {
    const { text, syntax } = await assistantApi.accept(proposal.id, { hunks, current: before[proposal.name] ?? null, ...more });
    if ((files.value[proposal.name] ?? null) !== (before[proposal.name] ?? null)) {
      notify(`${proposal.name} was changed while the edit was on its way. Accept it again.`, { tone: "fail" });
      return;
    }
    if (text === null) removeFile(proposal.name);
    else if (Object.hasOwn(files.value, proposal.name)) setText(proposal.name, text);
    else setFiles({ ...files.value, [proposal.name]: text });
    if (text !== null) activeFile.value = proposal.name;
    if (more.marks === true && text !== null && text.includes("\n>>>>>>> proposed\n")) notify(`${proposal.name}: where you had changed the same lines, both texts stand between marks (<<<<<<<, >>>>>>>). Keep what you want of them.`);
    else if (syntax.length > 0) notify(`With this part alone the file does not parse: ${syntax[0]}`, { tone: "fail" });
    putProposal(proposal.id, ready(await assistantApi.proposal(proposal.id)));
  } catch (problem) {
    if (problem instanceof ApiError && problem.code === "conflict" && !proposal.is_removed) {
      notify(problem.message, { tone: "fail", action: { label: "Show both", run: () => void accept(proposal, hunks, { ...more, marks: true }) } });
      return;
    }
    complain(problem);
  }
}

export async function reject(proposal: Proposal, hunks: number[]): Promise<void> {
  try {
    putProposal(proposal.id, ready(await assistantApi.reject(proposal.id, hunks)));
  } catch (problem) {
    complain(problem);
  }
}
