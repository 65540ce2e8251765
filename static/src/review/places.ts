/** Addresses of other pages that an item leads to. */

import type { Item, Row } from "./types";

/** The workbench with the item's run; null where nothing ran here. */
export function runAddress(item: Item): string | null {
  return item.run === null || item.task === null ? null : `/tasks/${encodeURIComponent(item.task)}/?run=${item.run.id}`;
}

/** The same with a graph in view, its row open, and one node selected. */
export function graphAddress(item: Item, graph: string, node: string | null = null): string | null {
  const run = runAddress(item);
  if (run === null || graph === "") return null;
  return `${run}&${new URLSearchParams({ graph, row: graph, ...(node === null ? {} : { node }) }).toString()}`;
}

export function taskAddress(row: Row): string | null {
  return row.task === null ? null : `/tasks/${encodeURIComponent(row.task)}/`;
}
