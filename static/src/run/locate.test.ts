import { describe, expect, it } from "vitest";
import { nearMiss } from "../__fixtures__/events";
import { placeInMessage, placeOfNearMiss } from "./locate";

const SOURCE = `import torch

def pattern(in_0, in_1):
    tmp_0 = in_0 * in_1
    tmp_1 = torch.sum(tmp_0, 1)
    tmp_2 = in_1.sum(2)
    tmp_3 = torch.clamp(tmp_2, min=1e-09)
    return tmp_1 / tmp_3

def replacement_args(in_0, in_1):
    return (in_0, in_1)
`;
const files = { "FusePool.py": SOURCE, "helper.py": "", "sorted_output_pass_rule_names.json": "[]" };

describe("placeOfNearMiss", () => {
  const line = (over: Parameters<typeof nearMiss>[0]) => placeOfNearMiss(nearMiss(over), files)?.line;

  it("finds the line by its code, by the name it assigns, or by the operator that tracing named it after", () => {
    expect(line({ pattern_code: "tmp_3 = torch.clamp( tmp_2, min=1e-09 )", pattern_node: null })).toBe(7);
    expect(line({ pattern_code: "x", pattern_node: "tmp_1" })).toBe(5);
    expect(line({ pattern_code: "x", pattern_node: "sum_1" })).toBe(6); // the second sum
    expect(line({ pattern_code: null, pattern_node: "truediv" })).toBe(8);
    expect(line({ pattern_code: null, pattern_node: "mul" })).toBe(4);
  });

  it("falls back to the def line, and to nothing without the file", () => {
    expect(line({ pattern_code: null, pattern_node: "conv2d" })).toBe(3);
    expect(line({ pass_name: "Gone" })).toBeUndefined();
  });
});

describe("placeInMessage", () => {
  it("reads file:line and the innermost frame of a traceback, of the draft's own files only", () => {
    expect(placeInMessage("FusePool.py:12: invalid syntax", files)).toEqual({ file: "FusePool.py", line: 12 });
    expect(placeInMessage('File "/x/pass_dir/FusePool.py", line 3, in f\n  File "/x/pass_dir/helper.py", line 9, in g', files)).toEqual({ file: "helper.py", line: 9 });
    expect(placeInMessage("torch/nn/functional.py:12: no", files)).toBeNull();
  });
});
