/** A modal layer: keeps the keyboard inside, closes on Escape or a click beside it, gives the focus back. */

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { closeDialog } from "../workbench/dialogs";

const STOPS = "button, input, select, textarea, a[href], [tabindex]:not([tabindex='-1'])";

export function Overlay({ label, class: kind, children }: { label: string; class: string; children: ComponentChildren }) {
  const box = useRef<HTMLDivElement>(null);
  // Before the first paint: a key pressed as soon as the layer is seen belongs to it.
  useLayoutEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    const wanted = box.current?.querySelector<HTMLElement>("[data-autofocus]") ?? box.current?.querySelector<HTMLElement>(STOPS) ?? box.current;
    wanted?.focus();
    // A button that is switched off while it works loses the focus to the page behind: its keys still belong here.
    const lost = (event: KeyboardEvent): void => {
      if (box.current?.contains(event.target as Node)) return;
      if (event.key === "Escape") closeDialog();
      else if (event.key === "Tab") {
        event.preventDefault();
        (box.current?.querySelector<HTMLElement>(STOPS) ?? box.current)?.focus();
      }
    };
    document.addEventListener("keydown", lost);
    return () => {
      document.removeEventListener("keydown", lost);
      before?.focus();
    };
  }, []);
  const key = (event: KeyboardEvent): void => {
    event.stopPropagation();
    if (event.key === "Escape") closeDialog();
    if (event.key !== "Tab") return;
    const stops = [...(box.current?.querySelectorAll<HTMLElement>(STOPS) ?? [])];
    const first = stops[0];
    const last = stops.at(-1);
    const edge = event.shiftKey ? first : last;
    if (stops.length === 0 || document.activeElement === edge) {
      event.preventDefault();
      (event.shiftKey ? last : first)?.focus();
    }
  };
  return (
    <div class="scrim" onPointerDown={(event) => event.target === event.currentTarget && closeDialog()} onKeyDown={key}>
      <div ref={box} class={`overlay ${kind}`} role="dialog" aria-modal="true" aria-label={label} tabIndex={-1}>{children}</div>
    </div>
  );
}
