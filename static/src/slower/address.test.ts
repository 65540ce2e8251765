import { expect, test } from "vitest";
import { fileAddress, isFiltered, nextSort, pageQuery, readAddress, writeAddress } from "./address";

test("an address gives back what was chosen, and a plain one stays plain", () => {
  expect(writeAddress(readAddress(""))).toBe("");
  const address = "?context=abcdef012345&q=layer+norm&reason=host&reason=kernels&slower=graph-direct&operator=cat&sort=-launches&offset=200";
  const chosen = readAddress(address);
  expect(chosen.values.reason).toEqual(["host", "kernels"]);
  expect([chosen.q, chosen.sort, chosen.offset, chosen.context]).toEqual(["layer norm", "-launches", 200, "abcdef012345"]);
  expect(isFiltered(chosen)).toBe(true);
  expect(writeAddress(chosen)).toBe(address);
  expect(pageQuery(chosen)).toContain("&limit=100&offset=200");
  expect(fileAddress(chosen, "csv")).toMatch(/^\/api\/slower\/figures\?.*&format=csv$/);
  expect(fileAddress(chosen, "csv")).not.toContain("offset");
});

test("nonsense in an address is left out", () => {
  const chosen = readAddress("?offset=-3&sort=%3Cb%3E&page=7");
  expect([chosen.offset, chosen.sort, isFiltered(chosen)]).toEqual([0, "e2e-direct", false]);
  expect(readAddress("?offset=150").offset).toBe(100);
});

test("a head sorts its own way first, then the other", () => {
  expect(nextSort("graph", "e2e-direct")).toBe("e2e-direct");
  expect(nextSort("e2e-direct", "e2e-direct")).toBe("-e2e-direct");
  expect(nextSort("-e2e-direct", "e2e-direct")).toBe("e2e-direct");
  expect(nextSort("graph", "launches")).toBe("-launches");
  expect(nextSort("-launches", "launches")).toBe("launches");
});
