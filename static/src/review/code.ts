/** Places in the submission's files that the page points at, and which file is in view. */

import { computed, signal } from "@preact/signals";
import type { Marker } from "../editor/annotations";
import { findingMarkers, merged } from "../editor/annotations";
import { valueOf } from "../lib/load";
import type { Place } from "../run/locate";
import { placeInMessage, placeOfNearMiss } from "../run/locate";
import { item } from "./store";
import type { Item } from "./types";

/** Asked for by a click on a finding, a miss or a comment; a new object each time. */
export const place = signal<(Place & { of: number }) | null>(null);

export function showPlace(file: string, line: number): void {
  const now = valueOf(item.value);
  if (now !== null && Object.hasOwn(now.files, file)) place.value = { file, line, of: now.id };
}

export const markers = computed<readonly Marker[]>(() => {
  const now = valueOf(item.value);
  return now === null ? [] : markersOf(now);
});

export function markersOf(now: Item): Marker[] {
  const found = findingMarkers(now.findings);
  for (const graph of now.graphs) {
    const at = graph.message === null || graph.status === "correct" ? null : placeInMessage(graph.message, now.files);
    if (at !== null) found.push({ ...at, severity: "error", message: graph.message! });
  }
  for (const miss of now.evidence.near_misses) {
    const at = placeOfNearMiss(miss, now.files);
    if (at !== null) found.push({ ...at, severity: "warning", message: miss.message });
  }
  return merged(found);
}

/** The first place that tells why it failed; else the first pass file. */
export function firstPlace(now: Item): Place | null {
  const marked = [...markersOf(now)].sort((a, b) => WEIGHT[a.severity] - WEIGHT[b.severity])[0];
  if (marked !== undefined && Object.hasOwn(now.files, marked.file)) return { file: marked.file, line: marked.line };
  const file = Object.keys(now.files).find((name) => name.endsWith(".py")) ?? Object.keys(now.files)[0];
  return file === undefined ? null : { file, line: 1 };
}

const WEIGHT = { error: 0, warning: 1, info: 2 } as const;
