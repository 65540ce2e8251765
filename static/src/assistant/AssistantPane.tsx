/** The assistant in the dock: what was said, what the model does now, what it proposes; and a field to say something. */

import { useEffect, useRef, useState } from "preact/hooks";
import { Message } from "../frame/Message";
import { needsLogin } from "../lib/account";
import { slug } from "../workbench/session";
import { AttemptLine, AutopilotForm, isAttempt } from "./Autopilot";
import type { Item } from "./log";
import { usageWords } from "./log";
import { Checked, NoProvider, ProviderButtons, ProviderForm } from "./ProviderForm";
import { ProposalView } from "./ProposalView";
import {
  adding, agree, asksConsent, cancel, chat, chooseProvider, connection, conversations, current, follow, leave, loadProviders, neverSend, openAssistant, provider,
  providers, removeConversation, say, sending, setNeverSend,
} from "./store";

const COMMANDS: [string, string, string][] = [
  ["explain", "/explain", "what the open code and the graph do"],
  ["fix", "/fix", "find what is wrong and put it right"],
  ["optimise", "/optimise", "make it faster, keep it right"],
  ["why_no_match", "why no match?", "why the pattern does not match this graph"],
  ["why_slower", "why slower?", "why it is slower than Inductor"],
];

export function AssistantPane() {
  useEffect(() => void openAssistant(), [slug.value]);
  const all = providers.value;
  if (all.status === "loading") return <div class="table-skeleton" aria-busy="true" role="status" aria-label="Loading the assistant">{[0, 1, 2].map((row) => <i key={row} />)}</div>;
  if (all.status === "failed" && needsLogin(all.code)) return <Message title="No assistant">It works for people with an account. Log in to use it.</Message>;
  if (all.status === "failed") return <Message title="The assistant could not be loaded" tone="fail" action={{ label: "Try again", run: () => void loadProviders().then(openAssistant) }}>{all.message}</Message>;
  if (adding.value) return <div class="scroll"><ProviderForm /></div>;
  const now = provider();
  if (now === null) return <div class="scroll"><NoProvider /></div>;
  return (
    <div class="chat">
      <div class="chat-bar">
        <select aria-label="Model" value={now.id} disabled={chat.value.running} onChange={(event) => chooseProvider(Number(event.currentTarget.value))}>
          {all.value.map((one) => <option key={one.id} value={one.id}>{one.name} · {one.model}</option>)}
        </select>
        <select aria-label="Conversation" value={current.value ?? ""} onChange={(event) => (event.currentTarget.value === "" ? leave() : follow(event.currentTarget.value))}>
          <option value="">new conversation</option>
          {conversations.value.map((one) => <option key={one.id} value={one.id}>{one.title || "untitled"}</option>)}
        </select>
        <ProviderButtons provider={now} />
        <span class="spring" />
        {(connection.value === "stale" || connection.value === "reconnecting") && current.value !== null && <span class="tag">{connection.value}</span>}
        {current.value !== null && <button class="link" disabled={chat.value.running} title="Delete this conversation with all that was said in it" onClick={() => void removeConversation()}>delete</button>}
        <label class="chat-mark" title="Nothing of this task goes to a model while this is set"><input type="checkbox" checked={neverSend.value.own} onChange={(event) => void setNeverSend(event.currentTarget.checked)} /> never send</label>
      </div>
      <Checked provider={now} />
      <AttemptLine />
      <Said />
      {asksConsent.value !== null && <Consent host={asksConsent.value.host} />}
      {neverSend.value.any ? <p class="chat-note">This task is marked “never send”{neverSend.value.own ? "" : " for everybody here"}: nothing of it goes to a model.</p> : <Ask />}
    </div>
  );
}

