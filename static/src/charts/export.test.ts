import { expect, test } from "vitest";
import { csv, fileName } from "./export";

test("commas, quotes and line ends are quoted; nothing is a formula", () => {
  const table = { columns: ["name", "µs"], rows: [["a,b", 1.5], ['say "x"', null], ["=1+1", -2], ["two\nlines", 0]] };
  expect(csv(table)).toBe("name,µs\r\n\"a,b\",1.5\r\n\"say \"\"x\"\"\",\r\n'=1+1,-2\r\n\"two\nlines\",0\r\n");
});

test("names of files hold nothing that a file system minds", () => {
  expect(fileName("f32 4×128/../x", "e2e direct")).toBe("f32_4_128_.._x_e2e_direct");
  expect(fileName("../..", "")).toBe("chart");
});
