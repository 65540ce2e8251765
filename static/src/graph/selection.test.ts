import { beforeEach, describe, expect, it } from "vitest";
import { diamond } from "../__fixtures__/graphs";
import { graphName, graphs, selectedNode } from "../workbench/session";
import { add, clear, grow, select, selected, shrink, toggle } from "./selection";

const names = (): string[] => [...selected.value].sort();

describe("selection", () => {
  beforeEach(() => {
    graphs.value = { one: { status: "ready", value: { ...diamond(), name: "one", source: "" } } };
    graphName.value = "one";
    clear();
  });

  it("is one thing with the node of the details", () => {
    select(["top", "left"]);
    expect([names(), selectedNode.value]).toEqual([["left", "top"], "left"]);
    selectedNode.value = "right";
    expect(names()).toEqual(["right"]);
    selectedNode.value = null;
    expect(names()).toEqual([]);
  });

  it("takes nodes in and out", () => {
    toggle("top");
    toggle("left");
    expect([names(), selectedNode.value]).toEqual([["left", "top"], "left"]);
    toggle("left");
    expect([names(), selectedNode.value]).toEqual([["top"], "top"]);
    add(["right", "left"]);
    expect([names(), selectedNode.value]).toEqual([["left", "right", "top"], "left"]);
  });

  it("grows along edges and shrinks the way it grew", () => {
    select(["left"]);
    grow("producers");
    expect(names()).toEqual(["left", "top"]);
    grow("consumers");
    expect(names()).toEqual(["bottom", "left", "right", "top"]);
    shrink();
    expect(names()).toEqual(["left", "top"]);
    shrink();
    expect(names()).toEqual(["left"]);
    expect(selectedNode.value).toBe("left");
  });
});
