import { describe, expect, it } from "vitest";
import { roofline } from "../__fixtures__/speed";
import { boundSentence, floorBars, memorySentence, workSentence } from "./roofline";

describe("roofline", () => {
  it("draws everybody's part of the floor, with the time it stands for", () => {
    expect(floorBars(roofline()).map((bar) => [bar.name, bar.percent, bar.time, bar.below])).toEqual([
      ["eager", "20 %", "29.5", false], ["Inductor", "50 %", "11.8", false], ["yours", "59 %", "10.0", false],
    ]);
    expect(floorBars(roofline({ fraction: { candidate: 1.18 } }))[0]).toMatchObject({ percent: "118 %", time: "5.00", part: 1, below: true });
  });

  it("says what binds eager and what is to be gained, with methods", () => {
    expect(boundSentence(roofline())).toBe("Eager is bound by launches and the host. A perfect fused kernel would gain 4.20× by e2e, 5.00× by graph.");
    expect(boundSentence(roofline({ bound: "memory", perfect_gain: {} }))).toBe("Eager is bound by memory.");
    expect(workSentence(roofline())).toBe("reads 1.57 MB, writes 6.14 kB, 393,216 operations");
    expect(memorySentence(roofline())).toBe("eager 1.58 MB, yours 6.14 kB");
  });
});
