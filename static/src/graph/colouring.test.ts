import { describe, expect, it } from "vitest";
import { node } from "../__fixtures__/graphs";
import { colouring, heatStep, launchNote } from "./colouring";
import type { Palette } from "./palette";
import { OPERATOR_CLASSES } from "./types";

const palette = {
  colour: { "line-strong": "grey" }, heat: ["h0", "h1", "h2", "h3", "h4", "h5"],
  operator: Object.fromEntries(OPERATOR_CLASSES.map((name) => [name, name])),
} as unknown as Palette;

const nodes = [node("a", { class: "pointwise" }), node("b", { dtype: "float16" }), node("c", { class: "view" })];
const overlays = {
  time: new Map([["a", 12], ["b", 3]]), kernels: new Map([["a", ["first", "second"]], ["b", ["first"]]]),
  groups: new Map<string, number>(), inductor: new Map([["a", 0], ["b", 1]]),
};

describe("colouring", () => {
  it("tells operator classes apart, those that are there, and notes launches", () => {
    const { look, legend } = colouring("operator", nodes, palette, overlays);
    expect(nodes.map(look.tint)).toEqual(["pointwise", "reduction", "view"]);
    expect(nodes.map(look.note)).toEqual(["2 launches", "1 launch", null]);
    expect(legend.entries.map((entry) => entry.words)).toEqual(["pointwise", "reduction", "view, movement"]);
  });

  it("puts times on an even scale from zero to the longest", () => {
    const { look, legend } = colouring("time", nodes, palette, overlays);
    expect(nodes.map(look.tint)).toEqual(["h5", "h1", "grey"]);
    expect(nodes.map(look.note)).toEqual(["12.0 µs", "3.00 µs", null]);
    expect(legend.ramp).toMatchObject({ low: "0", high: "12.0 µs" });
    expect([0, 5, 10].map((value) => heatStep(value, 10, 5))).toEqual([0, 2, 4]);
  });

  it("gives kernels, dtypes and groups a colour and a word each", () => {
    expect(nodes.map(colouring("kernel", nodes, palette, overlays).look.note)).toEqual(["first +1", "first", null]);
    expect(nodes.map(colouring("dtype", nodes, palette, null).look.note)).toEqual(["f32", "f16", "f32"]);
    const { look } = colouring("group", nodes, palette, overlays);
    expect(nodes.map(look.note)).toEqual(["group 1", "group 2", null]);
    expect(look.tint(nodes[0]!)).not.toBe(look.tint(nodes[1]!));
    expect(look.tint(nodes[2]!)).toBe("grey");
  });

  it("says nothing about nodes without launches", () => {
    expect([0, 1, 3].map(launchNote)).toEqual([null, "1 launch", "3 launches"]);
  });
});
