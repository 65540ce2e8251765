/** The page's address carries filters, view and open item, in the API's own words. Pure. */

export const FILTERS = ["state", "group", "kind", "signature", "author", "task", "device", "assignee", "label", "mentions", "q"] as const;
export type Filter = (typeof FILTERS)[number];
export type Filters = Readonly<Partial<Record<Filter, string>>>;
export type View = "clusters" | "list";

export interface Chosen {
  filters: Filters;
  view: View;
  /** The open item; null: the first one. */
  item: number | null;
}

const LONGEST = 300;

export function readAddress(search: string): Chosen {
  const query = new URLSearchParams(search);
  const item = Number(query.get("item") ?? 0);
  return {
    filters: kept(Object.fromEntries(FILTERS.map((name) => [name, (query.get(name) ?? "").slice(0, LONGEST)]))),
    view: query.get("view") === "list" ? "list" : "clusters",
    item: Number.isSafeInteger(item) && item > 0 ? item : null,
  };
}

/** "" when nothing is chosen: a plain address stays plain. */
export function writeAddress({ filters, view, item }: Chosen): string {
  const query = new URLSearchParams(kept(filters));
  if (view === "list") query.set("view", "list");
  if (item !== null) query.set("item", String(item));
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}

/** What the API is asked for, with more parameters behind. */
export function filterQuery(filters: Filters, more: Readonly<Record<string, string | number>> = {}): string {
  const query = new URLSearchParams(kept(filters));
  for (const [name, value] of Object.entries(more)) query.set(name, String(value));
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}

/** Filters without those that do not narrow. */
export function kept(filters: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(filters).flatMap(([name, value]) => (value === undefined || value.trim() === "" ? [] : [[name, value.trim()]])));
}

export function isFiltered(filters: Filters): boolean {
  return Object.keys(kept(filters)).length > 0;
}
