/** The whole graph in a corner, with the part in view; a click or drag goes there. */

import { useEffect, useRef } from "preact/hooks";
import { theme } from "../lib/theme";
import { readPalette } from "./palette";
import { sceneOf } from "./scene";
import type { GraphJson } from "./types";
import type { Viewport } from "./viewport";
import { operatorClass } from "./types";

interface Props {
  graph: GraphJson;
  viewport: Viewport;
  size: { width: number; height: number };
  selected: ReadonlySet<string>;
  onCentre(x: number, y: number): void;
}

const WIDTH = 84;
const HEIGHT = 128;
const MOST = 0.25;

export function Minimap({ graph, viewport, size, selected, onCentre }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { bounds } = sceneOf(graph);
  // A plan, not a picture: width and height have scales of their own, or a long model would be a hairline.
  const across = Math.min(MOST, (WIDTH - 8) / Math.max(1, bounds.w));
  const down = Math.min(MOST, (HEIGHT - 8) / Math.max(1, bounds.h));
  const left = (WIDTH - bounds.w * across) / 2;
  const top = (HEIGHT - bounds.h * down) / 2;
  const current = theme.value;

  useEffect(() => {
    const ratio = devicePixelRatio || 1;
    const element = canvas.current!;
    element.width = WIDTH * ratio;
    element.height = HEIGHT * ratio;
    const ctx = element.getContext("2d")!;
    const palette = readPalette();
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    for (const node of graph.nodes) {
      ctx.fillStyle = selected.has(node.name) ? palette.colour.accent : palette.operator[operatorClass(node.class)];
      const grow = selected.has(node.name) ? 1 : 0;
      ctx.fillRect(
        left + (node.x - bounds.x) * across - grow, top + (node.y - bounds.y) * down - grow,
        Math.max(1, node.w * across) + 2 * grow, Math.max(1, node.h * down) + 2 * grow,
      );
    }
  }, [graph, selected, current]);

  const go = (event: PointerEvent): void => {
    if (event.buttons !== 1) return;
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    onCentre(bounds.x + (event.clientX - box.left - left) / across, bounds.y + (event.clientY - box.top - top) / down);
  };
  const part = (low: number, size: number, scale: number, offset: number, extent: number): [number, number] => {
    const from = Math.max(0, Math.min(extent - 3, offset + low * scale));
    return [from, Math.max(3, Math.min(extent - from, offset + (low + size) * scale - from))];
  };
  const [x, w] = part(viewport.x - bounds.x, size.width / viewport.zoom, across, left, WIDTH - 2);
  const [y, h] = part(viewport.y - bounds.y, size.height / viewport.zoom, down, top, HEIGHT - 2);
  return (
    <div class="graph-minimap" aria-hidden="true" onPointerDown={go} onPointerMove={go} style={{ width: `${WIDTH}px`, height: `${HEIGHT}px` }}>
      <canvas ref={canvas} style={{ width: `${WIDTH}px`, height: `${HEIGHT}px` }} />
      <i style={{ left: `${x}px`, top: `${y}px`, width: `${w}px`, height: `${h}px` }} />
    </div>
  );
}
