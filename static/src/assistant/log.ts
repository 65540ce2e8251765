/** From a conversation's log to what is shown of it. Pure: a reload that reads the log again shows the same. */

import type { ChatEvent } from "./types";

export type Item =
  | { kind: "person"; seq: number; text: string }
  | { kind: "answer"; seq: number; text: string; problem: string; model: string; prompts: string }
  | { kind: "tool"; seq: number; id: string; name: string; arguments: string; result: string | null; ok: boolean; doing: string }
  | { kind: "proposal"; seq: number; proposal: number; name: string }
  | { kind: "note"; seq: number; text: string; tone: "fail" | "faint" };

export interface ChatView {
  items: Item[];
  /** The answer that is being written. */
  writing: string;
  running: boolean;
  input: number;
  output: number;
  /** Of some answer the tokens were not counted by the endpoint. */
  estimated: boolean;
  /** null: of some answer the price is not known. */
  cost: number | null;
  currency: string;
}

export const EMPTY: ChatView = { items: [], writing: "", running: false, input: 0, output: 0, estimated: false, cost: 0, currency: "" };

const text = (value: unknown): string => (typeof value === "string" ? value : "");
const count = (value: unknown): number => (typeof value === "number" ? value : 0);

export function take(view: ChatView, event: ChatEvent): ChatView {
  const { kind, payload, seq } = event;
  const add = (item: Item): ChatView => ({ ...view, items: [...view.items, item] });
  switch (kind) {
    case "message":
      return takeMessage(view, seq, payload);
    case "delta":
      return { ...view, writing: view.writing + text(payload["text"]) };
    case "waits":
      return add({ kind: "note", seq, tone: "faint", text: `${text(payload["why"])} Asking again in ${count(payload["seconds"])} s.` });
    case "doing":
      return { ...view, items: amend(view.items, (item) => item.kind === "tool" && item.result === null, (item) => ({ ...item, doing: text(payload["what"]) })) };
    case "proposal":
      return add({ kind: "proposal", seq, proposal: count(payload["proposal"]), name: text(payload["name"]) });
    case "usage": {
      const cost = payload["cost"] === null || view.cost === null ? null : view.cost + Number(payload["cost"]);
      return {
        ...view, cost, currency: text(payload["currency"]), input: view.input + count(payload["input"]), output: view.output + count(payload["output"]),
        estimated: view.estimated || payload["estimated"] === true,
      };
    }
    case "state": {
      const running = payload["state"] === "running";
      const why = text(payload["message"]);
      const next = why === "" ? view : add({ kind: "note", seq, tone: "fail", text: why });
      return { ...next, running, writing: running ? view.writing : "" };
    }
    default:
      return view;
  }
}

function takeMessage(view: ChatView, seq: number, message: Record<string, unknown>): ChatView {
  if (message["role"] === "user") return { ...view, items: [...view.items, { kind: "person", seq, text: text(message["shown"]) }] };
  if (message["role"] === "tool") {
    const id = message["tool_call_id"];
    const done = (item: Item): Item => (item.kind === "tool" ? { ...item, result: text(message["content"]), ok: message["ok"] === true, doing: "" } : item);
    return { ...view, items: amend(view.items, (item) => item.kind === "tool" && item.id === id && item.result === null, done) };
  }
  const said = text(message["content"]);
  const items: Item[] = said === "" && text(message["problem"]) === "" ? [] : [{ kind: "answer", seq, text: said, problem: text(message["problem"]), model: text(message["model"]), prompts: labels(message["prompts"]) }];
  const calls = Array.isArray(message["tool_calls"]) ? (message["tool_calls"] as { id: string; function: { name: string; arguments: string } }[]) : [];
  for (const call of calls) items.push({ kind: "tool", seq, id: call.id, name: call.function.name, arguments: call.function.arguments, result: null, ok: true, doing: "" });
  return { ...view, writing: "", items: [...view.items, ...items] };
}

/** "chat 1, optimise 1": which versions of the prompts an answer came from. */
function labels(prompts: unknown): string {
  if (!Array.isArray(prompts)) return "";
  return (prompts as { name: string; version: number }[]).map(({ name, version }) => `${name} ${version}`).join(", ");
}

/** Changes the last item that fits. */
function amend(items: Item[], fits: (item: Item) => boolean, change: (item: Item) => Item): Item[] {
  const at = items.findLastIndex(fits);
  return at < 0 ? items : items.map((item, index) => (index === at ? change(item) : item));
}

/** "12,340 tokens in, 512 out · 0.0123 USD"; says what is estimated and what is not known. */
export function usageWords({ input, output, estimated, cost, currency }: ChatView): string {
  if (input === 0 && output === 0) return "";
  const tokens = `${input.toLocaleString("en")} tokens in, ${output.toLocaleString("en")} out${estimated ? " (partly estimated)" : ""}`;
  return `${tokens} · ${cost === null ? "cost not known: no price was entered" : `${cost.toPrecision(3)} ${currency}`}`;
}
