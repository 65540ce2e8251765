import { describe, expect, it } from "vitest";
import { diamond } from "../__fixtures__/graphs";
import { next, search, step } from "./walk";

const graph = diamond();

describe("step", () => {
  it("starts at the top, follows edges down and up, and goes sideways", () => {
    expect(step(graph, null, "down")).toBe("top");
    expect(step(graph, "left", "down")).toBe("bottom");
    expect(step(graph, "left", "up")).toBe("top");
    expect(step(graph, "left", "right")).toBe("right");
    expect(step(graph, "right", "left")).toBe("left");
  });

  it("takes the straightest of several edges, and long ones too", () => {
    expect(step(graph, "top", "down")).toBe("bottom"); // a stub, but straight below
  });

  it("stays where there is nothing further", () => {
    expect(step(graph, "bottom", "down")).toBeNull();
    expect(step(graph, "top", "up")).toBeNull();
    expect(step(graph, "bottom", "left")).toBeNull();
  });
});

describe("next", () => {
  it("goes through all nodes and wraps", () => {
    expect(next(graph, null, 1)).toBe("top");
    expect(next(graph, "left", 1)).toBe("right");
    expect(next(graph, "bottom", 1)).toBe("top");
    expect(next(graph, "top", -1)).toBe("bottom");
    expect(next({ ...graph, nodes: [] }, null, 1)).toBeNull();
  });
});

describe("search", () => {
  it("wants every word, in any field", () => {
    expect(search(graph, "SUM left")).toEqual(["left"]);
    expect(search(graph, "torch")).toEqual(["top", "left", "right", "bottom"]);
    expect(search(graph, "  ")).toEqual([]);
    expect(search(graph, "conv")).toEqual([]);
  });
});
