/** The catalogue's address carries all that is chosen on it. Pure. */

import type { Chosen, Column, FacetName, Filter, Sort } from "./search";
import { COLUMNS, FACETS, NOTHING } from "./search";

const MOST = 40;

export function readAddress(search: string): { filter: Filter; sort: Sort | null } {
  const query = new URLSearchParams(search);
  const chosen = Object.fromEntries(FACETS.map((name): [FacetName, readonly string[]] => [name, query.getAll(name).slice(0, MOST)])) as Chosen;
  const sort = query.get("sort") ?? "";
  const by = sort.replace(/^-/, "") as Column;
  return { filter: { query: query.get("q") ?? NOTHING.query, chosen }, sort: COLUMNS.includes(by) ? { by, down: sort.startsWith("-") } : null };
}

/** "" when nothing is chosen: a plain address stays plain. */
export function writeAddress(filter: Filter, sort: Sort | null): string {
  const query = new URLSearchParams();
  if (filter.query.trim() !== "") query.set("q", filter.query.trim());
  for (const name of FACETS) for (const value of filter.chosen[name]) query.append(name, value);
  if (sort !== null) query.set("sort", `${sort.down ? "-" : ""}${sort.by}`);
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}
