import { expect, it } from "vitest";
import { patternBody } from "../run/locate";
import { linesOfNodes, passOfMatch } from "./patternLines";

const SOURCE = `import torch

def pattern(tokens, mask):
    weighted = tokens * mask
    total = torch.sum(weighted, -1)
    count = mask.sum(1)
    safe = torch.clamp(count, min=1e-09)
    return total / safe ** 2

def replacement_args(tokens, mask):
    return (tokens * mask,)
`;

it("finds the line of each node, uses of one operator in their order", () => {
  const nodes = [["tmp_0", "operator.mul"], ["tmp_1", "torch.sum"], ["tmp_2", "sum"], ["tmp_3", "torch.clamp"], ["tmp_4", "operator.pow"], ["tmp_5", "operator.truediv"]];
  const lines = linesOfNodes(nodes.map(([name, target]) => ({ name: name!, target: target! })), patternBody(SOURCE)!);
  expect([...lines]).toEqual([["tmp_0", 3], ["tmp_1", 4], ["tmp_2", 5], ["tmp_3", 6], ["tmp_4", 7], ["tmp_5", 7]]);
});

it("leaves out what the text does not name: a minus sign is no subtraction, a double star no product", () => {
  const body = patternBody(SOURCE)!;
  expect(linesOfNodes([{ name: "a", target: "operator.sub" }, { name: "b", target: "torch.relu" }], body).size).toBe(0);
  expect(linesOfNodes([{ name: "a", target: "operator.mul" }, { name: "b", target: "operator.mul" }], body).size).toBe(1);
  expect(patternBody("x = 1\n")).toBeNull();
});

it("finds a negation, and tells it from a negative literal", () => {
  const body = patternBody("def pattern(x):\n    a = torch.cat((x, x), dim=-1)\n    b = -a\n    return a - b, -b\n")!;
  const nodes = ["operator.neg", "operator.neg", "operator.sub"].map((target, index) => ({ name: `n${index}`, target }));
  expect([...linesOfNodes(nodes, body)]).toEqual([["n0", 2], ["n1", 3], ["n2", 3]]);
});

it("knows whose match it is", () => {
  expect([0, 1, 2, 3].map((match) => passOfMatch({ A: 1, B: 0, C: 2 }, match))).toEqual(["A", "C", "C", null]);
});
