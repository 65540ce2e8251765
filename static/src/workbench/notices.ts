/** Short messages at the foot of the page; one may carry an action such as Undo. */

import { signal } from "@preact/signals";

export interface Notice {
  id: number;
  text: string;
  tone: "idle" | "fail";
  action: { label: string; run: () => void } | null;
}

export const notices = signal<Notice[]>([]);

let count = 0;
const SHOWN_MS = 9000;

export function notify(text: string, options: { tone?: Notice["tone"]; action?: Notice["action"] } = {}): void {
  const notice: Notice = { id: ++count, text, tone: options.tone ?? "idle", action: options.action ?? null };
  notices.value = [...notices.value.slice(-2), notice];
  setTimeout(() => dismiss(notice.id), SHOWN_MS);
}

export function dismiss(id: number): void {
  notices.value = notices.value.filter((notice) => notice.id !== id);
}
