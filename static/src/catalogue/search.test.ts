import { describe, expect, it } from "vitest";
import type { TaskRow } from "../api";
import { readAddress, writeAddress } from "./address";
import { inductorState, knownValues, parse, resultState } from "./query";
import type { Chosen, Filter } from "./search";
import { facets, fits, namesakes, nextSort, NOTHING, sorted, toggled } from "./search";

const task = (slug: string, operators: string[], dtypes: string[], more: Partial<TaskRow> = {}): TaskRow => ({
  slug, title: slug.replaceAll("-", " "), summary: "", operators: operators.map((label) => ({ label, class: label === "sum" ? "reduction" : "other" })), dtypes, facets: {},
  has_example: false, size: { least: 2, most: 2 }, graph: null, graph_count: 2, thumbnail: "", best: [], inductor: null, examples: [], ...more,
});
const best = (correct: number, device = "cpu") => ({ device, correct, total: 2, first_t: null, verdict: "clean", run: null });
const tasks = [
  task("mean-pool", ["sum", "*"], ["float32", "float16"], { size: { least: 3, most: 12 }, best: [best(1), best(2, "cuda:H200")], has_example: true }),
  task("rms-norm", ["mean", "*"], ["float32"], { best: [best(1)], graph_count: 5, inductor: { measured: 2, faster: 1, slower: 1 }, facets: { family: ["encoders of text"], kind: ["fusible"] } }),
  task("gelu", ["tanh"], ["bfloat16"], { size: null, inductor: { measured: 2, faster: 2, slower: 0 } }),
];
const filter = (query = "", chosen: Partial<Chosen> = {}): Filter => ({ query, chosen: { ...NOTHING.chosen, ...chosen } });
const found = (query = "", chosen: Partial<Chosen> = {}) => tasks.filter((entry) => fits(entry, filter(query, chosen))).map((entry) => entry.slug);

describe("fits", () => {
  it("wants every word, every operator and any of the dtypes", () => {
    expect(found()).toHaveLength(3);
    expect(found("MEAN f32")).toEqual(["mean-pool", "rms-norm"]);
    expect(found("", { operators: ["*", "sum"] })).toEqual(["mean-pool"]);
    expect(found("", { dtypes: ["float16", "bfloat16"] })).toEqual(["mean-pool", "gelu"]);
    expect(found("nothing")).toEqual([]);
    expect(found("encoders")).toEqual(["rms-norm"]);
    expect(found("family:text -kind:single")).toEqual(["rms-norm"]);
    expect(found("", { family: ["encoders of text"], kind: ["fusible"] })).toEqual(["rms-norm"]);
    expect(found("", { kind: ["single"] })).toEqual([]);
  });

  it("takes a size when a graph of the task has it", () => {
    expect(found("", { size: ["5–9"] })).toEqual(["mean-pool"]);
    expect(found("", { size: ["1–4"] })).toEqual(["mean-pool", "rms-norm"]);
    expect(found("", { size: ["25–99"] })).toEqual([]);
  });

  it("knows results and Inductor by state", () => {
    expect(tasks.map(resultState)).toEqual(["correct", "fails", "not run"]);
    expect(tasks.map(inductorState)).toEqual(["not measured", "slower", "not slower"]);
    expect(found("", { result: ["fails", "not run"] })).toEqual(["rms-norm", "gelu"]);
    expect(found("", { inductor: ["slower"] })).toEqual(["rms-norm"]);
    expect(found("", { example: ["worked example"] })).toEqual(["mean-pool"]);
  });
});

describe("words with a meaning", () => {
  it.each([
    ["has:sum", ["mean-pool"]], ["has:reduction", ["mean-pool"]], ["has:su", []], ["-has:sum", ["rms-norm", "gelu"]],
    ["dtype:bf16", ["gelu"]], ["dtype:torch.bfloat16", ["gelu"]], ["dtype:float32 has:mean", ["rms-norm"]],
    ["size:>10", ["mean-pool"]], ["size:>12", []], ["size:<3", ["rms-norm"]], ["size:2", ["rms-norm"]], ["size:5..20", ["mean-pool"]], ["size:>=12", ["mean-pool"]],
    ["graphs:>4", ["rms-norm"]], ["result:correct", ["mean-pool"]], ["result:none", ["gelu"]],
    ["inductor:slower", ["rms-norm"]], ["inductor:faster", ["rms-norm", "gelu"]], ["is:worked", ["mean-pool"]],
    ["has:", ["mean-pool", "rms-norm", "gelu"]], ["-gelu", ["mean-pool", "rms-norm"]],
  ])("%s", (query, slugs) => expect(found(query)).toEqual(slugs));

  it("says what it did not understand, where it stands, and leaves it out", () => {
    expect(parse("gelu size:>abc").problems).toEqual([{ start: 5, end: 14, message: "size:>abc left out: wants a number: >10, <10, 7 or 5..20, the smaller first" }]);
    expect(found("size:>abc gelu")).toEqual(["gelu"]);
    const malformed = ["size:", "size:20..5", "size:>", "size>10", ">=10", "graphs:many", "dtype:f17", "siz:>3", "constructor:x", "result:ok", "inductor:constructor", "is:", "has:", "-", "-size:x"];
    for (const word of malformed) {
      expect(parse(`a ${word}`).problems.map(({ start, end }) => [start, end])).toEqual([[2, 2 + word.length]]);
      expect([parse(word).words, parse(word).tests]).toEqual([[], []]);
    }
    expect(parse("aten::add dtype:float8_e4m3fn dtype:f32 -dtype:torch.bool")).toMatchObject({ words: ["aten::add"], problems: [] });
  });
});

