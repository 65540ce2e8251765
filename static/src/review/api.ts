/** The calls of the review queue. */

import { call } from "../api";
import type { Filters } from "./address";
import { filterQuery, kept } from "./address";
import type { Cluster, Counts, DraftField, Item, Row } from "./types";

const of = (id: number): string => `/api/review/items/${id}`;

export interface Step {
  what: "decide" | "label" | "unlabel" | "assign" | "note" | "evaluate";
  decision?: string;
  reason?: string;
  value?: string;
}

/** What a step is done to: items by number, or everything that fits. */
export type Target = { items: readonly number[] } | { all: Filters };

export const PAGE = 200;

export const reviewApi = {
  items: (filters: Filters, after: number, signal?: AbortSignal) => call<{ items: Row[]; next: number | null }>("GET", `/api/review/items${filterQuery(filters, { after, limit: PAGE })}`, undefined, signal),
  clusters: (filters: Filters, signal?: AbortSignal) => call<{ clusters: Cluster[] }>("GET", `/api/review/clusters${filterQuery(filters, { limit: PAGE })}`, undefined, signal),
  counts: (filters: Filters, signal?: AbortSignal) => call<Counts>("GET", `/api/review/counts${filterQuery(filters)}`, undefined, signal),
  item: (id: number, filters: Filters, signal?: AbortSignal) => call<Item>("GET", `${of(id)}${filterQuery(filters)}`, undefined, signal),
  step: (step: Step, target: Target) => call<{ items: number; step: number | null }>("POST", "/api/review/steps", { ...step, ...("all" in target ? { all: kept(target.all) } : { items: target.items }) }),
  undo: () => call<{ what: string; items: number[] }>("POST", "/api/review/undo"),
  comment: (id: number, text: string) => call<{ id: number }>("POST", `${of(id)}/comments`, { text }),
  withdraw: (id: number, comment: number) => call<unknown>("DELETE", `${of(id)}/comments/${comment}`),
  saveDraft: (id: number, fields: Partial<Record<DraftField, string>>) => call<unknown>("PUT", `${of(id)}/draft`, { fields }),
  rerun: (id: number, device: string) => call<{ run: string; state: string }>("POST", `${of(id)}/rerun`, { device }),
  makeCase: (id: number, why: string) => call<{ name: string }>("POST", `${of(id)}/case`, { why }),
};
