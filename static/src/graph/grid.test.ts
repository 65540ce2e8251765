import { describe, expect, it } from "vitest";
import { Grid } from "./grid";

describe("grid", () => {
  const box = (x: number, y: number, w = 10, h = 10) => ({ x, y, w, h });
  const items = [box(0, 0), box(5000, 5000), box(630, 0, 20, 3000), box(-5000, 300)];
  const grid = new Grid(items, (item) => [item]);

  it("answers with what is near, each once, in order", () => {
    expect(grid.near(box(0, 0, 1000, 1300))).toEqual([items[0], items[2]]);
    expect(grid.near(box(-5000, 300))).toEqual([items[3]]);
    expect(grid.near(box(20_000, 20_000))).toEqual([]);
  });

  it("does not count cells when the question is about everything", () => {
    expect(grid.near(box(-1e9, -1e9, 2e9, 2e9))).toEqual(items);
  });
});
