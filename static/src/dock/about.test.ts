import { describe, expect, it } from "vitest";
import type { TaskGraph } from "../api";
import { originSentence, paragraphs } from "./about";

const graph = (model: string | null, source: string | null): TaskGraph => ({ name: "g", title: "g", dtypes: [], identity: "g", node_count: 1, inputs: [], model, source });

describe("paragraphs", () => {
  it("stand between blank lines; a word with a colon is their label", () => {
    expect(paragraphs("One\nline.\n\nHints: in_0 holds: tokens.\n \n\n")).toEqual([{ label: null, text: "One line." }, { label: "Hints", text: "in_0 holds: tokens." }]);
    expect(paragraphs("A sentence that has a colon: here.")[0]!.label).toBeNull();
    expect(paragraphs("")).toEqual([]);
  });
});

describe("originSentence", () => {
  it("names models and sources once", () => {
    const graphs = [graph("bert", "hub"), graph("bert", "hub"), graph("swin", null)];
    expect(originSentence({ origin: "shipped", graphs })).toBe("Shipped with the workbench. Models bert, swin; hub.");
    expect(originSentence({ origin: "captured", graphs: [graph("bert", "timm")] })).toBe("Captured from real models; shipped with the workbench. Model bert; timm.");
    expect(originSentence({ origin: "imported", graphs: [graph(null, null)] })).toBe("Imported into this installation.");
    expect(originSentence({ origin: "imported", graphs: ["a", "b", "c", "d", "e"].map((name) => graph(name, null)) })).toContain("a, b, c, d and 1 more.");
  });
});
