import { describe, expect, it } from "vitest";
import { curve, curveWords } from "./score";

describe("curve", () => {
  const points = curve({ "0": 2, "-10": 0.5, "-5": 1 });

  it("runs by rising t", () => {
    expect(points).toEqual([{ t: -10, value: 0.5 }, { t: -5, value: 1 }, { t: 0, value: 2 }]);
    expect(curveWords(points)).toBe("ES_t from 0.50 at t −10 to 2.00 at t 0");
  });
});
