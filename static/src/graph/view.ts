/** The canvas: turns pointer and wheel into pan, zoom and selection, and paints at most once per frame. No framework. */

import type { Look } from "./colouring";
import type { Marks } from "./marks";
import type { Frame } from "./paint";
import { groundWork, paint, paintOver, TEXT_ZOOM } from "./paint";
import type { Palette } from "./palette";
import { readPalette } from "./palette";
import type { Scene } from "./scene";
import { nodeAt, nodesIn, sceneOf, stubAt } from "./scene";
import { forgetWidths } from "./text";
import { Tiles } from "./tiles";
import type { GraphJson } from "./types";
import { operatorClass } from "./types";
import type { Rect, Viewport } from "./viewport";
import { fit, opening, panBy, reveal, toWorld, visible, zoomAt } from "./viewport";

export interface GraphViewEvents {
  select(name: string | null): void;
  /** A click with Shift or Ctrl: takes the node in or out of the selection. */
  toggle(name: string): void;
  /** A double click: opens a repeated block. */
  open(name: string): void;
  /** A rectangle was drawn around these. */
  add(names: string[]): void;
  /** After a pan or zoom, for the minimap and the zoom figure. */
  moved(view: Viewport): void;
}

/** After so long without a move the picture is painted crisp. */
const REST_MS = 220;
/** Up to so many nodes in sight every frame is painted anew: that is fast enough, and crisp. */
const LIGHT = 70;
const CLICK_SLACK = 4;
const WHOLE_NODES = 60;
const READING_ZOOM = 0.8;
/** Below this a first look would be at a map, not at a text. */
const READABLE_ZOOM = 0.6;

export class GraphView {
  private readonly ctx: CanvasRenderingContext2D;
  private scene: Scene = sceneOf({ nodes: [], edges: [], inputs: [], outputs: [], width: 0, height: 0 });
  private view: Viewport = { x: 0, y: 0, zoom: 1 };
  private palette: Palette = readPalette();
  private marks: Marks = new Map();
  private look: Look = { edge: 4, tint: (node) => this.palette.operator[operatorClass(node.class)], note: () => null };
  private readonly tiles = new Tiles();
  private moving = false;
  private movedAt = -Infinity;
  private painted = false;
  private stop: ReturnType<typeof setTimeout> | undefined;
  private found: ReadonlySet<string> = new Set();
  private selected: ReadonlySet<string> = new Set();
  private focusName: string | null = null;
  private lasso: { from: { x: number; y: number }; to: { x: number; y: number } } | null = null;
  private hovered: string | null = null;
  private focused = false;
  private width = 0;
  private height = 0;
  private fitted = true;
  private opened = false;
  private frame: number | null = null;
  private readonly pointers = new Map<number, { x: number; y: number }>();
  private travelled = 0;
  private readonly undo: (() => void)[] = [];

  constructor(
    readonly canvas: HTMLCanvasElement,
    private readonly events: GraphViewEvents,
  ) {
    this.ctx = canvas.getContext("2d")!;
    const watch = new ResizeObserver(() => this.resize());
    watch.observe(canvas);
    this.undo.push(() => watch.disconnect());
    this.listen("pointerdown", (event) => this.pointerDown(event));
    this.listen("pointermove", (event) => this.pointerMove(event));
    this.listen("pointerup", (event) => this.pointerUp(event));
    this.listen("pointercancel", (event) => this.pointers.delete(event.pointerId));
    this.listen("pointerleave", () => this.hover(null));
    this.listen("dblclick", (event) => {
      const world = toWorld(this.view, event.offsetX, event.offsetY);
      const node = nodeAt(this.scene, world.x, world.y);
      if (node !== null) this.events.open(node.name);
    });
    this.listen("wheel", (event) => this.wheel(event), { passive: false });
    this.listen("focus", () => this.focus(true));
    this.listen("blur", () => this.focus(false));
    void document.fonts?.ready.then(() => {
      forgetWidths();
      this.tiles.forget();
      this.draw();
    });
    this.resize();
  }

  destroy(): void {
    for (const action of this.undo) action();
    clearTimeout(this.stop);
    if (this.frame !== null) cancelAnimationFrame(this.frame);
  }

  /** A new graph is fitted; the same graph with news (shapes) keeps the view where it is. */
  setGraph(graph: GraphJson, keepView: boolean): void {
    this.scene = sceneOf(graph);
    this.tiles.forget();
    this.hovered = null;
    const inSight = (): boolean => this.scene.nodes.length === 0 || nodesIn(this.scene, visible(this.view, this.width, this.height)).length > 0;
    this.opened = keepView && this.opened && inSight();
    this.open();
    this.draw();
  }

