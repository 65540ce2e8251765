import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { TaskRow } from "../api";
import { api } from "../api";
import { valueOf } from "../lib/load";
import { load, tasks, watchForMore } from "./store";

const row = (number: number): TaskRow => ({ slug: `task-${number}` }) as TaskRow;

/** A server with so many tasks that gives at most 200 at a time, as ours does. */
function serve(count: number) {
  const server = { count };
  const asked = vi.spyOn(api, "tasks").mockImplementation(async (_words, _signal, offset = 0, limit = 200) => ({
    tasks: Array.from({ length: Math.max(0, Math.min(limit, server.count - offset)) }, (_, at) => row(offset + at)),
    total: server.count,
  }));
  return { server, asked };
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("document", { hidden: false });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

describe("the tasks of the page", () => {
  it("are all there, though the server gives them in parts", async () => {
    const { asked } = serve(727);
    await load();
    const shown = valueOf(tasks.value)!;
    expect([shown.tasks.length, shown.total]).toEqual([727, 727]);
    expect(new Set(shown.tasks.map((task) => task.slug)).size).toBe(727);
    expect(asked).toHaveBeenCalledTimes(4); // 200, 400, 600, 727
  });

  it("end at 2,000, and the number on the server is known", async () => {
    serve(50_000);
    await load();
    const shown = valueOf(tasks.value)!;
    expect([shown.tasks.length, shown.total]).toEqual([2000, 50_000]);
  });

  it("are loaded again when more have come meanwhile, and not otherwise", async () => {
    const { server, asked } = serve(10);
    await load();
    const stop = watchForMore();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(asked).toHaveBeenCalledTimes(2); // one task, for the number of all
    server.count = 727;
    await vi.advanceTimersByTimeAsync(20_000);
    expect(valueOf(tasks.value)!.tasks).toHaveLength(727);
    stop();
    asked.mockClear();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(asked).not.toHaveBeenCalled();
  });
});
