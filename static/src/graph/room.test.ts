import { describe, expect, it } from "vitest";
import { diamond, node } from "../__fixtures__/graphs";
import { makeRoom, sizeOf } from "./room";
import type { GraphJson } from "./types";

const badge = (name: string) => ({ name, shape: [2, 3], dtype: "float32" });

describe("makeRoom", () => {
  it("grows a node by one row for each input, up to a few", () => {
    expect(sizeOf(node("a", { h: 28, w: 184 }))).toEqual({ w: 184, h: 28 });
    expect(sizeOf(node("a", { h: 28, w: 184, badges: [badge("in_0"), badge("in_1")] })).h).toBe(62);
    expect(sizeOf(node("a", { h: 28, badges: Array.from({ length: 9 }, (_, index) => badge(`in_${index}`)) })).h).toBe(107);
    expect(sizeOf(node("a", { badges: [badge("x".repeat(200))] })).w).toBe(230);
  });

  it("moves what is below down, and keeps edges on their nodes", () => {
    const graph = diamond();
    graph.nodes[1] = node("left", { x: 0, y: 100, badges: [badge("in_0")] });
    const roomy = makeRoom(graph);
    const at = (name: string) => roomy.nodes.find((entry) => entry.name === name)!;
    expect(at("left").h).toBe(47); // 24 → 28 + 15 + 4
    expect([at("top").y, at("left").y, at("right").y, at("bottom").y]).toEqual([0, 100, 100, 223]);
    for (const edge of roomy.edges.filter((entry) => !entry.stub)) {
      const source = at(edge.source);
      const target = at(edge.target);
      expect(edge.points[0]).toEqual([source.x + source.w / 2, source.y + source.h]);
      expect(edge.points.at(-1)).toEqual([target.x + target.w / 2, target.y]);
    }
  });

  it("keeps neighbours of a row apart", () => {
    const graph = { ...diamond(), nodes: [node("a_rather_long_name", { x: 0 }), node("another_long_name", { x: 92 })] };
    const [left, right] = makeRoom(graph).nodes;
    expect(right!.x - (left!.x + left!.w)).toBeGreaterThanOrEqual(15.9);
  });

  it("keeps a path's points in order from top to bottom", () => {
    const graph = diamond();
    graph.nodes[1] = node("left", { x: 0, y: 100, badges: [badge("in_0")] });
    graph.edges.push({ source: "top", target: "bottom", points: [[110, 24], [20, 112], [110, 200]], stub: false, shape: null, dtype: null });
    const points = makeRoom(graph).edges.at(-1)!.points.map(([, y]) => y);
    expect(points).toEqual([24, 135, 223]);
  });

  it("leaves an empty graph alone", () => {
    const empty = { ...diamond(), nodes: [], edges: [] };
    expect(makeRoom(empty)).toBe(empty);
  });

  it("leaves what a pass did not touch where it was", () => {
    const badges = [1, 2, 3, 4, 5].map((number) => ({ name: `in_${number}`, shape: [4], dtype: "float32" }));
    const graph = (names: string[]): GraphJson => ({
      nodes: names.map((name) => node(name, { y: name === "last" ? 100 : 0, badges: name === "fat" ? badges : [] })),
      edges: [], inputs: [], outputs: [], width: 0, height: 0,
    });
    const [before, after] = [graph(["fat", "last"]), graph(["slim", "last"])];
    const y = (one: GraphJson): number => one.nodes[1]!.y;
    expect(y(makeRoom(after))).toBe(100);
    expect(y(makeRoom(after, [before, after]))).toBe(y(makeRoom(before, [before, after])));
  });
});
