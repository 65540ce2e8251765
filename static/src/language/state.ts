/** Whether the language servers are there, and what they have found in the pass files. */

import { computed, effect, signal } from "@preact/signals";
import type { Marker } from "../editor/annotations";
import { draft, files } from "../workbench/draft";
import type { Diagnostic } from "./protocol";
import { toDiagnostics } from "./protocol";
import type { LanguageState } from "./session";
import { LanguageSession } from "./session";

export const language = signal<LanguageState>({ kind: "starting" });
/** By server, then by file. */
export const found = signal<Record<string, Record<string, Diagnostic[]>>>({});

export const session = new LanguageSession({
  open: () => new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws/language`) as never,
  files: () => files.peek(),
  onState: (state) => {
    language.value = state;
    if (state.kind === "off") found.value = {};
  },
  onDiagnostics: (server, file, list) => {
    const before = found.peek();
    found.value = { ...before, [server]: { ...before[server], [file]: toDiagnostics(list) } };
  },
});

export const languageMarkers = computed<Marker[]>(() =>
  Object.values(found.value).flatMap((byFile) =>
    Object.entries(byFile).flatMap(([file, list]) => list.map((one) => ({ file, line: one.range.startLineNumber, severity: one.severity, message: one.message }))),
  ),
);

export function followLanguage(): void {
  effect(() => {
    const any = Object.keys(files.value).length > 0;
    if (any && draft.value.status === "ready") session.changed();
  });
  window.addEventListener("focus", () => session.focused());
  window.addEventListener("pointerdown", () => session.focused());
}
