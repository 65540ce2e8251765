/** Keyboard names and the question whether a key belongs to a text field. */

export const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** "mod+enter" → "Ctrl Enter" or "⌘ Enter". */
export function keyLabel(combo: string): string {
  if (combo.length === 1) return combo; // "d", not "D": that would be Shift d
  return combo
    .split("+")
    .map((part) => {
      if (part === "mod") return isMac ? "⌘" : "Ctrl";
      if (part === "shift") return isMac ? "⇧" : "Shift";
      if (part === "alt") return isMac ? "⌥" : "Alt";
      if (part.startsWith("arrow")) return { arrowup: "↑", arrowdown: "↓", arrowleft: "←", arrowright: "→" }[part] ?? part;
      return part.length === 1 ? part.toUpperCase() : part[0]!.toUpperCase() + part.slice(1);
    })
    .join(" ");
}

/** "mod+shift+k" for an event; "?" and other shifted signs are named by the sign alone. */
export function comboOf(event: KeyboardEvent): string {
  const key = event.key.toLowerCase();
  const sign = key.length === 1 && !/[a-z0-9]/.test(key);
  const parts: string[] = [];
  if (isMac ? event.metaKey : event.ctrlKey) parts.push("mod");
  if (event.altKey) parts.push("alt");
  if (event.shiftKey && !sign) parts.push("shift");
  return [...parts, key === " " ? "space" : key].join("+");
}

export function inTextField(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.closest("input, textarea, select, .monaco-editor") !== null;
}
