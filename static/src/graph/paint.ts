/**
 * One frame of the graph, in two layers: the graph itself (which may come from kept tiles while the view moves) and
 * over it what is selected, found or pointed at. Works in world units, so that text stays crisp at every zoom.
 */

import { tensor } from "../format";
import { withAlpha } from "../lib/colours";
import type { Look } from "./colouring";
import type { Marks } from "./marks";
import type { Palette } from "./palette";
import { paintNode, paintTiny } from "./paintNode";
import type { Scene, SceneEdge } from "./scene";
import { midpoint, visibleEdges, visibleNodes } from "./scene";
import { fitText, middleCut, widthOf } from "./text";
import type { GraphEdge, GraphNode } from "./types";
import type { Rect, Viewport } from "./viewport";
import { overlaps, visible } from "./viewport";

/** What the graph itself looks like: all that a kept tile depends on. */
export interface Ground {
  scene: Scene;
  palette: Palette;
  marks: Marks;
  look: Look;
  view: Viewport;
  /** CSS pixels. */
  width: number;
  height: number;
  ratio: number;
}

export interface Frame extends Ground {
  selected: ReadonlySet<string>;
  /** The node of the selection that the details are about. */
  focus: string | null;
  /** The rectangle being drawn with Shift, in world units. */
  lasso: Rect | null;
  hovered: string | null;
  found: ReadonlySet<string>;
  /** The canvas has the keyboard: the selection is drawn stronger. */
  focused: boolean;
}

/** Below these zooms text of a kind would be too small to read, and is left out. */
export const TEXT_ZOOM = 0.32;
export const EDGE_TEXT_ZOOM = 0.62;
/** Below these, bends of edges and then edges themselves are finer than a pixel. */
const BEND_ZOOM = 0.14;
const EDGE_ZOOM = 0.035;
/** Marks, labels of stubs and thick lines reach over their node's box by this much. */
const OVERHANG = 112;

export function paint(ctx: CanvasRenderingContext2D, frame: Frame): void {
  paintGround(ctx, frame);
  paintOver(ctx, frame);
}

export function toScreenUnits(ctx: CanvasRenderingContext2D, { ratio }: Ground): void {
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
}

export function toWorldUnits(ctx: CanvasRenderingContext2D, { view, ratio }: Ground): void {
  const scale = ratio * view.zoom;
  ctx.setTransform(scale, 0, 0, scale, -view.x * scale, -view.y * scale);
}

/** What is in sight and what reaches into it. */
function area({ view, width, height }: Ground): Rect {
  const { x, y, w, h } = visible(view, width, height);
  return { x: x - OVERHANG, y: y - OVERHANG / 4, w: w + 2 * OVERHANG, h: h + OVERHANG / 2 };
}

export function paintGround(ctx: CanvasRenderingContext2D, ground: Ground): void {
  const { scene, view, palette } = ground;
  toScreenUnits(ctx, ground);
  ctx.fillStyle = palette.colour.surface;
  ctx.fillRect(0, 0, ground.width, ground.height);
  toWorldUnits(ctx, ground);
  const sight = area(ground);
  const edges = view.zoom < EDGE_ZOOM ? [] : visibleEdges(scene, sight);
  const nodes = visibleNodes(scene, sight);
  paintEdges(ctx, ground, edges, palette.colour["line-strong"], 1);
  if (view.zoom < TEXT_ZOOM) {
    paintTiny(ctx, ground, nodes);
    return;
  }
  for (const node of nodes) paintNode(ctx, ground, node);
  if (view.zoom >= EDGE_TEXT_ZOOM) paintEdgeTexts(ctx, ground, edges, palette.colour["text-3"]);
}

/** About how much work the ground is, in nodes with text: without looking at more than the grid does. */
export function groundWork(ground: Ground): number {
  const nodes = ground.scene.nodeGrid.near(area(ground)).length;
  return ground.view.zoom < TEXT_ZOOM ? nodes / 6 : nodes;
}

/** The nodes in sight as plain boxes: what is seen of a place whose tile is not painted yet. */
export function paintSketch(ctx: CanvasRenderingContext2D, ground: Ground, part: Rect): void {
  ctx.fillStyle = ground.palette.colour["line-strong"];
  for (const node of visibleNodes(ground.scene, part)) ctx.fillRect(node.x, node.y, node.w, node.h);
}

export function paintOver(ctx: CanvasRenderingContext2D, frame: Frame): void {
  const { scene, view, palette, selected, found, hovered } = frame;
  toWorldUnits(ctx, frame);
  const sight = area(frame);
  const inSight = (names: Iterable<string>): GraphNode[] =>
    [...names].flatMap((name) => scene.byName.get(name) ?? []).filter((node) => overlaps(node, sight));
  if (selected.size > 0) {
    const touched = view.zoom < EDGE_ZOOM ? [] : visibleEdges(scene, sight).filter(({ edge }) => selected.has(edge.source) || selected.has(edge.target));
    paintEdges(ctx, frame, touched, palette.colour.accent, 1.5);
    if (view.zoom >= EDGE_TEXT_ZOOM) paintEdgeTexts(ctx, frame, touched, palette.colour.accent);
  }
  const special = new Set([...inSight(found), ...inSight(selected), ...inSight(hovered === null ? [] : [hovered])]);
  if (view.zoom >= TEXT_ZOOM) {
    for (const node of special) paintNode(ctx, frame, node, frame);
  } else {
    ctx.lineWidth = 2.5 / view.zoom;
    for (const node of special) {
      ctx.strokeStyle = selected.has(node.name) || found.has(node.name) ? palette.colour.accent : palette.colour["text-3"];
      ctx.strokeRect(node.x, node.y, node.w, node.h);
    }
  }
  paintLasso(ctx, frame);
}

