/** What a run says about places in the pass files: markers, and the match count beside `pattern`. Pure. */

import type { Files } from "../api";
import type { Finding, Severity } from "../events";
import { placeInMessage, placeOfNearMiss } from "../run/locate";
import type { RunView } from "../run/view";
import { ruleOf } from "../rules";
import { words } from "../vocabulary";

export interface Marker {
  file: string;
  line: number;
  severity: "error" | "warning" | "info";
  message: string;
}

const SEVERITY: Record<Severity, Marker["severity"]> = { violation: "error", suspicious: "warning", note: "info" };

/** Findings with a place: what they weigh, what was seen, and the rule they speak of. */
export function findingMarkers(findings: readonly Finding[]): Marker[] {
  return merged(findings.flatMap((finding) => {
    const { file, line, evidence, severity } = finding;
    if (file === null || line === null) return [];
    const rule = ruleOf(finding.class);
    const message = `${severity}, ${words(finding.class)}: ${evidence}${rule === null ? "" : `\nRule: ${rule}`}`;
    return [{ file, line, severity: Object.hasOwn(SEVERITY, severity) ? SEVERITY[severity] : "info", message }];
  }));
}

export function markersOf(view: Pick<RunView, "findings" | "graphs">, files: Files): Marker[] {
  const markers = findingMarkers(view.findings);
  for (const graph of view.graphs) {
    const place = graph.message === null || graph.status === "correct" ? null : placeInMessage(graph.message, files);
    if (place !== null) markers.push({ ...place, severity: "error", message: graph.message! });
    // A graph that another pass matched misses nothing.
    for (const miss of graph.matches === 0 ? graph.nearMisses : []) {
      const at = placeOfNearMiss(miss, files);
      if (at !== null) markers.push({ ...at, severity: "warning", message: `${graph.name}: ${miss.message}` });
    }
  }
  return merged(markers);
}

/** The same place in five graphs is one marker. */
export function merged(markers: readonly Marker[]): Marker[] {
  const known = new Map<string, Marker>();
  for (const marker of markers) {
    const key = `${marker.file}:${marker.line}:${marker.severity}`;
    const before = known.get(key);
    if (before === undefined) known.set(key, { ...marker });
    else if (!before.message.includes(marker.message)) before.message += `\n${marker.message}`;
  }
  return [...known.values()];
}

export interface LineNote {
  line: number;
  text: string;
  tone: "correct" | "fail" | "idle";
}

/** "matches 5/5 graphs" behind the `def pattern` line of a pass; null before any graph was matched. */
export function patternNote(view: RunView, name: string, source: string): LineNote | null {
  const line = source.split("\n").findIndex((text) => /^(?:async\s+)?def\s+pattern\s*\(/.test(text));
  const tried = view.graphs.filter((graph) => Object.hasOwn(graph.perPass, name));
  if (line < 0 || tried.length === 0) return null;
  const hit = tried.filter((graph) => graph.perPass[name]! > 0).length;
  const tone = hit === tried.length ? "correct" : hit === 0 ? "fail" : "idle";
  return { line: line + 1, text: `${tone === "correct" ? "●" : tone === "fail" ? "■" : "○"} matches ${hit}/${tried.length} graphs`, tone };
}

/** Problems in a word for the pane's foot: "1 error, 2 warnings". */
export function tally(markers: readonly Marker[]): string {
  const count = (severity: Marker["severity"]): number => markers.filter((marker) => marker.severity === severity).length;
  const parts = [
    [count("error"), "error"], [count("warning"), "warning"], [count("info"), "note"],
  ] as const;
  const named = parts.filter(([number]) => number > 0).map(([number, word]) => `${number} ${word}${number === 1 ? "" : "s"}`);
  return named.length === 0 ? "no problems" : named.join(", ");
}
