import { expect, test } from "vitest";
import { filterQuery, isFiltered, readAddress, writeAddress } from "./address";

test("the address carries filters, view and item, and comes back as it was", () => {
  const address = "?author=a+%26+b&q=no+match&view=list&item=12";
  expect(writeAddress(readAddress(address))).toBe(address);
  expect(readAddress(address)).toEqual({ filters: { author: "a & b", q: "no match" }, view: "list", item: 12 });
});

test("what is odd in an address is left out", () => {
  expect(readAddress("?item=-3&view=other&evil=1")).toEqual({ filters: {}, view: "clusters", item: null });
  expect(writeAddress({ filters: { q: "  " }, view: "clusters", item: null })).toBe("");
  expect(readAddress(`?q=${"x".repeat(999)}`).filters.q).toHaveLength(300);
});

test("what is asked of the server", () => {
  expect(filterQuery({ state: "any", q: " " }, { limit: 5 })).toBe("?state=any&limit=5");
  expect([isFiltered({ q: "" }), isFiltered({ label: "seen" })]).toEqual([false, true]);
});