function paintLasso(ctx: CanvasRenderingContext2D, frame: Frame): void {
  if (frame.lasso === null) return;
  const { x, y, w, h } = frame.lasso;
  ctx.fillStyle = withAlpha(frame.palette.colour.accent, 0.1);
  ctx.fillRect(x, y, w, h);
  ctx.strokeStyle = frame.palette.colour.accent;
  ctx.lineWidth = 1 / frame.view.zoom;
  ctx.strokeRect(x, y, w, h);
}

function paintEdges(ctx: CanvasRenderingContext2D, { view }: Ground, edges: readonly SceneEdge[], colour: string, weight: number): void {
  ctx.lineJoin = "round";
  ctx.strokeStyle = colour;
  ctx.fillStyle = colour;
  ctx.lineWidth = Math.max(1.25, 0.6 / view.zoom) * weight;
  ctx.beginPath();
  for (const { edge, ends } of edges) {
    if (edge.stub) {
      if (view.zoom < BEND_ZOOM) continue;
      for (const end of ends) {
        ctx.moveTo(...end.from);
        ctx.lineTo(...end.to);
      }
    } else if (view.zoom < BEND_ZOOM) plainPath(ctx, edge.points);
    else path(ctx, edge.points);
  }
  ctx.stroke();
  if (view.zoom >= TEXT_ZOOM) for (const { edge } of edges) if (!edge.stub) arrow(ctx, edge.points);
}

function plainPath(ctx: CanvasRenderingContext2D, points: readonly [number, number][]): void {
  points.forEach(([x, y], index) => (index === 0 ? ctx.moveTo(x, y) : ctx.lineTo(x, y)));
}

/** A polyline with softened corners. */
function path(ctx: CanvasRenderingContext2D, points: readonly [number, number][]): void {
  const first = points[0];
  const last = points.at(-1);
  if (first === undefined || last === undefined) return;
  ctx.moveTo(first[0], first[1]);
  for (let index = 1; index < points.length - 1; index++) {
    const [x, y] = points[index]!;
    const [nextX, nextY] = points[index + 1]!;
    ctx.arcTo(x, y, nextX, nextY, 12);
  }
  ctx.lineTo(last[0], last[1]);
}

function arrow(ctx: CanvasRenderingContext2D, points: readonly [number, number][]): void {
  const tip = points.at(-1);
  const before = points.at(-2);
  if (tip === undefined || before === undefined) return;
  const angle = Math.atan2(tip[1] - before[1], tip[0] - before[0]);
  ctx.beginPath();
  ctx.moveTo(tip[0], tip[1]);
  ctx.lineTo(tip[0] - 7 * Math.cos(angle - 0.42), tip[1] - 7 * Math.sin(angle - 0.42));
  ctx.lineTo(tip[0] - 7 * Math.cos(angle + 0.42), tip[1] - 7 * Math.sin(angle + 0.42));
  ctx.closePath();
  ctx.fill();
}

function paintEdgeTexts(ctx: CanvasRenderingContext2D, { palette }: Ground, edges: readonly SceneEdge[], colour: string): void {
  ctx.font = `10px ${palette.mono}`;
  ctx.textBaseline = "middle";
  const written = new Set<string>();
  for (const { edge, ends } of edges) {
    if (edge.stub) {
      ctx.textAlign = "left";
      ctx.fillStyle = colour;
      for (const end of ends) ctx.fillText(stubText(ctx, edge, end.jump, end.label.w), end.label.x, end.label.y + end.label.h / 2);
      continue;
    }
    // A value that several nodes use has one shape: it is written once.
    if (written.has(edge.source)) continue;
    const text = tensor(edge.shape, edge.dtype);
    const at = midpoint(edge.points);
    if (text === "" || at === null) continue;
    written.add(edge.source);
    const width = widthOf(ctx, text);
    ctx.fillStyle = withAlpha(palette.colour.surface, 0.92);
    ctx.fillRect(at[0] - width / 2 - 3, at[1] - 7, width + 6, 14);
    ctx.fillStyle = colour;
    ctx.textAlign = "center";
    ctx.fillText(text, at[0], at[1]);
  }
}

function stubText(ctx: CanvasRenderingContext2D, edge: GraphEdge, jump: string, room: number): string {
  return fitText(ctx, `${jump === edge.target ? "↓" : "↑"} ${middleCut(jump, 18)}`, room);
}
