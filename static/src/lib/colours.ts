/** Values of colour tokens as the browser resolves them for the theme in force, for canvas and Monaco. */

let probe: HTMLElement | null = null;

/** "rgb(…)" of each token. */
export function readColours<Name extends string>(names: readonly Name[]): Record<Name, string> {
  if (probe === null) {
    probe = document.createElement("span");
    probe.hidden = true;
    document.body.append(probe);
  }
  const values = {} as Record<Name, string>;
  for (const name of names) {
    probe.style.color = `var(--${name})`;
    values[name] = getComputedStyle(probe).color;
  }
  return values;
}

/** "rgb(1, 2, 3)" → "#010203", the only form Monaco's themes take. */
export function hex(colour: string): string {
  const parts = colour.match(/[\d.]+/g)?.slice(0, 3).map(Number) ?? [0, 0, 0];
  return `#${parts.map((part) => Math.round(part).toString(16).padStart(2, "0")).join("")}`;
}

export function withAlpha(colour: string, alpha: number): string {
  const parts = colour.match(/[\d.]+/g)?.slice(0, 3) ?? ["0", "0", "0"];
  return `rgba(${parts.join(", ")}, ${alpha})`;
}
