/** Calls of the assistant's API. */

import type { Files } from "../api";
import { call } from "../api";
import type { ChatEvent, Check, Conversation, Proposal, Provider } from "./types";

const part = encodeURIComponent;
const base = "/api/assistant";
const talk = (id: string): string => `${base}/conversations/${part(id)}`;

export interface ProviderIn {
  name: string;
  kind: "openai" | "anthropic";
  base_url: string;
  model: string;
  key: string;
  price_input: string | null;
  price_output: string | null;
}

export interface Choice {
  hunks: number[];
  /** The file as it is now; null: there is none. */
  current: string | null;
  /** By hunk: a person's text in the place of what it puts in. */
  own?: Record<number, string>;
  /** Where the file has changed meanwhile: both texts, between marks. */
  marks?: boolean;
}

export interface InView {
  file: string;
  graph: string;
  nodes: string[];
  run: string;
  selection: string;
}

export const assistantApi = {
  providers: () => call<{ providers: Provider[] }>("GET", `${base}/providers`),
  addProvider: (provider: ProviderIn) => call<Provider>("POST", `${base}/providers`, provider),
  removeProvider: (id: number) => call<null>("DELETE", `${base}/providers/${id}`),
  checkProvider: (id: number) => call<{ checks: Check[] }>("POST", `${base}/providers/${id}/check`),
  conversations: (slug: string) => call<{ conversations: Conversation[]; never_send: boolean; own_never_send: boolean }>("GET", `${base}/tasks/${part(slug)}/conversations`),
  begin: (slug: string, provider: number) => call<Conversation>("POST", `${base}/tasks/${part(slug)}/conversations`, { provider }),
  say: (id: string, said: { text: string; command: string; files: Files; device: string; view: InView }) => call<{ seq: number; state: string }>("POST", `${talk(id)}/messages`, said),
  events: (id: string, after: number) => call<{ events: ChatEvent[]; last: number; state: string }>("GET", `${talk(id)}/events?after=${after}&limit=200`),
  cancel: (id: string) => call<{ state: string }>("POST", `${talk(id)}/cancel`),
  remove: (id: string) => call<null>("DELETE", talk(id)),
  proposal: (id: number) => call<Proposal>("GET", `${base}/proposals/${id}`),
  accept: (id: number, choice: Choice) => call<{ text: string | null; syntax: string[] }>("POST", `${base}/proposals/${id}/accept`, choice),
  reject: (id: number, hunks: number[]) => call<Proposal>("POST", `${base}/proposals/${id}/reject`, { hunks }),
  agree: (host: string) => call<{ agrees: boolean }>("PUT", `${base}/consent`, { host, agrees: true }),
  neverSend: (slug: string, never: boolean) => call<unknown>("PUT", `${base}/tasks/${part(slug)}/marks`, { never_send: never }),
};
