/** The page's address carries all that is chosen on it, in the API's own words. Pure. */

export const FACETS = ["reason", "slower", "kind", "family", "domain", "dtype", "operator"] as const;
export type Facet = (typeof FACETS)[number];

export interface Chosen {
  context: string;
  q: string;
  values: Record<Facet, readonly string[]>;
  /** A column, downwards with "-" before it. */
  sort: string;
  offset: number;
}

export const PAGE = 100;
export const FIRST_SORT = "e2e-direct";
const MOST = 40;

export const NOTHING: Record<Facet, readonly string[]> = { reason: [], slower: [], kind: [], family: [], domain: [], dtype: [], operator: [] };

export function readAddress(search: string): Chosen {
  const query = new URLSearchParams(search);
  const offset = Number(query.get("offset") ?? 0);
  return {
    context: (query.get("context") ?? "").slice(0, 12),
    q: (query.get("q") ?? "").slice(0, 200),
    values: Object.fromEntries(FACETS.map((name) => [name, query.getAll(name).slice(0, MOST)])) as unknown as Chosen["values"],
    sort: /^-?[a-z0-9-]{1,38}$/.test(query.get("sort") ?? "") ? query.get("sort")! : FIRST_SORT,
    offset: Number.isSafeInteger(offset) && offset > 0 ? offset - (offset % PAGE) : 0,
  };
}

/** "" when nothing is chosen: a plain address stays plain. */
export function writeAddress(chosen: Chosen): string {
  const query = parameters(chosen);
  if (chosen.offset > 0) query.set("offset", String(chosen.offset));
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}

/** What the API is asked for. */
export function pageQuery(chosen: Chosen): string {
  const query = parameters(chosen);
  query.set("limit", String(PAGE));
  query.set("offset", String(chosen.offset));
  return `?${query.toString()}`;
}

/** Where the figures of all graphs that fit are, as a file. */
export function fileAddress(chosen: Chosen, format: "csv" | "json"): string {
  const query = parameters(chosen);
  query.set("format", format);
  return `/api/slower/figures?${query.toString()}`;
}

function parameters(chosen: Chosen): URLSearchParams {
  const query = new URLSearchParams();
  if (chosen.context !== "") query.set("context", chosen.context);
  if (chosen.q.trim() !== "") query.set("q", chosen.q.trim());
  for (const name of FACETS) for (const value of chosen.values[name]) query.append(name, value);
  if (chosen.sort !== FIRST_SORT) query.set("sort", chosen.sort);
  return query;
}

export function isFiltered(chosen: Chosen): boolean {
  return chosen.q.trim() !== "" || FACETS.some((name) => chosen.values[name].length > 0);
}

/** A click on a column's head: its own first direction, then the other one. Ratios begin with the slowest. */
export function nextSort(sort: string, column: string): string {
  const first = column === "launches" || column === "operators" ? `-${column}` : column;
  return sort === first ? (first.startsWith("-") ? column : `-${column}`) : first;
}