describe("what a word asks for by name", () => {
  const three = [task("a", [], [], { title: "abs", facets: { domain: ["cv"], kind: ["single"] } }), task("abs-40aaf3aa", [], [], { title: "abs", facets: { domain: ["computer_vision"], benchmark: ["fusible"] } }), task("c", [], [], { title: "c" })];
  const names = (query: string) => three.filter((entry) => fits(entry, { query, chosen: NOTHING.chosen })).map((entry) => entry.slug);

  it("is one domain however files write it, and a benchmark", () => {
    for (const query of ["domain:vision", "domain:cv", "domain:computer_vision"]) expect(names(query)).toEqual(["a", "abs-40aaf3aa"]);
    expect(names("benchmark:fusible")).toEqual(["abs-40aaf3aa"]);
    expect(facets(three, filter()).domain).toEqual([{ value: "computer vision", count: 2 }]);
  });

  it("is named when no task has it", () => {
    expect(parse("c kind:nonsense", knownValues(three)).problems).toEqual([{ start: 2, end: 15, message: "kind:nonsense fits no task: there is single" }]);
    expect(parse("kind:single -benchmark:fusible domain:vis", knownValues(three)).problems).toEqual([]);
    expect(parse("kind:nonsense").problems).toEqual([]); // nothing is known yet
    expect(names("kind:nonsense")).toEqual([]);
  });

  it("is told apart where titles are the same", () => {
    expect([...namesakes(three)]).toEqual([["a", "a"], ["abs-40aaf3aa", "40aaf3aa"]]);
  });
});

describe("facets", () => {
  it("counts what each further choice would leave, and keeps values that would leave nothing", () => {
    expect(facets(tasks, filter("", { operators: ["*"] })).operators).toEqual([{ value: "*", count: 2 }, { value: "mean", count: 1 }, { value: "sum", count: 1 }, { value: "tanh", count: 0 }]);
    expect(facets(tasks, filter("", { operators: ["*"] })).dtypes).toEqual([{ value: "float32", count: 2 }, { value: "float16", count: 1 }, { value: "bfloat16", count: 0 }]);
  });

  it("counts alternatives as if none were chosen, and keeps the order of those that have one", () => {
    expect(facets(tasks, filter("", { dtypes: ["bfloat16"] })).dtypes.find((facet) => facet.value === "float32")!.count).toBe(2);
    expect(facets(tasks, filter("", { result: ["fails"] })).result).toEqual([{ value: "correct", count: 1 }, { value: "fails", count: 1 }, { value: "not run", count: 1 }]);
  });
});

it("sorts by a column, down, up, and as it was", () => {
  const by = (sort: Parameters<typeof sorted>[1]) => sorted(tasks, sort).map((entry) => entry.slug);
  expect(by({ by: "task", down: false })).toEqual(["gelu", "mean-pool", "rms-norm"]);
  expect(by({ by: "operators", down: true })).toEqual(["mean-pool", "rms-norm", "gelu"]);
  expect(by({ by: "graphs", down: true })).toEqual(["rms-norm", "mean-pool", "gelu"]);
  expect(by({ by: "result", down: false })).toEqual(["gelu", "rms-norm", "mean-pool"]);
  expect(by(null)).toEqual(["mean-pool", "rms-norm", "gelu"]);
  const first = nextSort(null, "graphs");
  expect([first, nextSort(first, "graphs"), nextSort(nextSort(first, "graphs"), "graphs")]).toEqual([{ by: "graphs", down: true }, { by: "graphs", down: false }, null]);
  expect(nextSort(first, "task")).toEqual({ by: "task", down: false });
});

it("is carried by the address", () => {
  const chosen = filter("has:cat size:>10", { operators: ["+", "a&b"], size: ["100 or more"] });
  const sort = { by: "graphs", down: true } as const;
  expect(readAddress(writeAddress(chosen, sort))).toEqual({ filter: chosen, sort });
  expect(writeAddress(NOTHING, null)).toBe("");
  expect(readAddress("?sort=constructor&q=x")).toEqual({ filter: filter("x"), sort: null });
});

it("toggles", () => {
  expect(toggled(["a"], "b")).toEqual(["a", "b"]);
  expect(toggled(["a", "b"], "a")).toEqual(["b"]);
});