function Said() {
  const end = useRef<HTMLDivElement>(null);
  const view = chat.value;
  const length = view.items.length + view.writing.length;
  useEffect(() => {
    const box = end.current?.parentElement;
    // Whoever has scrolled up to read is left there.
    if (box != null && box.scrollHeight - box.scrollTop - box.clientHeight < 120) box.scrollTop = box.scrollHeight;
  }, [length]);
  return (
    <div class="scroll chat-said" role="log" aria-label="Conversation" tabIndex={0}>
      {view.items.length === 0 && !view.running && <p class="faint">It sees this task, your files, the selection and the shown run. It edits a copy: you decide about each change.</p>}
      {view.items.map((item, index) => <ItemView key={index} item={item} />)}
      {view.writing !== "" && <div class="chat-answer writing">{view.writing}</div>}
      {view.running && view.writing === "" && <p class="faint" role="status">at work …</p>}
      <div ref={end} />
    </div>
  );
}

function ItemView({ item }: { item: Item }) {
  switch (item.kind) {
    case "person":
      return <div class="chat-person">{item.text}</div>;
    case "answer":
      return (
        <div class="chat-answer" title={`${item.model} · prompts ${item.prompts}`}>
          {item.text}
          {item.problem !== "" && <p class="fail"><span aria-hidden="true">■ </span>{item.problem}</p>}
        </div>
      );
    case "tool":
      return (
        <details class="chat-tool">
          <summary><code>{item.name}</code> <span class={item.result === null || item.ok ? "faint" : "warn"}>{item.result === null ? item.doing || "at work …" : item.ok ? firstLine(item.result) : `refused: ${firstLine(item.result)}`}</span></summary>
          <pre>{item.arguments}</pre>
          {item.result !== null && <pre>{item.result}</pre>}
        </details>
      );
    case "proposal":
      return <ProposalView id={item.proposal} name={item.name} />;
    case "note":
      return <p class={item.tone}>{item.tone === "fail" && <span aria-hidden="true">■ </span>}{item.text}</p>;
  }
}

const firstLine = (text: string): string => text.split("\n", 1)[0]!.slice(0, 160);

function Consent({ host }: { host: string }) {
  return (
    <div class="chat-consent" role="alertdialog" aria-label="Consent">
      <p>The graphs, your files and the results of this task would be sent to <b>{host}</b>. What happens to them there is up to whoever runs it.</p>
      <button class="primary" onClick={() => void agree()}>{asksConsent.value?.text === null ? "Agree" : "Agree and send"}</button>
      <button class="plain" onClick={() => (asksConsent.value = null)}>Do not send</button>
    </div>
  );
}

function Ask() {
  const [text, setText] = useState("");
  const [plans, setPlans] = useState(false);
  const view = chat.value;
  const works = isAttempt();
  const busy = (view.running && !works) || sending.value;
  const send = (command = ""): void => {
    if (busy || (text.trim() === "" && command === "")) return;
    void say(text, command).then((sent) => {
      if (sent) setText("");
    });
  };
  return (
    <div class="chat-ask">
      <div class="chat-commands">
        {!works && COMMANDS.map(([command, label, what]) => <button key={command} class="link" disabled={busy} title={what} onClick={() => send(command)}>{label}</button>)}
        {!works && <button class="link" disabled={busy} aria-expanded={plans} title="Let it work by itself within a budget" onClick={() => setPlans(!plans)}>autopilot</button>}
        <span class="spring" />
        <span class="faint number">{usageWords(view)}</span>
      </div>
      {plans && !works && <AutopilotForm goal={text} onClose={(begun) => { setPlans(false); if (begun) setText(""); }} />}
      <div class="chat-field">
        <textarea
          aria-label="Say something to the assistant" placeholder={works ? "Steer: it reads this with its next step" : "Ask, or say what to change  (Enter sends, Shift Enter is a new line)"} rows={2} value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
            event.preventDefault();
            send();
          }}
        />
        {view.running && !works ? <button class="plain" onClick={cancel}>Stop</button> : <button class="primary" disabled={sending.value || text.trim() === ""} onClick={() => send()}>Send</button>}
      </div>
    </div>
  );
}