  /** The first look at a graph; waits for the canvas to have a size. */
  private open(): void {
    if (this.opened || this.width === 0) return;
    this.opened = true;
    const { view, whole } = opening(this.scene.bounds, firstRow(this.scene.nodes, this.scene.bounds), this.width, this.height, READABLE_ZOOM);
    this.move(view, whole);
  }

  setMarks(marks: Marks): void {
    this.marks = marks;
    this.tiles.forget();
    this.draw();
  }

  setLook(look: Look): void {
    this.look = look;
    this.tiles.forget();
    this.draw();
  }

  setFound(found: ReadonlySet<string>): void {
    this.found = found;
    this.draw();
  }

  /** Selects; brings the node of the details into sight when it changes. A small graph that is shown whole stays as it is. */
  select(names: ReadonlySet<string>, name: string | null): void {
    this.selected = names;
    this.draw();
    if (name === this.focusName) return;
    this.focusName = name;
    if (name !== null) this.reveal(name);
  }

  /** Brings a node into sight, if it is not. A small graph that is shown whole stays as it is. */
  reveal(name: string): void {
    const node = this.scene.byName.get(name);
    const whole = this.fitted && this.scene.nodes.length <= WHOLE_NODES;
    if (node === undefined || this.width === 0 || whole) return;
    const near = this.view.zoom < TEXT_ZOOM ? { ...this.view, zoom: READING_ZOOM } : this.view;
    const moved = reveal(near, node, this.width, this.height, 32);
    if (near !== this.view || moved.x !== this.view.x || moved.y !== this.view.y) this.move(moved, false);
  }

  themeChanged(): void {
    this.palette = readPalette();
    this.tiles.forget();
    this.draw();
  }

  fit(): void {
    this.move(fit(this.scene.bounds, this.width, this.height), true);
  }

  /** Whether the whole drawing is in sight. */
  get showsAll(): boolean {
    const { x, y, w, h } = visible(this.view, this.width, this.height);
    const { bounds } = this.scene;
    return bounds.x >= x && bounds.y >= y && bounds.x + bounds.w <= x + w && bounds.y + bounds.h <= y + h;
  }

  zoomBy(factor: number): void {
    this.move(zoomAt(this.view, this.width / 2, this.height / 2, factor), false);
  }

  pan(dx: number, dy: number): void {
    this.move(panBy(this.view, dx, dy), false);
  }

  /** Centres on a world point, for the minimap. */
  centreOn(x: number, y: number): void {
    this.move({ ...this.view, x: x - this.width / 2 / this.view.zoom, y: y - this.height / 2 / this.view.zoom }, false);
  }

  /** Goes where another drawing of the same graph is, and tells nobody. */
  follow(view: Viewport): void {
    if (this.view.x === view.x && this.view.y === view.y && this.view.zoom === view.zoom) return;
    this.view = view;
    this.fitted = false;
    this.draw();
  }

  get size(): { width: number; height: number } {
    return { width: this.width, height: this.height };
  }

  private move(view: Viewport, fitted: boolean): void {
    this.view = view;
    this.fitted = fitted;
    // A single jump is painted at once; moves that follow each other are put together from tiles.
    this.moving = performance.now() - this.movedAt < REST_MS;
    this.movedAt = performance.now();
    clearTimeout(this.stop);
    this.stop = setTimeout(() => {
      this.moving = false;
      this.draw();
    }, REST_MS);
    this.events.moved(view);
    this.draw();
  }

