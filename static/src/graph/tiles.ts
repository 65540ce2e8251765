/**
 * The ground in tiles that are kept, at zooms a factor of two apart. While the view moves, frames are put together from
 * them: their cost depends on the size of the window, not on that of the graph. At rest the ground is painted anew, crisp.
 */

import type { Ground } from "./paint";
import { groundWork, paintGround, paintSketch, toScreenUnits, toWorldUnits } from "./paint";
import { visible } from "./viewport";

/** Device pixels. */
const SIZE = 512;
const KEPT = 96;
/** Work on new tiles in one frame, in nodes with text; at least one tile is painted. */
const WORK = 90;

export class Tiles {
  private readonly kept = new Map<string, OffscreenCanvas>();

  forget(): void {
    this.kept.clear();
  }

  /** Puts the ground together; false when some of it is only a sketch so far: another frame is needed. */
  paint(ctx: CanvasRenderingContext2D, ground: Ground): boolean {
    const { view, ratio, width, height, palette } = ground;
    toScreenUnits(ctx, ground);
    ctx.fillStyle = palette.colour.surface;
    ctx.fillRect(0, 0, width, height);
    toWorldUnits(ctx, ground);
    const level = Math.round(Math.log2(view.zoom));
    const zoom = 2 ** level;
    const side = SIZE / (ratio * zoom);
    const sight = visible(view, width, height);
    let work = WORK;
    let complete = true;
    for (let row = Math.floor(sight.y / side); row * side < sight.y + sight.h; row++) {
      for (let column = Math.floor(sight.x / side); column * side < sight.x + sight.w; column++) {
        const key = `${level}/${column}/${row}`;
        const [x, y] = [column * side, row * side];
        let tile = this.kept.get(key);
        if (tile === undefined && work > 0) {
          const part: Ground = { ...ground, view: { x, y, zoom }, width: SIZE / ratio, height: SIZE / ratio };
          work -= 4 + groundWork(part);
          tile = this.make(part);
        }
        if (tile === undefined) {
          complete = false;
          paintSketch(ctx, ground, { x, y, w: side, h: side });
          continue;
        }
        this.kept.delete(key);
        this.kept.set(key, tile); // the last used is the last to go
        ctx.drawImage(tile, x, y, side, side);
      }
    }
    for (const key of this.kept.keys()) {
      if (this.kept.size <= KEPT) break;
      this.kept.delete(key);
    }
    return complete;
  }

  private make(part: Ground): OffscreenCanvas {
    const tile = new OffscreenCanvas(SIZE, SIZE);
    paintGround(tile.getContext("2d", { alpha: false }) as unknown as CanvasRenderingContext2D, part);
    return tile;
  }
}
