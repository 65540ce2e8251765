/** How to reach a model: what is needed when there is none yet, a form for one, and what the test of one said. */

import { useState } from "preact/hooks";
import { openDialog } from "../workbench/dialogs";
import { addProvider, adding, check, checks, removeProvider } from "./store";
import type { Provider } from "./types";

const EXAMPLES = {
  openai: "http://127.0.0.1:11434/v1",
  anthropic: "https://api.anthropic.com",
} as const;

export function NoProvider() {
  return (
    <div class="chat-empty">
      <h2>No model is set up</h2>
      <p>
        The assistant asks a model of yours: any server that speaks OpenAI's chat completions (vLLM, Ollama, llama.cpp's server, many commercial ones) or
        Anthropic's API. It sees the open task, edits a copy of your files, matches and evaluates it, and proposes what it made of them; you accept each change or not.
      </p>
      <p>
        <button class="primary" onClick={() => (adding.value = true)}>Set up a model</button>
      </p>
      <p class="faint">
        Without a model there is the drafter: select nodes on the graph and press <kbd>d</kbd>. It writes a pass with a Triton kernel for what it can fuse, always the same one.
      </p>
    </div>
  );
}

export function ProviderForm() {
  const [kind, setKind] = useState<"openai" | "anthropic">("openai");
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const given = new FormData(event.currentTarget as HTMLFormElement);
    const value = (name: string): string => String(given.get(name) ?? "").trim();
    setBusy(true);
    setProblem(await addProvider({
      name: value("name") || value("model"), kind, base_url: value("base_url"), model: value("model"), key: value("key"),
      price_input: value("price_input") || null, price_output: value("price_output") || null,
    }));
    setBusy(false);
  };
  return (
    <form class="chat-form" aria-label="Set up a model" autocomplete="off" onSubmit={(event) => void submit(event)}>
      <div class="segmented" role="group" aria-label="What the server speaks">
        <button type="button" aria-pressed={kind === "openai"} onClick={() => setKind("openai")}>OpenAI-compatible</button>
        <button type="button" aria-pressed={kind === "anthropic"} onClick={() => setKind("anthropic")}>Anthropic</button>
      </div>
      <label>Address<input name="base_url" type="url" required placeholder={EXAMPLES[kind]} /></label>
      <label>Model<input name="model" required placeholder="its name at that server" spellcheck={false} /></label>
      <label>Key<input name="key" type="password" autocomplete="new-password" placeholder="none, for a server of your own" /></label>
      <label>Name<input name="name" placeholder="the model's, if left empty" /></label>
      <label>USD for a million tokens in<input name="price_input" type="number" min="0" step="any" placeholder="not known" /></label>
      <label>and out<input name="price_output" type="number" min="0" step="any" placeholder="not known" /></label>
      <p class="faint">The key is stored encrypted and never shown again. The test that follows asks two short questions.</p>
      {problem !== null && <p class="fail" role="alert"><span aria-hidden="true">■ </span>{problem}</p>}
      <footer>
        <button class="primary" disabled={busy} aria-busy={busy}>Add and test</button>
        <button type="button" class="plain" onClick={() => (adding.value = false)}>Cancel</button>
      </footer>
    </form>
  );
}

const GLYPHS = { correct: "●", fail: "■", faint: "○" } as const;

/** The steps of the last test of a provider. */
export function Checked({ provider }: { provider: Provider }) {
  const found = checks.value[provider.id];
  if (found === undefined) return null;
  if (found.status === "loading") return <p class="chat-checks faint" role="status">Testing {provider.name} …</p>;
  if (found.status === "failed") return <p class="chat-checks fail" role="alert">■ {found.message}</p>;
  return (
    <ul class="chat-checks" aria-label={`Test of ${provider.name}`}>
      {found.value.map((one) => {
        const tone = one.ok === null ? "faint" : one.ok ? "correct" : "fail";
        return <li key={one.name}><span class={tone} aria-hidden="true">{GLYPHS[tone]}</span> <b>{one.name}</b> {one.ok === false && <span class="fail">failed: </span>}{one.message}</li>;
      })}
    </ul>
  );
}

export function ProviderButtons({ provider }: { provider: Provider }) {
  const remove = (): void => openDialog({
    kind: "confirm", title: `Remove ${provider.name}?`, confirm: "Remove it with its key",
    text: "Conversations with it are kept, but can not go on. What it used and cost stays on your account.", run: () => void removeProvider(provider.id),
  });
  return (
    <>
      <button class="link" title="Asks two short questions and says what is wrong" onClick={() => void check(provider.id)}>test</button>
      <button class="link" onClick={() => (adding.value = true)}>add</button>
      {provider.may_change && <button class="link" onClick={remove}>remove</button>}
    </>
  );
}
