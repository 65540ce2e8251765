/** Everything that is marked in the pass files now: by the check and the match while typing, and by a run of exactly this code. */

import { computed } from "@preact/signals";
import type { Marker } from "../editor/annotations";
import { findingMarkers, markersOf, merged } from "../editor/annotations";
import { languageMarkers } from "../language/state";
import { tell } from "../lib/hub";
import { liveMarkers } from "../match/markers";
import { checked } from "./checks";
import { files } from "./draft";
import { shown, stale } from "./runs";

/** Of a run whose code is in the editor. What its static check found is left to the one that looks at every key. */
export const runMarkers = computed<Marker[]>(() => {
  const run = shown.value;
  if (run === null || stale.value) return [];
  const live = checked.value !== null;
  return markersOf({ ...run.view, findings: run.view.findings.filter((finding) => !live || finding.check !== "static") }, files.value);
});

export const checkMarkers = computed<Marker[]>(() => findingMarkers(checked.value?.findings ?? []));

export const problems = computed<Marker[]>(() => {
  const known = [...checkMarkers.value, ...liveMarkers.value, ...languageMarkers.value, ...runMarkers.value].filter((marker) => Object.hasOwn(files.value, marker.file));
  return merged(known).sort((a, b) => a.file.localeCompare(b.file) || a.line - b.line);
});

let last = "";

/** Goes to the problem after the one gone to before, through all files. */
export function nextProblem(): void {
  const all = problems.value;
  const key = (marker: Marker): string => `${marker.file}:${marker.line}`;
  const next = all[(all.findIndex((marker) => key(marker) === last) + 1) % all.length];
  if (next === undefined) return;
  last = key(next);
  tell("revealPlace", { file: next.file, line: next.line });
}