  private draw(): void {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = null;
      if (this.width === 0 || this.height === 0) return;
      const frame: Frame = {
        scene: this.scene, view: this.view, width: this.width, height: this.height, ratio: devicePixelRatio || 1, palette: this.palette,
        marks: this.marks, look: this.look, selected: this.selected, focus: this.focusName, lasso: this.lasso === null ? null : between(this.lasso.from, this.lasso.to), hovered: this.hovered, found: this.found, focused: this.focused,
      };
      if (!this.moving || groundWork(frame) < LIGHT) {
        paint(this.ctx, frame);
      } else {
        const complete = this.tiles.paint(this.ctx, frame);
        paintOver(this.ctx, frame);
        if (!complete) this.draw();
      }
      if (!this.painted && this.scene.nodes.length > 0) performance.mark("graph-painted");
      this.painted ||= this.scene.nodes.length > 0;
    });
  }

  private resize(): void {
    const { clientWidth, clientHeight } = this.canvas;
    const ratio = devicePixelRatio || 1;
    if (clientWidth === 0 || clientHeight === 0) return;
    this.width = clientWidth;
    this.height = clientHeight;
    this.canvas.width = Math.round(clientWidth * ratio);
    this.canvas.height = Math.round(clientHeight * ratio);
    if (!this.opened) this.open();
    else if (this.fitted) this.fit();
    else this.events.moved(this.view);
    this.draw();
  }

  private focus(focused: boolean): void {
    this.focused = focused;
    this.draw();
  }

  private hover(name: string | null): void {
    if (name === this.hovered) return;
    this.hovered = name;
    this.canvas.style.cursor = name === null ? "default" : "pointer";
    this.draw();
  }

  private pointerDown(event: PointerEvent): void {
    if (event.button !== 0 && event.button !== 1) return;
    this.canvas.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
    this.travelled = this.pointers.size > 1 ? Infinity : 0;
    const from = toWorld(this.view, event.offsetX, event.offsetY);
    this.lasso = event.shiftKey && event.button === 0 && this.pointers.size === 1 ? { from, to: from } : null;
  }

  private pointerMove(event: PointerEvent): void {
    const before = this.pointers.get(event.pointerId);
    const at = { x: event.offsetX, y: event.offsetY };
    if (before === undefined) {
      const world = toWorld(this.view, at.x, at.y);
      this.hover(nodeAt(this.scene, world.x, world.y)?.name ?? stubAt(this.scene, world.x, world.y));
      return;
    }
    const other = [...this.pointers].find(([id]) => id !== event.pointerId)?.[1];
    this.pointers.set(event.pointerId, at);
    if (other !== undefined) {
      const factor = distance(at, other) / Math.max(1, distance(before, other));
      this.move(panBy(zoomAt(this.view, (at.x + other.x) / 2, (at.y + other.y) / 2, factor), (at.x - before.x) / 2, (at.y - before.y) / 2), false);
      return;
    }
    this.travelled += Math.abs(at.x - before.x) + Math.abs(at.y - before.y);
    if (this.lasso !== null) {
      this.lasso = { ...this.lasso, to: toWorld(this.view, at.x, at.y) };
      this.draw();
    } else if (this.travelled > CLICK_SLACK) this.move(panBy(this.view, at.x - before.x, at.y - before.y), false);
  }

  private pointerUp(event: PointerEvent): void {
    const lasso = this.lasso;
    this.lasso = null;
    if (!this.pointers.delete(event.pointerId) || event.button !== 0) return;
    if (this.travelled > CLICK_SLACK) {
      if (lasso === null) return;
      this.focusName = null; // what was drawn around is in sight: the view stays
      const names = nodesIn(this.scene, between(lasso.from, lasso.to));
      if (names.length > 0) {
        this.focusName = names.at(-1)!;
        this.events.add(names);
      }
      this.draw();
      return;
    }
    const world = toWorld(this.view, event.offsetX, event.offsetY);
    const slack = (event.pointerType === "touch" ? 8 : 2) / this.view.zoom;
    const node = nodeAt(this.scene, world.x, world.y, slack)?.name ?? null;
    if (event.shiftKey || event.ctrlKey || event.metaKey) {
      if (node === null) return;
      this.focusName = node;
      this.events.toggle(node);
      return;
    }
    const jump = node === null ? stubAt(this.scene, world.x, world.y) : null;
    if (jump === null) this.focusName = node; // what is under the pointer is in sight: the view stays
    this.events.select(jump ?? node);
    this.draw();
  }

  private wheel(event: WheelEvent): void {
    event.preventDefault();
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
    if (event.shiftKey) {
      this.pan(-(event.deltaX || event.deltaY) * unit, 0);
      return;
    }
    const speed = event.ctrlKey ? 0.01 : 0.0016; // a pinch sends small steps with ctrlKey set
    this.move(zoomAt(this.view, event.offsetX, event.offsetY, Math.exp(-event.deltaY * unit * speed)), false);
  }

  private listen<K extends keyof HTMLElementEventMap>(kind: K, listener: (event: HTMLElementEventMap[K]) => void, options?: AddEventListenerOptions): void {
    this.canvas.addEventListener(kind, listener, options);
    this.undo.push(() => this.canvas.removeEventListener(kind, listener, options));
  }
}

function distance(a: { x: number; y: number }, b: { x: number; y: number }): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}

function between(a: { x: number; y: number }, b: { x: number; y: number }): Rect {
  return { x: Math.min(a.x, b.x), y: Math.min(a.y, b.y), w: Math.abs(a.x - b.x), h: Math.abs(a.y - b.y) };
}

/** What the topmost nodes take. */
function firstRow(nodes: readonly Rect[], bounds: Rect): Rect {
  const top = nodes.reduce((least, node) => Math.min(least, node.y), Infinity);
  const row = nodes.filter((node) => node.y === top);
  if (row.length === 0) return bounds;
  const left = Math.min(...row.map((node) => node.x));
  return { x: left, y: top, w: Math.max(...row.map((node) => node.x + node.w)) - left, h: Math.max(...row.map((node) => node.h)) };
}
