/** Matches what is typed: sends the draft shortly after the last key and keeps the newest answers. */

import { effect, signal } from "@preact/signals";
import type { Files } from "../api";
import { sameFiles } from "../editor/edits";
import { batched } from "../workbench/frames";
import { draft, files, untouched } from "../workbench/draft";
import { graphName, graphNames, slug } from "../workbench/session";
import type { Socket } from "./socket";
import { MatchSocket } from "./socket";
import type { LiveState } from "./state";
import { ask, NOTHING, receive } from "./state";

/** After the last key: shorter than the gap between two keys of somebody who types on. */
export const PAUSE_MS = 60;

export const live = signal<LiveState>(NOTHING);
/** The text that the newest answers are about. */
export const askedFiles = signal<Files>({});

let timer: ReturnType<typeof setTimeout> | null = null;
let version = 0;

export function followMatches(): void {
  const push = batched<Record<string, unknown>>((messages) => (live.value = messages.reduce(receive, live.value)));
  const socket = new MatchSocket({ open: () => new WebSocket(address()) as unknown as Socket, onMessage: (message) => push([message]) });
  const send = (): void => {
    timer = null;
    const graph = graphName.peek();
    if (graph === null || document.hidden) return;
    version += 1;
    askedFiles.value = files.peek();
    live.value = ask(live.peek(), version);
    socket.send({ type: "match", version, files: files.peek(), graph });
  };
  const later = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = setTimeout(send, PAUSE_MS);
  };
  effect(() => {
    const set = files.value;
    if (draft.value.status !== "ready" || graphNames.value.length === 0 || graphName.value === null) return;
    const wasAsked = live.peek().asked > 0 && sameFiles(askedFiles.peek(), set);
    if (Object.keys(set).length > 0 && !wasAsked && !untouched.value) later();
  });
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden && draft.peek().status === "ready" && !untouched.peek() && !sameFiles(askedFiles.peek(), files.peek())) later();
  });
}

function address(): string {
  return `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws/tasks/${encodeURIComponent(slug.peek())}/match`;
}
