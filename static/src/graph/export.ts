/** The drawing as a file: SVG and DOT as text (pure), PNG by painting it once more. Names and labels are hostile text. */

import { inputName, tensor } from "../format";
import type { Look } from "./colouring";
import type { Ground } from "./paint";
import { paintGround } from "./paint";
import type { Palette } from "./palette";
import { BADGE_ROW, BADGE_ROWS, LABEL_ROW } from "./room";
import { sceneOf } from "./scene";
import type { GraphJson, GraphNode } from "./types";

export const FORMATS = ["svg", "png", "dot"] as const;
export type Format = (typeof FORMATS)[number];

const MARGIN = 24;
/** Canvases beyond these sides, or this area, are refused by some browsers. */
const MOST_SIDE = 16_000;
const MOST_PIXELS = 64_000_000;

/** Control characters are not allowed in XML, not even escaped. */
function xml(text: string): string {
  const signs: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
  return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ud800-\udfff\ufffe\uffff]/g, "�").replace(/[&<>"']/g, (sign) => signs[sign]!);
}

export function toSvg(graph: GraphJson, palette: Palette, look: Look): string {
  const { x, y, w, h } = sceneOf(graph).bounds;
  const colour = palette.colour;
  const text = (at: { x: number; y: number }, words: string, attributes: string): string => `<text x="${at.x.toFixed(1)}" y="${at.y.toFixed(1)}" ${attributes}>${xml(words)}</text>`;
  const lines = sceneOf(graph).edges.map(({ edge, ends }) => {
    if (ends.length > 0) {
      return ends.map((end) => `<path d="M${end.from.join(" ")}L${end.to.join(" ")}"/>` + text({ x: end.label.x, y: end.label.y + 11 }, `${end.jump === edge.target ? "↓" : "↑"} ${end.jump}`, 'class="small"')).join("");
    }
    return `<path d="M${edge.points.map((point) => point.map((value) => value.toFixed(1)).join(" ")).join("L")}" marker-end="url(#tip)"/>`;
  });
  const node = (one: GraphNode): string => {
    const rows = one.badges.slice(0, BADGE_ROWS).map((badge, index) =>
      text({ x: one.x + 16, y: one.y + LABEL_ROW + index * BADGE_ROW + 10 }, `${inputName(badge.name)} ${tensor(badge.shape, badge.dtype)}`, 'class="small"'));
    const facts = [one.name === one.label ? "" : one.name, tensor(one.shape, one.dtype)].filter(Boolean).join("  ");
    return (
      `<g><title>${xml(one.code || one.label)}</title><rect x="${one.x}" y="${one.y}" width="${one.w}" height="${one.h}" rx="3" fill="${colour.raised}" stroke="${colour["line-strong"]}"/>` +
      `<rect x="${one.x}" y="${one.y}" width="${look.edge}" height="${one.h}" fill="${look.tint(one)}"/>` +
      text({ x: one.x + 12, y: one.y + 17 }, one.label, 'class="label"') + text({ x: one.x + one.w - 6, y: one.y + one.h + 11 }, facts, 'class="small" text-anchor="end"') + rows.join("") + "</g>"
    );
  };
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${x - MARGIN} ${y - MARGIN} ${w + 2 * MARGIN} ${h + 2 * MARGIN}" width="${w + 2 * MARGIN}" height="${h + 2 * MARGIN}">`,
    `<style>.label{font:600 12px sans-serif;fill:${colour.text}}.small{font:10px monospace;fill:${colour["text-2"]}}</style>`,
    `<defs><marker id="tip" markerWidth="7" markerHeight="6" refX="7" refY="3" orient="auto" markerUnits="userSpaceOnUse"><path d="M0 0L7 3L0 6z" fill="${colour["line-strong"]}"/></marker></defs>`,
    `<rect x="${x - MARGIN}" y="${y - MARGIN}" width="100%" height="100%" fill="${colour.surface}"/>`,
    `<g fill="none" stroke="${colour["line-strong"]}" stroke-width="1.25">${lines.join("")}</g>`.replaceAll('<text ', '<text stroke="none" '),
    ...graph.nodes.map(node),
    "</svg>",
  ].join("\n");
}

function quoted(text: string): string {
  return `"${text.replace(/\\/g, "\\\\").replace(/"/g, '\\"').replace(/[\u0000-\u001f]/g, " ")}"`;
}

/** For Graphviz, with inputs as nodes of their own. */
export function toDot(graph: GraphJson, name: string): string {
  const inputs = new Map(graph.nodes.flatMap((node) => node.badges.map((badge) => [badge.name, badge] as const)));
  const lines = [`digraph ${quoted(name)} {`, "  node [shape=box, fontname=sans];"];
  if (!graph.nodes.some((node) => node.op === "block")) {
    for (const badge of inputs.values()) lines.push(`  ${quoted(badge.name)} [shape=ellipse, label=${quoted(`${badge.name} ${tensor(badge.shape, badge.dtype)}`.trim())}];`);
    for (const node of graph.nodes) for (const badge of node.badges) lines.push(`  ${quoted(badge.name)} -> ${quoted(node.name)};`);
  }
  for (const node of graph.nodes) lines.push(`  ${quoted(node.name)} [label=${quoted(`${node.label} ${tensor(node.shape, node.dtype)}`.trim())}];`);
  for (const edge of graph.edges) lines.push(`  ${quoted(edge.source)} -> ${quoted(edge.target)};`);
  return [...lines, "}", ""].join("\n");
}

async function toPng(ground: Omit<Ground, "scene" | "view" | "width" | "height" | "ratio">, graph: GraphJson): Promise<Blob> {
  const scene = sceneOf(graph);
  const [w, h] = [scene.bounds.w + 2 * MARGIN, scene.bounds.h + 2 * MARGIN];
  const zoom = Math.min(2, MOST_SIDE / w, MOST_SIDE / h, Math.sqrt(MOST_PIXELS / (w * h)));
  const canvas = new OffscreenCanvas(Math.ceil(w * zoom), Math.ceil(h * zoom));
  const view = { x: scene.bounds.x - MARGIN, y: scene.bounds.y - MARGIN, zoom };
  paintGround(canvas.getContext("2d")! as unknown as CanvasRenderingContext2D, { ...ground, scene, view, width: canvas.width, height: canvas.height, ratio: 1 });
  return canvas.convertToBlob({ type: "image/png" });
}

export async function exportGraph(format: Format, graph: GraphJson, name: string, ground: Omit<Ground, "scene" | "view" | "width" | "height" | "ratio">): Promise<Blob> {
  if (format === "png") return toPng(ground, graph);
  if (format === "svg") return new Blob([toSvg(graph, ground.palette, ground.look)], { type: "image/svg+xml" });
  return new Blob([toDot(graph, name)], { type: "text/vnd.graphviz" });
}
