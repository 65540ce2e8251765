import { expect, it } from "vitest";
import type { HistoryPoint, RunSummary } from "../api";
import type { Mark } from "./revisions";
import { byRevision } from "./revisions";

const mark = (run: string, revision: string, value: number): Mark => ({ run: { run, revision } as RunSummary, point: {} as HistoryPoint, value });

it("draws a revision once, by its last run, and keeps the earlier ones in order", () => {
  const found = byRevision([mark("a", "one", 1.2), mark("b", "two", 1.4), mark("c", "one", 1.3), mark("d", "one", 1.1)]);
  expect(found.map(({ last }) => last.run.run)).toEqual(["d", "b"]);
  expect(found[0]!.earlier.map(({ run }) => run.run)).toEqual(["a", "c"]);
  expect(found[1]!.earlier).toEqual([]);
  expect(byRevision([])).toEqual([]);
});
