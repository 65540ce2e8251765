/** Which real subgraphs get slower under the compiler, by how much, and why. */

import { useEffect, useRef } from "preact/hooks";
import { plural, when } from "../format";
import { Message } from "../frame/Message";
import { Notices } from "../frame/Notices";
import { Palette } from "../frame/Palette";
import { loginAddress, needsLogin } from "../lib/account";
import { comboOf, inTextField } from "../lib/keys";
import { valueOf } from "../lib/load";
import { dialog, openDialog } from "../workbench/dialogs";
import { fileAddress, isFiltered, NOTHING, PAGE } from "./address";
import { slowerCommands, slowerPlaces } from "./commands";
import { Filters } from "./Filters";
import { Overview } from "./Overview";
import { chosen, choose, load, page, waiting } from "./store";
import { Table } from "./Table";
import type { SlowerPage } from "./types";
import { contextName } from "./words";

export function Slower() {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    void load();
    const key = (event: KeyboardEvent): void => {
      if (comboOf(event) === "mod+k") openDialog({ kind: "palette" });
      else if (event.key === "/" && !inTextField(event.target) && !event.ctrlKey && !event.metaKey) field.current?.select();
      else return;
      event.preventDefault();
    };
    window.addEventListener("keydown", key);
    return () => window.removeEventListener("keydown", key);
  }, []);
  const now = page.value;
  const found = valueOf(now);
  const filtered = isFiltered(chosen.value);
  return (
    <div class="catalogue slower">
      <div class="catalogue-search">
        <input
          ref={field} type="search" value={chosen.value.q} placeholder="Name, model or operator" aria-label="Search graphs" spellcheck={false}
          onInput={(event) => choose({ q: event.currentTarget.value }, true)} onKeyDown={(event) => { if (event.key === "Escape") choose({ q: "" }); }}
        />
        <kbd>/</kbd>
        <span class="faint number" role="status">{found?.context == null ? "" : filtered ? `${found.total.toLocaleString("en-US")} of ${plural(found.graphs, "graph")}` : plural(found.graphs, "graph")}{waiting.value ? " …" : ""}</span>
        {filtered && <button class="link" onClick={() => choose({ q: "", values: NOTHING })}>Clear</button>}
        <span class="spring" />
        {found?.context != null && <ContextChoice found={found} />}
        {found?.context != null && <span class="slower-files"><a class="link" href={fileAddress(chosen.value, "csv")} download title="The figures of all graphs that fit, one row for each graph and way">CSV</a> <a class="link" href={fileAddress(chosen.value, "json")} download title="The same as JSON">JSON</a></span>}
      </div>
      <Filters state={now.status} facets={found?.facets ?? {}} values={chosen.value.values} onChange={(values) => choose({ values })} />
      <div class="task-list slower-list" id="graphs" role="region" aria-label="Graphs under the compiler" aria-busy={waiting.value} tabIndex={0}>
        {now.status === "loading" && <div class="table-skeleton" aria-busy="true" role="status" aria-label="Loading the figures">{Array.from({ length: 20 }, (_, row) => <i key={row} />)}</div>}
        {now.status === "failed" && <Message title="The figures could not be loaded" tone="fail" action={needsLogin(now.code) ? { label: "Log in", run: () => location.assign(loginAddress()) } : now.code === "unknown_context" ? { label: "Show what there is", run: () => choose({ context: "" }) } : { label: "Try again", run: () => void load() }}>{now.message}</Message>}
        {found !== null && found.context === null && <Nothing />}
        {found?.context != null && <Measured found={found} />}
      </div>
      {dialog.value?.kind === "palette" && <Palette commands={slowerCommands(found, () => field.current?.focus())} places={slowerPlaces(found)} />}
      <Notices />
    </div>
  );
}

/** Figures of different machines, versions or compilers are never put together: one context at a time. */
function ContextChoice({ found }: { found: SlowerPage }) {
  return (
    <select class="slower-context" aria-label="Measured on" title={`${contextName(found.context!)}; ${found.context!.hardware}`} value={found.context!.key} onChange={(event) => choose({ context: event.currentTarget.value })}>
      {found.contexts.map((one) => <option key={one.key} value={one.key}>{contextName(one)}</option>)}
    </select>
  );
}

function Measured({ found }: { found: SlowerPage }) {
  const context = found.context!;
  const { offset } = chosen.value;
  return (
    <>
      <p class="slower-about">
        <b>{contextName(context)}</b> <span class="faint">{context.hardware}; newest figure {when(context.measured_at)}. Every ratio is eager / compiler of medians from one interleaved session; <b>slower</b> means that its whole 95 % interval lies below 1. No pass is compared here.</span>
      </p>
      {found.total === 0 ? (
        <Message title="No graph fits" action={{ label: "Clear search and filters", run: () => choose({ q: "", values: NOTHING }) }}>Every word has to occur in a graph's name, model or operators, and every chosen operator has to be in it.</Message>
      ) : (
        <>
          <Overview found={found} />
          <Table found={found} />
          {found.total > PAGE && <Pages total={found.total} offset={offset} />}
        </>
      )}
    </>
  );
}

function Pages({ total, offset }: { total: number; offset: number }) {
  const go = (to: number): void => {
    choose({ offset: to });
    document.querySelector("#slower-table")?.scrollIntoView({ block: "start" });
  };
  return (
    <nav class="slower-pages" aria-label="Pages of the list">
      <button class="plain" disabled={offset === 0} onClick={() => go(Math.max(0, offset - PAGE))}>Previous {PAGE}</button>
      <span class="number">{(offset + 1).toLocaleString("en-US")} to {Math.min(total, offset + PAGE).toLocaleString("en-US")} of {total.toLocaleString("en-US")}</span>
      <button class="plain" disabled={offset + PAGE >= total} onClick={() => go(offset + PAGE)}>Next {PAGE}</button>
    </nav>
  );
}

function Nothing() {
  return (
    <div class="place idle slower-nothing" role="status">
      <h2>No compiler was measured yet</h2>
      <p>This page shows on which graphs Inductor is slower than eager, by each way of timing, and why. It needs figures:</p>
      <ul>
        <li>On this machine's CPU: the button <i>Measure eager and Inductor on this machine</i> of any <a class="link" href="/">task</a>.</li>
        <li>On a machine with a GPU, by all ways, then brought here:
          <pre>python -m evaluator baseline TASK_DIR --device cuda --json &gt; h200.jsonl{"\n"}.venv/bin/python manage.py import_baselines h200.jsonl</pre>
        </li>
      </ul>
    </div>
  );
}
