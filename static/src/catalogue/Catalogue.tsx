/** The tasks: search on top, facets left, one row each. */

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { SavedSearch, TaskRow } from "../api";
import { plural, shortDtype } from "../format";
import { Message } from "../frame/Message";
import { Notices } from "../frame/Notices";
import { Palette } from "../frame/Palette";
import { loginAddress, needsLogin } from "../lib/account";
import { comboOf, inTextField } from "../lib/keys";
import { onReturn } from "../lib/reach";
import { dialog, openDialog } from "../workbench/dialogs";
import { readAddress, writeAddress } from "./address";
import type { Doing } from "./commands";
import { catalogueCommands, taskPlaces } from "./commands";
import { Facets } from "./Facets";
import type { Problem } from "./query";
import { HELP, knownValues, parse } from "./query";
import type { Filter, Sort } from "./search";
import { facets, FACETS, fits, isFiltered, namesakes, nextSort, NOTHING, sorted } from "./search";
import { SavedSearches } from "./SavedSearches";
import { loadSearches } from "./searches";
import { load, searchFor, tasks, watchForMore } from "./store";
import { Columns, Row, SkeletonRows } from "./Row";

const NONE: TaskRow[] = [];

export function Catalogue() {
  const first = useMemo(() => readAddress(location.search), []);
  const [filter, setFilter] = useState<Filter>(first.filter);
  const [sort, setSort] = useState<Sort | null>(first.sort);
  const [at, setAt] = useState(0);
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    void load();
    void loadSearches();
    const off = onReturn(() => {
      if (tasks.value.status === "failed") void load();
      void loadSearches();
    });
    const key = (event: KeyboardEvent): void => {
      if (comboOf(event) === "mod+k") {
        event.preventDefault();
        openDialog({ kind: "palette" });
      }
      if (event.key !== "/" || inTextField(event.target) || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      field.current?.focus();
      field.current?.select();
    };
    window.addEventListener("keydown", key);
    return () => {
      off();
      window.removeEventListener("keydown", key);
    };
  }, []);
  const now = tasks.value;
  const all = now.status === "ready" ? now.value.tasks : NONE;
  const known = useMemo(() => knownValues(all), [all]);
  const query = useMemo(() => parse(filter.query, known), [filter.query, known]);
  const same = useMemo(() => namesakes(all), [all]);
  const found = useMemo(() => sorted(all.filter((task) => fits(task, filter, query)), sort), [all, filter, query, sort]);
  const sides = useMemo(() => facets(all, filter), [all, filter]);
  useEffect(() => {
    const next = writeAddress(filter, sort);
    if (next !== location.search) history.replaceState(null, "", `${location.pathname}${next}`);
  }, [filter, sort]);
  useEffect(watchForMore, []);
  useEffect(() => searchFor(query.words), [query, now]);
  const current = Math.min(at, Math.max(0, found.length - 1));
  const change = (next: Partial<Filter>): void => {
    setFilter({ ...filter, ...next });
    setAt(0);
  };
  const go = (index: number): void => {
    const to = Math.max(0, Math.min(found.length - 1, index));
    setAt(to);
    list.current?.querySelectorAll<HTMLElement>("tr.task")[to]?.scrollIntoView({ block: "nearest" });
  };
  const key = (event: KeyboardEvent): void => {
    const onControl = event.target instanceof HTMLElement && event.target.matches(".drawing-link, button, summary");
    const onRow = event.target instanceof HTMLElement && event.target.matches("tr.task .task-name a");
    if (event.key === "ArrowDown") go(current + 1);
    else if (event.key === "ArrowUp") go(current - 1);
    else if (event.key === "Enter" && !onRow && !onControl && found[current]) location.href = `/tasks/${encodeURIComponent(found[current].slug)}/`;
    else if (event.key === "Escape" && event.target === field.current) change({ query: "" });
    // The field has the focus from the start: its shortcut pressed there is no text.
    else if (event.key !== "/" || event.target !== field.current || filter.query !== "") return;
    event.preventDefault();
    if (onRow) list.current?.querySelectorAll<HTMLElement>("tr.task .task-name a")[event.key === "ArrowDown" ? Math.min(found.length - 1, current + 1) : Math.max(0, current - 1)]?.focus();
  };
  const mark = ({ start, end }: Problem): void => {
    field.current?.focus();
    field.current?.setSelectionRange(start, end);
  };
  const total = now.status === "ready" ? now.value.total : 0;
  const address = isFiltered(filter) || sort !== null ? writeAddress(filter, sort) : "";
  const openSearch = (search: SavedSearch): void => {
    const wanted = readAddress(search.address);
    change(wanted.filter);
    setSort(wanted.sort);
  };
  const doing: Doing = { filtered: address !== "", open: openSearch, clear: () => change(NOTHING), sort: (by) => setSort(nextSort(sort, by)), focusSearch: () => field.current?.focus() };
  return (
    <div class="catalogue">
      <div class="catalogue-search" onKeyDown={key}>
        <input
          ref={field} type="search" value={filter.query} placeholder="Search by name, operator or dtype; has:cat dtype:bf16 size:>10" aria-label="Search tasks" spellcheck={false} autoFocus
          aria-controls="tasks" aria-describedby="search-problem" onInput={(event) => change({ query: event.currentTarget.value })}
        />
        <kbd>/</kbd>
        <SearchHelp />
        <span class="faint number" role="status">{now.status === "ready" ? counted(found.length, all.length, total, isFiltered(filter)) : ""}</span>
        <span class="warn search-problem" id="search-problem" role="status">
          {query.problems.map((problem) => (
            <button key={problem.start} class="link" title={`${problem.message}\nClick to select it`} onClick={() => mark(problem)}><span aria-hidden="true">▲ </span>{problem.message}</button>
          ))}
        </span>
        {isFiltered(filter) && <button class="link" onClick={() => change(NOTHING)}>Clear</button>}
        <span class="faint keys"><kbd>↑</kbd> <kbd>↓</kbd> choose <kbd>Enter</kbd> open</span>
      </div>
      <Facets state={now.status} facets={sides} chosen={filter.chosen} onChange={(chosen) => change({ chosen })} saved={<SavedSearches address={address} proposal={proposal(filter)} onOpen={openSearch} />} />
      <div class="task-list" id="tasks" ref={list} onKeyDown={key} role="region" aria-label="Tasks" tabIndex={-1}>
        {now.status === "loading" && <SkeletonRows />}
        {now.status === "failed" && <Message title="The tasks could not be loaded" tone="fail" action={needsLogin(now.code) ? { label: "Log in", run: () => location.assign(loginAddress()) } : { label: "Try again", run: () => void load() }}>{now.message}</Message>}
        {now.status === "ready" && all.length === 0 && query.words.length === 0 && (
          <Message title="No tasks yet">
            A task is a folder of graphs that one pass must handle. Load the shipped ones with <code>.venv/bin/python manage.py load_catalogue</code>, or your own with <code>.venv/bin/python manage.py import_graphs PATH</code>.
          </Message>
        )}
        {now.status === "ready" && found.length === 0 && (all.length > 0 || query.words.length > 0) && (
          <Message title="No task fits" action={{ label: "Clear search and filters", run: () => change(NOTHING) }}>Every word has to occur in a task's name, operators or dtypes, and every chosen operator has to be in its graphs.</Message>
        )}
        {found.length > 0 && (
          <table class="tasks" aria-label="Tasks">
            <Columns sort={sort} onSort={(by) => setSort(nextSort(sort, by))} />
            <tbody>{found.map((task, index) => <Row key={task.slug} task={task} namesake={same.get(task.slug) ?? null} current={index === current} onFocus={() => setAt(index)} />)}</tbody>
          </table>
        )}
      </div>
      {dialog.value?.kind === "palette" && <Palette commands={catalogueCommands(doing)} places={taskPlaces(all)} />}
      <Notices />
    </div>
  );
}

/** "rsqrt, f16": the words and the chosen values. */
function proposal({ query, chosen }: Filter): string {
  return [query.trim(), ...FACETS.flatMap((name) => chosen[name].map((value) => (name === "dtypes" ? shortDtype(value) : value)))].filter(Boolean).join(", ").slice(0, 60);
}

/** "3 of 16 tasks"; while the page does not hold all that the server has, how many of those there are it knows. */
function counted(found: number, loaded: number, total: number, filtered: boolean): string {
  if (loaded < total) return filtered ? `${plural(found, "task")} among ${loaded.toLocaleString("en-US")} of ${total.toLocaleString("en-US")}` : `${loaded.toLocaleString("en-US")} of ${plural(total, "task")}`;
  return filtered ? `${found} of ${plural(loaded, "task")}` : plural(loaded, "task");
}

function SearchHelp() {
  return (
    <details class="search-help" onKeyDown={(event) => { if (event.key === "Escape") event.currentTarget.open = false; }}>
      <summary aria-label="What can be typed here" title="What can be typed here">?</summary>
      <dl>
        {HELP.map(([word, means]) => <div key={word}><dt><code>{word}</code></dt><dd>{means}</dd></div>)}
      </dl>
    </details>
  );
}
