import { describe, expect, it } from "vitest";
import { diamond, node } from "../__fixtures__/graphs";
import { toDot, toSvg } from "./export";
import type { Palette } from "./palette";

const palette = { colour: { raised: "#fff", surface: "#fff", text: "#000", "text-2": "#333", "line-strong": "#999" } } as unknown as Palette;
const look = { edge: 4, tint: () => "#00f", note: () => null };

describe("export", () => {
  it("writes DOT with inputs and shapes", () => {
    const graph = { ...diamond(), nodes: [node("a", { badges: [{ name: "in_0", shape: [4], dtype: "float16" }] })], edges: [{ source: "a", target: "b", points: [], stub: false, shape: null, dtype: null }] };
    expect(toDot(graph, "one")).toBe([
      'digraph "one" {', "  node [shape=box, fontname=sans];", '  "in_0" [shape=ellipse, label="in_0 [4] f16"];', '  "in_0" -> "a";',
      '  "a" [label="sum [2,3] f32"];', '  "a" -> "b";', "}", "",
    ].join("\n"));
  });

  it("lets no name break out of either format", () => {
    const evil = '</text><script>alert("1")</script>\u0001\\';
    const graph = { ...diamond(), nodes: [node(evil, { label: evil, code: evil })], edges: [] };
    const svg = toSvg(graph, palette, look);
    expect(svg).not.toContain("<script");
    expect(svg).not.toContain("\u0001");
    expect(svg).toContain("&lt;script&gt;");
    expect(toDot(graph, evil).split("\n")).toHaveLength(5);
    expect(toDot(graph, evil)).toContain('alert(\\"1\\")');
  });

  it("draws stubs as two labelled ends", () => {
    const svg = toSvg(diamond(), palette, look);
    expect(svg).toContain("↓ bottom");
    expect(svg).toContain("↑ top");
    expect(svg.match(/marker-end/g)).toHaveLength(4);
  });
});
