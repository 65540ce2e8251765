/** Pan and zoom as plain arithmetic. A world point is at zoom 1; a screen point is in CSS pixels of the canvas. */

export interface Viewport {
  /** World point shown at the canvas's top left. */
  x: number;
  y: number;
  zoom: number;
}

export interface Rect {
  x: number;
  y: number;
  w: number;
  h: number;
}

export const MIN_ZOOM = 0.002;
export const MAX_ZOOM = 4;
/** A small graph is not blown up to fill the pane. */
export const FIT_ZOOM = 1.15;
const OPENING_MARGIN = 24;
const OPENING_ZOOM = 0.9;

export function toWorld(view: Viewport, x: number, y: number): { x: number; y: number } {
  return { x: view.x + x / view.zoom, y: view.y + y / view.zoom };
}

export function toScreen(view: Viewport, x: number, y: number): { x: number; y: number } {
  return { x: (x - view.x) * view.zoom, y: (y - view.y) * view.zoom };
}

/** Zooms by a factor; the world point under (x, y) stays where it is. */
export function zoomAt(view: Viewport, x: number, y: number, factor: number): Viewport {
  const zoom = Math.min(MAX_ZOOM, Math.max(MIN_ZOOM, view.zoom * factor));
  const at = toWorld(view, x, y);
  return { x: at.x - x / zoom, y: at.y - y / zoom, zoom };
}

export function panBy(view: Viewport, dx: number, dy: number): Viewport {
  return { ...view, x: view.x - dx / view.zoom, y: view.y - dy / view.zoom };
}

/** Shows the whole of `bounds`, centred, with `padding` CSS pixels around it. */
export function fit(bounds: Rect, width: number, height: number, padding = 16): Viewport {
  const free = (size: number): number => Math.max(1, size - 2 * padding);
  const zoom = Math.min(FIT_ZOOM, Math.max(MIN_ZOOM, Math.min(free(width) / Math.max(1, bounds.w), free(height) / Math.max(1, bounds.h))));
  return {
    x: bounds.x + bounds.w / 2 - width / 2 / zoom,
    y: bounds.y + bounds.h / 2 - height / 2 / zoom,
    zoom,
  };
}

/**
 * Where to begin reading: the whole graph when its text can be read so, else its first nodes at a readable size.
 * `first` is what the first row takes: centred where it fits, else shown from its left end on.
 */
export function opening(bounds: Rect, first: Rect, width: number, height: number, readable: number): { view: Viewport; whole: boolean } {
  const whole = fit(bounds, width, height);
  if (whole.zoom >= readable) return { view: whole, whole: true };
  const free = width - 2 * OPENING_MARGIN;
  const across = free / Math.max(1, bounds.w);
  const wholeWidth = across >= readable;
  const zoom = wholeWidth ? Math.min(OPENING_ZOOM, across) : OPENING_ZOOM;
  const left = wholeWidth ? bounds.x + bounds.w / 2 - width / 2 / zoom : first.w * zoom <= free ? first.x + first.w / 2 - width / 2 / zoom : first.x - OPENING_MARGIN / zoom;
  return { view: { x: left, y: bounds.y - OPENING_MARGIN / zoom, zoom }, whole: false };
}

/** Moves the view as little as needed for `rect` to be in sight with a margin; never changes the zoom. */
export function reveal(view: Viewport, rect: Rect, width: number, height: number, margin = 32): Viewport {
  const shift = (low: number, size: number, origin: number, extent: number): number => {
    const from = (low - origin) * view.zoom;
    const to = from + size * view.zoom;
    if (from >= margin && to <= extent - margin) return 0;
    if (to - from > extent - 2 * margin || from < margin) return (from - margin) / view.zoom;
    return (to - extent + margin) / view.zoom;
  };
  return {
    ...view,
    x: view.x + shift(rect.x, rect.w, view.x, width),
    y: view.y + shift(rect.y, rect.h, view.y, height),
  };
}

/** The part of the world that the canvas shows. */
export function visible(view: Viewport, width: number, height: number): Rect {
  return { x: view.x, y: view.y, w: width / view.zoom, h: height / view.zoom };
}

export function overlaps(a: Rect, b: Rect): boolean {
  return a.x <= b.x + b.w && b.x <= a.x + a.w && a.y <= b.y + b.h && b.y <= a.y + a.h;
}
