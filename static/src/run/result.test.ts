import { expect, it } from "vitest";
import { resultWord } from "./result";

const run = { state: "done", correct: 0, total: 4, rejected: null, verdict: "clean" };
const shown = (over: Partial<Parameters<typeof resultWord>[0]>) => {
  const { glyph, text, tone } = resultWord({ ...run, ...over });
  return `${glyph} ${text} ${tone}`;
};

it("counts correct graphs, but not of a run that was rejected", () => {
  expect(shown({})).toBe("■ correct 0/4 fail");
  expect(shown({ correct: 3 })).toBe("▲ correct 3/4 warn");
  expect(shown({ correct: 4 })).toBe("● correct 4/4 correct");
  expect(shown({ rejected: "bad_submission" })).toBe("◆ rejected violation");
  expect(shown({ rejected: "violation", verdict: "violation" })).toBe("◆ violation violation");
  expect(shown({ verdict: "violation" })).toBe("◆ violation violation");
});

it("says the state of a run that did not end in a verdict", () => {
  expect(shown({ state: "running" })).toBe("◐ running accent");
});
