/** Which tasks fit the query and the chosen facets, in which order. Pure; the page holds the tasks, so each key answers at once. */

import type { TaskRow } from "../api";
import type { Query } from "./query";
import { facetName, fitsQuery, inductorState, parse, resultState } from "./query";

export const FACETS = ["operators", "dtypes", "family", "kind", "benchmark", "domain", "size", "example", "result", "inductor"] as const;
export type FacetName = (typeof FACETS)[number];
export type Chosen = Record<FacetName, readonly string[]>;

export interface Filter {
  query: string;
  chosen: Chosen;
}

export const NOTHING: Filter = { query: "", chosen: { operators: [], dtypes: [], family: [], kind: [], benchmark: [], domain: [], size: [], example: [], result: [], inductor: [] } };

interface Kind {
  title: string;
  values(task: TaskRow): readonly string[];
  /** Values that are there to choose even where no task has them, in this order. */
  fixed?: readonly string[];
  /** All chosen values must be there, not one of them. */
  all?: true;
}

const SIZES: readonly (readonly [string, number])[] = [["1–4", 4], ["5–9", 9], ["10–24", 24], ["25–99", 99], ["100 or more", Infinity]];

export const KINDS: Record<FacetName, Kind> = {
  operators: { title: "Operators", values: (task) => task.operators.map((operator) => operator.label), all: true },
  dtypes: { title: "Dtypes", values: (task) => task.dtypes },
  family: { title: "Models", values: (task) => task.facets.family ?? [] },
  kind: { title: "Cut by", values: (task) => task.facets.kind ?? [] },
  benchmark: { title: "Benchmark of", values: (task) => task.facets.benchmark ?? [] },
  domain: { title: "Domain", values: (task) => (task.facets.domain ?? []).map((value) => facetName("domain", value)) },
  size: { title: "Operators in a graph", values: sizesOf, fixed: SIZES.map(([name]) => name) },
  example: { title: "Examples", values: (task) => [...(task.has_example ? ["worked example"] : []), ...(task.examples.length > 0 ? ["example run"] : [])], fixed: ["worked example", "example run"], all: true },
  result: { title: "Best result", values: (task) => [resultState(task)], fixed: ["correct", "fails", "not run"] },
  inductor: { title: "Inductor on this machine", values: (task) => [inductorState(task)], fixed: ["slower", "not slower", "not measured"] },
};

function sizesOf({ size }: TaskRow): string[] {
  if (size === null) return [];
  return SIZES.filter(([, high], index) => size.most > (SIZES[index - 1]?.[1] ?? 0) && size.least <= high).map(([name]) => name);
}

function fitsFacet(task: TaskRow, name: FacetName, chosen: readonly string[]): boolean {
  if (chosen.length === 0) return true;
  const own = new Set(KINDS[name].values(task));
  return KINDS[name].all ? chosen.every((value) => own.has(value)) : chosen.some((value) => own.has(value));
}

export function fits(task: TaskRow, filter: Filter, query: Query = parse(filter.query)): boolean {
  return fitsQuery(task, query) && FACETS.every((name) => fitsFacet(task, name, filter.chosen[name]));
}

export function isFiltered({ query, chosen }: Filter): boolean {
  return query.trim() !== "" || FACETS.some((name) => chosen[name].length > 0);
}

export interface Facet {
  value: string;
  /** Tasks that would be left if this were chosen too. */
  count: number;
}

/** Facet values with their counts under the rest of the filter; most frequent first, then by name, or in their own order. */
export function facets(tasks: readonly TaskRow[], filter: Filter): Record<FacetName, Facet[]> {
  const query = parse(filter.query);
  const queried = tasks.filter((task) => fitsQuery(task, query));
  const count = (name: FacetName): Facet[] => {
    const { values, fixed, all } = KINDS[name];
    const found = new Map<string, number>((fixed ?? []).map((value) => [value, 0]));
    for (const task of tasks) for (const value of new Set(values(task))) if (!found.has(value)) found.set(value, 0);
    // Alternatives are counted as if none of them were chosen.
    for (const task of queried) {
      if (!FACETS.every((other) => (other === name && !all) || fitsFacet(task, other, filter.chosen[other]))) continue;
      for (const value of new Set(values(task))) found.set(value, found.get(value)! + 1);
    }
    const counted = [...found].map(([value, number]) => ({ value, count: number }));
    return fixed ? counted : counted.sort((a, b) => b.count - a.count || a.value.localeCompare(b.value));
  };
  return Object.fromEntries(FACETS.map((name) => [name, count(name)])) as Record<FacetName, Facet[]>;
}

/** Tasks whose title others have, too, with the part of the name that tells them apart. */
export function namesakes(tasks: readonly TaskRow[]): Map<string, string> {
  const times = new Map<string, number>();
  for (const { title } of tasks) times.set(title, (times.get(title) ?? 0) + 1);
  const same = tasks.filter(({ title }) => times.get(title)! > 1);
  return new Map(same.map(({ slug }) => [slug, /-([0-9a-f]{6,})$/.exec(slug)?.[1] ?? slug]));
}

export function toggled(values: readonly string[], value: string): string[] {
  return values.includes(value) ? values.filter((entry) => entry !== value) : [...values, value];
}

export const COLUMNS = ["task", "operators", "graphs", "result"] as const;
export type Column = (typeof COLUMNS)[number];

export interface Sort {
  by: Column;
  down: boolean;
}

const KEY: Record<Column, (task: TaskRow) => number | string> = {
  task: (task) => task.title.toLowerCase(),
  operators: (task) => task.size?.most ?? 0,
  graphs: (task) => task.graph_count,
  result: (task) => Math.max(-1, ...task.best.map((best) => best.correct / Math.max(1, best.total))),
};

/** By a column; null leaves the server's order: worked examples first, then by title. Equal rows keep their order. */
export function sorted(tasks: readonly TaskRow[], sort: Sort | null): readonly TaskRow[] {
  if (sort === null) return tasks;
  const key = KEY[sort.by];
  const sign = sort.down ? -1 : 1;
  return [...tasks].sort((one, other) => {
    const [a, b] = [key(one), key(other)];
    return sign * (typeof a === "string" ? a.localeCompare(b as string) : a - (b as number));
  });
}

/** What a click on a column's head does: up, down, and back to the usual order; numbers begin with the largest. */
export function nextSort(sort: Sort | null, by: Column): Sort | null {
  const first = by !== "task";
  if (sort?.by !== by) return { by, down: first };
  return sort.down === first ? { by, down: !first } : null;
}
