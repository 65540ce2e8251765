/** Attempts without a person: the form that begins some, and the line of the one in view. */

import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { ApiError } from "../api";
import { notify } from "../workbench/notices";
import type { Attempt } from "./attemptWords";
import { attemptWords } from "./attemptWords";
import { attempts, beginAttempts, loadAttempts, wish } from "./attempts";
import { asksConsent, chat, current, follow, loadConversations, provider } from "./store";

const LOOK_MS = 2000;

/** What a person has put in; it stays when the form is drawn again, as after a question for consent. */
const budget = signal({ steps: 40, minutes: 60, count: 1, tokens: 0 });
const money = signal("");

export function AutopilotForm({ goal, onClose }: { goal: string; onClose: (begun: boolean) => void }) {
  const [busy, setBusy] = useState(false);
  const asked = provider();
  const priced = asked !== null && asked.price_input !== null && asked.price_output !== null ? asked.currency : "";
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const to = provider();
    if (to === null) return;
    setBusy(true);
    try {
      const made = await beginAttempts(to.id, goal, money.value === "" ? budget.value : { ...budget.value, cost: money.value });
      await loadConversations();
      if (made[0] !== undefined) follow(made[0].conversation);
      onClose(true);
    } catch (problem) {
      if (problem instanceof ApiError && problem.code === "consent_needed") asksConsent.value = { host: String(problem.body["host"]), text: null, command: "" };
      else notify(problem instanceof Error ? problem.message : String(problem), { tone: "fail" });
      setBusy(false);
    }
  };
  return (
    <form class="chat-autopilot" aria-label="Autopilot" onSubmit={(event) => void submit(event)}>
      <p class="faint">It works by itself from the files in the editor: edits a copy, matches, evaluates, keeps its best and proposes that at the end. {goal.trim() === "" ? "Write a goal first if you have one." : "Its goal is what you wrote."}</p>
      <label>steps <Amount name="steps" most={500} /></label>
      <label>minutes <Amount name="minutes" most={1440} /></label>
      <label>attempts <Amount name="count" most={8} /></label>
      <label title="Of each attempt, as the endpoint counts them; 0 is no limit">tokens <Amount name="tokens" least={0} most={1_000_000_000} /></label>
      {priced !== "" && <label title="Of each attempt, by the prices that you entered; empty is no limit">{priced} <input name="cost" type="number" min="0.000001" step="any" value={money.value} onInput={(event) => (money.value = event.currentTarget.value)} /></label>}
      <button class="primary" disabled={busy} aria-busy={busy}>Begin</button>
      <button type="button" class="plain" onClick={() => onClose(false)}>Cancel</button>
    </form>
  );
}

function Amount({ name, most, least = 1 }: { name: keyof typeof budget.value; most: number; least?: number }) {
  const take = (event: Event): void => {
    budget.value = { ...budget.value, [name]: Number((event.currentTarget as HTMLInputElement).value) };
  };
  return <input name={name} type="number" min={least} max={most} required value={budget.value[name]} onInput={take} />;
}

/** How the attempt in view is, with its buttons; nothing for an ordinary conversation. */
export function AttemptLine() {
  const found = attempts.value.find((one) => one.conversation === current.value);
  const open = found !== undefined && found.state !== "ended";
  const length = chat.value.items.length;
  useEffect(() => void loadAttempts(), [current.value, length]);
  useEffect(() => {
    if (!open) return undefined;
    const timer = setInterval(() => void loadAttempts(), LOOK_MS);
    return () => clearInterval(timer);
  }, [open]);
  return found === undefined ? null : <Line attempt={found} />;
}

function Line({ attempt }: { attempt: Attempt }) {
  const ended = attempt.state === "ended";
  return (
    <div class="chat-attempt" role="status" aria-label="Attempt">
      <span class="number">{attemptWords(attempt)}</span>
      {ended && attempt.message !== "" && <span class="faint">{attempt.message}</span>}
      <span class="spring" />
      {(attempt.state === "running" || attempt.state === "queued") && <button class="plain" disabled={attempt.wish !== ""} onClick={() => void wish(attempt, "pause")}>Pause</button>}
      {attempt.state === "paused" && <button class="plain" onClick={() => void wish(attempt, "resume")}>Resume</button>}
      {!ended && <button class="plain" onClick={() => void wish(attempt, "stop")}>Stop</button>}
    </div>
  );
}

/** Whether what is said in this conversation goes to a model at work. */
export const isAttempt = (): boolean => attempts.value.some((one) => one.conversation === current.value && one.state !== "ended");
