/** Charts and their numbers as files: SVG that looks alike outside the page, CSV, JSON. */

import { save } from "../lib/save";

export type Cell = string | number | null;

/** A header and rows. */
export interface Table {
  columns: readonly string[];
  rows: readonly (readonly Cell[])[];
}

/** RFC 4180; a text that a spreadsheet would take for a formula gets an apostrophe before it. */
export function csv({ columns, rows }: Table): string {
  return [columns, ...rows].map((row) => row.map(field).join(",")).join("\r\n") + "\r\n";
}

function field(value: Cell): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** "f32 4×128, e2e" → "f32_4_128_e2e": a name that every file system takes. */
export function fileName(...parts: readonly string[]): string {
  return parts.join("_").replace(/[^\p{L}\p{N}.-]+/gu, "_").replace(/^[_.]+|_+$/g, "").slice(0, 120) || "chart";
}

export function saveCsv(name: string, table: Table): void {
  save(`${name}.csv`, csv(table));
}

export function saveJson(name: string, value: unknown): void {
  save(`${name}.json`, JSON.stringify(value, null, 1));
}

/** What a mark looks like is said by style sheets, which do not travel with the file. */
const LOOK = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "stroke-opacity", "font-family", "font-size", "font-weight", "text-anchor", "dominant-baseline", "opacity"];

export function saveSvg(name: string, drawn: SVGSVGElement): void {
  save(`${name}.svg`, standalone(drawn));
}

function standalone(drawn: SVGSVGElement): string {
  const copy = drawn.cloneNode(true) as SVGSVGElement;
  const from = [drawn, ...drawn.querySelectorAll<SVGElement>("*")];
  const to = [copy, ...copy.querySelectorAll<SVGElement>("*")];
  from.forEach((element, index) => {
    const style = getComputedStyle(element);
    for (const property of LOOK) to[index]!.setAttribute(property, style.getPropertyValue(property));
    to[index]!.removeAttribute("class");
    to[index]!.removeAttribute("tabindex");
  });
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  const ground = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  ground.setAttribute("width", "100%");
  ground.setAttribute("height", "100%");
  ground.setAttribute("fill", getComputedStyle(drawn.closest(".details > td, .pane-body, .pane") ?? document.body).backgroundColor);
  copy.prepend(ground);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(copy)}\n`;
}
