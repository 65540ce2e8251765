import { describe, expect, it } from "vitest";
import { node } from "../__fixtures__/graphs";
import type { Block } from "./blocks";
import { repeatedBlocks } from "./blocks";
import { fold } from "./fold";
import type { GraphJson, GraphNode } from "./types";

/** A chain of operators, 100 pixels apart; each node is named by its place. */
function chain(labels: readonly string[]): GraphJson {
  const nodes = labels.map((label, index): GraphNode => node(`n${index}`, { label, target: label, y: 100 * index, h: 24 }));
  const edges = nodes.slice(1).map((target, index) => ({
    source: `n${index}`, target: target.name, points: [[30, 100 * index + 24], [30, 100 * index + 100]] as [number, number][], stub: false, shape: null, dtype: null,
  }));
  return { nodes, edges, inputs: [], outputs: [], width: 60, height: 100 * labels.length };
}

const layer = ["linear", "softmax", "matmul", "add"];
const names = (blocks: Block[]): string[][] => blocks.map((block) => block.nodes);

describe("repeatedBlocks", () => {
  it("finds layers between what stands before and after them", () => {
    const { nodes, edges } = chain(["embedding", ...layer, ...layer, ...layer, "norm"]);
    const blocks = repeatedBlocks(nodes, edges);
    expect(names(blocks)).toEqual([["n1", "n2", "n3", "n4"], ["n5", "n6", "n7", "n8"], ["n9", "n10", "n11", "n12"]]);
    expect(blocks.map((block) => [block.name, block.of])).toEqual([["block 1", 3], ["block 2", 3], ["block 3", 3]]);
  });

  it("finds nothing where only one or two operators alternate, or a short block comes twice", () => {
    const of = (labels: string[]): Block[] => repeatedBlocks(chain(labels).nodes, chain(labels).edges);
    expect(of(["add", "mul", "add", "mul", "add", "mul", "add", "mul", "add", "mul", "add", "mul"])).toEqual([]);
    expect(of([...layer, ...layer])).toEqual([]);
    expect(of([])).toEqual([]);
  });

  it("cuts where the fewest values pass", () => {
    // Rotated by one the sequence repeats as well, but there a second value passes each border.
    const { nodes, edges } = chain(["add", ...layer, ...layer, ...layer]);
    const skips = [[1, 3], [5, 7], [9, 11]].map(([from, to]) => ({ source: `n${from}`, target: `n${to}` }));
    expect(repeatedBlocks(nodes, [...edges, ...skips])[0]!.nodes[0]).toBe("n0");
    const residual = [[2, 5], [6, 9], [10, 12]].map(([from, to]) => ({ source: `n${from}`, target: `n${to}` }));
    expect(repeatedBlocks(nodes, [...edges, ...residual])[0]!.nodes[0]).toBe("n2");
  });

  it("finds a second kind of blocks", () => {
    const other = ["conv", "norm", "relu", "pool"];
    const { nodes, edges } = chain([...layer, ...layer, ...layer, ...layer, ...other, ...other, ...other]);
    const blocks = repeatedBlocks(nodes, edges);
    expect(blocks.map((block) => block.name)).toEqual(["block 1", "block 2", "block 3", "block 4", "block B1", "block B2", "block B3"]);
  });
});

describe("fold", () => {
  const graph = chain(["embedding", ...layer, ...layer, ...layer, "norm"]);
  const blocks = repeatedBlocks(graph.nodes, graph.edges);

  it("leaves a graph without closed blocks alone", () => {
    expect(fold(graph, [])).toBe(graph);
  });

  it("draws each block as one box, moves up what is below, and joins them by the edges between them", () => {
    const folded = fold(graph, blocks);
    expect(folded.nodes.map(({ name, y }) => [name, y])).toEqual([["n0", 0], ["block 1", 100], ["block 2", 222], ["block 3", 344], ["n13", 466]]);
    expect(folded.edges.map(({ source, target, stub }) => [source, target, stub])).toEqual([
      ["n0", "block 1", false], ["block 1", "block 2", false], ["block 2", "block 3", false], ["block 3", "n13", false],
    ]);
  });

  it("opens one block in its place", () => {
    const folded = fold(graph, [blocks[0]!, blocks[2]!]);
    expect(folded.nodes.map(({ name, y }) => [name, y])).toEqual([
      ["n0", 0], ["block 1", 100], ["n5", 222], ["n6", 322], ["n7", 422], ["n8", 522], ["block 3", 622], ["n13", 744],
    ]);
    const inner = folded.edges.find((edge) => edge.source === "n5")!;
    expect(inner.points).toEqual([[30, 246], [30, 322]]);
  });
});
