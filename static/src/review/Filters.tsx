/** What the queue is narrowed to. Every value stands in the address; counts say what each would leave. */

import type { Ref } from "preact";
import { valueOf } from "../lib/load";
import type { Filter } from "./address";
import { isFiltered } from "./address";
import { chosen, choose, clear, counts, showView, waiting } from "./store";
import type { Counts } from "./types";
import { STATES } from "./words";

export function Filters({ field }: { field: Ref<HTMLInputElement> }) {
  const found = valueOf(counts.value);
  const { filters, view } = chosen.value;
  return (
    <div class="review-filters" role="search" aria-label="Filter the queue">
      <span class="segmented" role="group" aria-label="View">
        <button aria-pressed={view === "clusters"} title="One row for each cause (v)" onClick={() => showView("clusters")}>Causes</button>
        <button aria-pressed={view === "list"} title="One row for each submission (v)" onClick={() => showView("list")}>Submissions</button>
      </span>
      <input
        ref={field} type="search" value={filters.q ?? ""} placeholder="Cause, task or author" aria-label="Search the queue" spellcheck={false}
        onInput={(event) => choose({ q: event.currentTarget.value }, true)}
        onKeyDown={(event) => { if (event.key === "Escape") { choose({ q: "" }); event.currentTarget.blur(); } }}
      />
      <select aria-label="State" value={filters.state ?? ""} onChange={(event) => choose({ state: event.currentTarget.value })}>
        {STATES.map(([key, word]) => <option key={key} value={key}>{word}{stateCount(found, key)}</option>)}
      </select>
      <Facet name="group" label="Cause" found={found} words={(value) => found?.groups.find((one) => one.key === value)?.name ?? value} />
      {(filters.group ?? "") !== "" && <Facet name="kind" label="Kind" found={found} words={(value) => found?.groups.find((one) => one.key === filters.group)?.kinds[value] ?? value.replaceAll("_", " ")} />}
      <Facet name="author" label="Author" found={found} words={(value) => value} />
      <Facet name="device" label="Device" found={found} words={(value) => (value === "none" ? "not evaluated" : value)} />
      <Facet name="assignee" label="Assigned to" found={found} words={(value) => (value === found?.me ? `${value} (you)` : value)} />
      <Facet name="label" label="Label" found={found} words={(value) => value} />
      {(["task", "signature", "mentions"] as const).filter((name) => (filters[name] ?? "") !== "").map((name) => (
        <button key={name} class="plain review-chip" title={`Do not narrow to this ${CHIPS[name]} any more`} onClick={() => choose({ [name]: "" })}>{CHIPS[name]}{name === "task" ? <> <bdi>{filters.task}</bdi></> : ""} <span aria-hidden="true">×</span></button>
      ))}
      <span class="faint number" role="status">{found === null ? "" : `${found.total.toLocaleString("en-US")} ${found.total === 1 ? "item" : "items"}`}{waiting.value ? " …" : ""}</span>
      {isFiltered(filters) && <button class="link" onClick={clear}>Clear</button>}
    </div>
  );
}

const CHIPS = { task: "task", signature: "one cause", mentions: "mentions you" } as const;

function stateCount(found: Counts | null, key: string): string {
  if (found === null) return "";
  const all = Object.values(found.states).reduce((sum, count) => sum + count, 0);
  const count = key === "any" ? all : key === "decided" ? all - (found.states[""] ?? 0) : (found.states[key] ?? 0);
  return ` (${count.toLocaleString("en-US")})`;
}

function Facet({ name, label, found, words }: { name: Filter; label: string; found: Counts | null; words: (value: string) => string }) {
  const value = chosen.value.filters[name] ?? "";
  const values = found?.facets[name] ?? [];
  if (values.length === 0 && value === "") return null;
  const known = values.some((one) => one.value === value);
  return (
    <select aria-label={label} class={value === "" ? "" : "chosen"} value={value} onChange={(event) => choose(name === "group" ? { group: event.currentTarget.value, kind: "" } : { [name]: event.currentTarget.value })}>
      <option value="">{label}: all</option>
      {value !== "" && !known && <option value={value}>{words(value)} (0)</option>}
      {values.map((one) => <option key={one.value} value={one.value}>{words(one.value)} ({one.count.toLocaleString("en-US")})</option>)}
    </select>
  );
}
