/** The one overlay that may be open. */

import { signal } from "@preact/signals";

export type Dialog =
  | { kind: "palette" }
  | { kind: "shortcuts" }
  | { kind: "share" }
  | { kind: "export" }
  | { kind: "confirm"; title: string; text: string; confirm: string; run: () => void };

export const dialog = signal<Dialog | null>(null);

export function openDialog(value: Dialog): void {
  dialog.value = value;
}

export function closeDialog(): void {
  dialog.value = null;
}
