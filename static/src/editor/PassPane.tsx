/** The pass: its files, their order of application, and whether they are saved. */

import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Message } from "../frame/Message";
import { Pane } from "../frame/Pane";
import { when } from "../format";
import { draft, files, flushDraft, openDraft, saveState } from "../workbench/draft";
import { compared, openExample } from "../workbench/filesets";
import { checked } from "../workbench/checks";
import { nextProblem, problems } from "../workbench/problems";
import { shown } from "../workbench/runs";
import { task } from "../workbench/session";
import { LanguageLine } from "../language/LanguageLine";
import { loginAddress, needsLogin } from "../lib/account";
import { keyLabel } from "../lib/keys";
import { valueOf } from "../lib/load";
import { tally } from "./annotations";
import { ConflictView } from "./ConflictView";
import { FileTabs } from "./FileTabs";
import { OrderList } from "./OrderList";
import { RevisionView } from "./RevisionView";

export function PassPane() {
  const failed = draft.value.status === "failed" ? draft.value : null;
  const conflict = saveState.value.kind === "conflict" ? saveState.value : null;
  return (
    <Pane id="pass" label="Pass" bar={<FileTabs />}>
      {failed !== null ? (
        <NoDraft message={failed.message} code={failed.code} />
      ) : (
        <>
          <div class="editor-area">
            <LazyEditor />
            {conflict === null && compared.value !== null && <RevisionView with={compared.value} />}
            {conflict !== null && <ConflictView theirs={conflict.files} version={conflict.version} />}
          </div>
          <OrderList />
          <PassFoot />
        </>
      )}
    </Pane>
  );
}

function NoDraft({ message, code }: { message: string; code: string }) {
  if (needsLogin(code)) return <Message title="Log in to write a pass" action={{ label: "Log in", run: () => location.assign(loginAddress()) }}>Drafts and runs belong to an account. The graphs can be read without one.</Message>;
  return <Message title="The draft could not be loaded" tone="fail" action={{ label: "Try again", run: () => void openDraft() }}>{message}</Message>;
}

function LazyEditor() {
  const [loaded, setLoaded] = useState<{ host: ComponentType } | { problem: string } | null>(null);
  const load = (): void => {
    setLoaded(null);
    import("./EditorHost").then(
      (module) => setLoaded({ host: module.default }),
      (problem: unknown) => setLoaded({ problem: String(problem) }),
    );
  };
  useEffect(load, []);
  if (loaded === null || draft.value.status !== "ready") return <EditorSkeleton />;
  if ("problem" in loaded) {
    return <Message title="The editor could not be loaded" tone="fail" action={{ label: "Try again", run: load }}>The connection may have dropped while it was on its way. Your files are safe.</Message>;
  }
  if (Object.keys(files.value).length === 0) return <Message title="No files">A pass is a Python file with pattern, replacement_args and replacement_func. Add one with + above.</Message>;
  const Host = loaded.host;
  return <Host />;
}

function EditorSkeleton() {
  return (
    <div class="editor-skeleton" aria-busy="true" role="status" aria-label="Loading the editor">
      {[38, 30, 0, 52, 61, 47, 55, 0, 40, 44].map((width, index) => <i key={index} style={{ width: `${width}%` }} />)}
    </div>
  );
}

function PassFoot() {
  const example = valueOf(task.value)?.has_example === true;
  return (
    <footer class="pane-foot">
      <SaveLine />
      <LanguageLine />
      <span class="spring" />
      {example && <button class="link" onClick={() => void openExample()}>Open the worked example</button>}
      <Problems />
    </footer>
  );
}

function Problems() {
  const all = problems.value;
  const text = tally(all);
  if (all.length === 0) return checked.value === null && shown.value === null ? null : <span class="faint">{text}</span>;
  const bad = all.some((marker) => marker.severity === "error");
  return (
    <button class={`link problems ${bad ? "fail" : "warn"}`} title={`Go to the next one  ${keyLabel("f8")}`} onClick={nextProblem}>
      <b aria-hidden="true">{bad ? "■" : "▲"} </b>{text}
    </button>
  );
}

function SaveLine() {
  const state = saveState.value;
  if (draft.value.status !== "ready") return <span class="faint">loading</span>;
  const text = {
    saved: () => (state.kind === "saved" && state.at !== null ? `saved ${when(state.at)}` : "new draft"),
    pending: () => "saving soon",
    saving: () => "saving",
    offline: () => "offline, kept in this browser",
    failed: () => `not saved, kept in this browser: ${state.kind === "failed" ? state.message : ""}`,
    conflict: () => "saved elsewhere: choose a version",
  }[state.kind]();
  const bad = state.kind === "offline" || state.kind === "failed" || state.kind === "conflict";
  return (
    <span class={`save-line ${state.kind === "failed" ? "fail" : bad ? "warn" : "faint"}`} role="status" title={bad ? text : undefined}>
      {bad && <b aria-hidden="true">▲ </b>}{text}
      {state.kind === "failed" && needsLogin(state.code) && <a class="link" href={loginAddress()} target="_blank">Log in</a>}
      {(state.kind === "offline" || state.kind === "failed") && <button class="link" onClick={() => void flushDraft()}>Try now</button>}
    </span>
  );
}
