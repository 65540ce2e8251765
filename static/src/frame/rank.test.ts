import { describe, expect, it } from "vitest";
import { rank, score } from "./rank";

const titles = ["Run the pass", "Cancel the run", "Reset the layout", "Go to the log", "Open FusePool.py"];
const find = (query: string) => rank(titles, query, (title) => title);

describe("rank", () => {
  it("keeps the order without a query", () => {
    expect(find(" ")).toEqual(titles);
  });

  it("prefers words that begin with the letters, then substrings", () => {
    expect(find("run")[0]).toBe("Run the pass");
    expect(find("rl")[0]).toBe("Reset the layout");
    expect(find("gtl")[0]).toBe("Go to the log");
    expect(find("pool")).toEqual(["Open FusePool.py"]);
    expect(find("xyz")).toEqual([]);
  });

  it("wants the letters in order", () => {
    expect(score("abc", "cb")).toBeNull();
    expect(score("abc", "")).toBe(0);
  });
});
