/** Finds what lies in a part of the plane without looking at everything: a grid of cells, each with the items that touch it. */

import type { Rect } from "./viewport";

const CELL = 640;

export class Grid<T> {
  private readonly cells = new Map<string, number[]>();
  /** Number of the last question that met an item: an item in several cells is answered once. */
  private readonly met: Uint32Array;
  private question = 0;

  constructor(
    readonly items: readonly T[],
    boxes: (item: T) => readonly Rect[],
  ) {
    this.met = new Uint32Array(items.length);
    items.forEach((item, index) => {
      for (const box of boxes(item)) {
        this.overCells(box, (key) => {
          const cell = this.cells.get(key);
          if (cell === undefined) this.cells.set(key, [index]);
          else if (cell.at(-1) !== index) cell.push(index);
        });
      }
    });
  }

  /** The items of all cells that the area touches, in their own order: some of them may lie a little outside. */
  near(area: Rect): T[] {
    if ((area.w / CELL + 1) * (area.h / CELL + 1) > this.cells.size) return [...this.items];
    const question = ++this.question;
    const found: number[] = [];
    this.overCells(area, (key) => {
      for (const index of this.cells.get(key) ?? []) {
        if (this.met[index] === question) continue;
        this.met[index] = question;
        found.push(index);
      }
    });
    return found.sort((a, b) => a - b).map((index) => this.items[index]!);
  }

  private overCells(area: Rect, visit: (key: string) => void): void {
    const [left, right] = [Math.floor(area.x / CELL), Math.floor((area.x + area.w) / CELL)];
    const [top, bottom] = [Math.floor(area.y / CELL), Math.floor((area.y + area.h) / CELL)];
    for (let row = top; row <= bottom; row++) for (let column = left; column <= right; column++) visit(`${column},${row}`);
  }
}
