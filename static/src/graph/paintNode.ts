/** A node: box, tint of its operator class on the left edge, label, name, badges of its inputs, and its mark. */

import { inputName, tensor } from "../format";
import { withAlpha } from "../lib/colours";
import type { Frame, Ground } from "./paint";
import { BADGE_ROW, LABEL_ROW, NAME_LENGTH } from "./room";
import { fitText, middleCut, widthOf } from "./text";
import type { GraphNode } from "./types";

const TINT = 4;
const PAD = 10;
const RADIUS = 3;

/** `over`: the node is painted once more because it is selected, found or pointed at. */
export function paintNode(ctx: CanvasRenderingContext2D, frame: Ground, node: GraphNode, over: Frame | null = null): void {
  const { palette, marks } = frame;
  const { colour } = palette;
  const chosen = over?.selected.has(node.name) === true;
  const found = over?.found.has(node.name) === true;
  const mark = marks.get(node.name);
  const { x, y, w, h } = node;

  ctx.fillStyle = chosen ? colour["accent-soft"] : colour.raised;
  ctx.beginPath();
  ctx.roundRect(x, y, w, h, RADIUS);
  ctx.fill();
  if (mark?.live === true && !chosen) {
    ctx.fillStyle = withAlpha(palette.tone[mark.tone], mark.faint ? 0.07 : 0.18);
    ctx.fill();
  }
  ctx.fillStyle = frame.look.tint(node);
  ctx.beginPath();
  ctx.roundRect(x, y, frame.look.edge, h, [RADIUS, 0, 0, RADIUS]);
  ctx.fill();

  ctx.beginPath();
  ctx.roundRect(x, y, w, h, RADIUS);
  ctx.setLineDash(mark?.faint === true && !chosen ? [3, 2] : []);
  ctx.lineWidth = chosen ? (over.focused && node.name === over.focus ? 2.75 : 2) : mark !== undefined || found ? 1.75 : 1;
  ctx.strokeStyle = chosen || found ? colour.accent : mark !== undefined ? palette.tone[mark.tone] : node.name === over?.hovered ? colour["text-3"] : colour["line-strong"];
  ctx.stroke();
  ctx.setLineDash([]);

  paintLabel(ctx, frame, node);
  paintBadges(ctx, frame, node);
  if (mark !== undefined) paintMark(ctx, frame, node, mark.word, palette.tone[mark.tone]);
  const note = frame.look.note(node);
  if (note !== null) paintNote(ctx, frame, node, note);
}

function paintLabel(ctx: CanvasRenderingContext2D, frame: Ground, node: GraphNode): void {
  const { palette } = frame;
  const middle = node.y + Math.min(node.h, LABEL_ROW) / 2 + 0.5;
  ctx.textBaseline = "middle";
  ctx.textAlign = "left";
  ctx.font = `600 ${/[a-z]/i.test(node.label) ? 12 : 15}px ${palette.ui}`;
  ctx.fillStyle = palette.colour.text;
  const room = node.w - TINT - PAD - 6;
  const label = fitText(ctx, node.label, room);
  ctx.fillText(label, node.x + TINT + PAD - 4, middle);
  const rest = room - widthOf(ctx, label) - 10;
  ctx.font = `10px ${palette.mono}`;
  const name = node.op === "block" ? node.target : middleCut(node.name, NAME_LENGTH);
  if (node.name === node.label || widthOf(ctx, name) > rest) return;
  ctx.textAlign = "right";
  ctx.fillStyle = palette.colour["text-3"];
  ctx.fillText(name, node.x + node.w - 7, middle);
}

function paintBadges(ctx: CanvasRenderingContext2D, frame: Ground, node: GraphNode): void {
  const { palette } = frame;
  ctx.font = `10px ${palette.mono}`;
  ctx.textBaseline = "middle";
  ctx.textAlign = "left";
  const rows = Math.floor((node.h - LABEL_ROW) / BADGE_ROW);
  node.badges.slice(0, rows).forEach((badge, index) => {
    const middle = node.y + LABEL_ROW + index * BADGE_ROW + BADGE_ROW / 2 - 2;
    ctx.fillStyle = palette.colour["text-3"];
    ctx.beginPath();
    ctx.arc(node.x + TINT + 9, middle, 2, 0, 2 * Math.PI);
    ctx.fill();
    const left = node.x + TINT + 16;
    const room = node.x + node.w - 6 - left;
    const last = index === rows - 1 && node.badges.length > rows;
    const name = last ? `+${node.badges.length - rows + 1} inputs` : middleCut(inputName(badge.name), NAME_LENGTH);
    ctx.fillStyle = palette.colour["text-2"];
    const shown = fitText(ctx, name, room);
    ctx.fillText(shown, left, middle);
    const at = left + widthOf(ctx, `${shown} `);
    ctx.fillStyle = palette.colour["text-3"];
    if (!last) ctx.fillText(fitText(ctx, tensor(badge.shape, badge.dtype), node.x + node.w - 6 - at), at, middle);
  });
}

function paintMark(ctx: CanvasRenderingContext2D, frame: Ground, node: GraphNode, word: string, colour: string): void {
  ctx.font = `600 10px ${frame.palette.ui}`;
  const width = widthOf(ctx, word);
  const right = node.x + node.w;
  ctx.fillStyle = frame.palette.colour.surface;
  ctx.fillRect(right - width - 12, node.y - 7, width + 8, 13);
  ctx.fillStyle = colour;
  ctx.textAlign = "left";
  ctx.textBaseline = "middle";
  ctx.fillText(word, right - width - 8, node.y - 0.5);
}

/** What was measured: launches, time, kernel or group, on the lower border. */
function paintNote(ctx: CanvasRenderingContext2D, frame: Ground, node: GraphNode, note: string): void {
  ctx.font = `10px ${frame.palette.mono}`;
  const width = widthOf(ctx, note);
  const [left, middle] = [node.x + 16, node.y + node.h];
  ctx.fillStyle = frame.palette.colour.surface;
  ctx.fillRect(left - 4, middle - 6.5, width + 8, 13);
  ctx.fillStyle = frame.palette.colour["text-2"];
  ctx.textAlign = "left";
  ctx.textBaseline = "middle";
  ctx.fillText(note, left, middle + 0.5);
}

/** Far out: a box and a tint each, and a border where there is a mark. */
export function paintTiny(ctx: CanvasRenderingContext2D, frame: Ground, nodes: readonly GraphNode[]): void {
  const { palette, view, marks, look } = frame;
  const tint = Math.max(look.edge, 2.5 / view.zoom) * 3;
  ctx.fillStyle = palette.colour["line-strong"];
  for (const node of nodes) ctx.fillRect(node.x, node.y, node.w, node.h);
  for (const node of nodes) {
    ctx.fillStyle = look.tint(node);
    ctx.fillRect(node.x, node.y, Math.min(node.w, tint), node.h);
  }
  if (marks.size === 0) return;
  ctx.lineWidth = 2.5 / view.zoom;
  for (const node of nodes) {
    const mark = marks.get(node.name);
    if (mark === undefined) continue;
    ctx.strokeStyle = palette.tone[mark.tone];
    ctx.strokeRect(node.x, node.y, node.w, node.h);
  }
}
