import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Files, SavedDraft } from "../api";
import { ApiError } from "../api";
import type { SaveState } from "./autosave";
import { Autosave } from "./autosave";

type Reply = SavedDraft | ApiError;

function setUp(replies: Reply[]) {
  const states: SaveState[] = [];
  const sent: { files: Files; version: number }[] = [];
  let kept: Files | null = null;
  const autosave = new Autosave(
    { files: { a: "0" }, version: 1, hash: "h1", updated_at: null },
    {
      save: async (files, version) => {
        sent.push({ files, version });
        const reply = replies.shift()!;
        if (reply instanceof ApiError) throw reply;
        return reply;
      },
      backup: { write: (files) => void (kept = files), clear: () => void (kept = null) },
      onState: (state) => states.push(state),
      now: () => "now",
    },
  );
  return { autosave, sent, kinds: () => states.map((state) => state.kind), kept: () => kept };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("Autosave", () => {
  it("waits for a pause, sends once, and drops the copy in the browser", async () => {
    const { autosave, sent, kinds, kept } = setUp([{ version: 2, hash: "h2" }]);
    autosave.changed({ a: "1" });
    autosave.changed({ a: "12" });
    expect(kept()).toEqual({ a: "12" });
    await vi.advanceTimersByTimeAsync(1000);
    expect(sent).toEqual([{ files: { a: "12" }, version: 1 }]);
    expect(kinds()).toEqual(["pending", "pending", "saving", "saved"]);
    expect([autosave.hash, autosave.dirty, kept()]).toEqual(["h2", false, null]);
  });

  it("saves again what was typed while saving, on top of the new version", async () => {
    const { autosave, sent } = setUp([{ version: 2, hash: "h2" }, { version: 3, hash: "h3" }]);
    autosave.changed({ a: "1" });
    const saving = autosave.flush();
    autosave.changed({ a: "2" });
    await saving;
    await vi.advanceTimersByTimeAsync(1000);
    expect(sent.map((entry) => entry.version)).toEqual([1, 2]);
    expect(autosave.saved).toEqual({ a: "2" });
  });

  it("sends nothing when a change was undone", async () => {
    const { autosave, sent, kinds } = setUp([]);
    autosave.changed({ a: "1" });
    autosave.changed({ a: "0" });
    await vi.advanceTimersByTimeAsync(5000);
    expect(sent).toEqual([]);
    expect(kinds().at(-1)).toBe("saved");
  });

  it("keeps the text and tries again while the server is away", async () => {
    const { autosave, kinds, kept } = setUp([new ApiError("away", 0, "offline"), new ApiError("busy", 503, "http"), { version: 2, hash: "h2" }]);
    autosave.changed({ a: "1" });
    await vi.advanceTimersByTimeAsync(1000);
    expect(kinds().at(-1)).toBe("offline");
    expect(kept()).toEqual({ a: "1" });
    await vi.advanceTimersByTimeAsync(10_000);
    expect(kinds().at(-1)).toBe("saved");
    expect(kept()).toBeNull();
  });

  it("stops at a conflict, keeps later typing in the browser, and goes on from the author's choice", async () => {
    const conflict = new ApiError("conflict", 409, "conflict", { files: { a: "theirs" }, version: 7, hash: "h7" });
    const { autosave, sent, kinds, kept } = setUp([conflict, { version: 8, hash: "h8" }]);
    autosave.changed({ a: "mine" });
    await vi.advanceTimersByTimeAsync(1000);
    expect(kinds().at(-1)).toBe("conflict");
    autosave.changed({ a: "mine too" });
    await vi.advanceTimersByTimeAsync(5000);
    expect(sent).toHaveLength(1);
    expect(kept()).toEqual({ a: "mine too" });
    autosave.resolve({ a: "mine too" });
    await vi.advanceTimersByTimeAsync(10);
    expect(sent[1]).toEqual({ files: { a: "mine too" }, version: 7 });
    expect(autosave.hash).toBe("h8");
  });

  it("takes the server's side without sending anything", async () => {
    const { autosave, sent, kinds } = setUp([new ApiError("conflict", 409, "conflict", { files: { a: "theirs" }, version: 7, hash: "h7" })]);
    autosave.changed({ a: "mine" });
    await vi.advanceTimersByTimeAsync(1000);
    autosave.resolve({ a: "theirs" });
    await vi.advanceTimersByTimeAsync(1000);
    expect(sent).toHaveLength(1);
    expect([kinds().at(-1), autosave.hash]).toEqual(["saved", "h7"]);
  });

  it("sees no conflict when the other tab saved the same text", async () => {
    const { autosave, kinds } = setUp([new ApiError("conflict", 409, "conflict", { files: { a: "1" }, version: 5, hash: "h5" })]);
    autosave.changed({ a: "1" });
    await vi.advanceTimersByTimeAsync(1000);
    expect([kinds().at(-1), autosave.hash]).toEqual(["saved", "h5"]);
  });

  it("says why a draft was refused and does not hammer the server", async () => {
    const { autosave, sent, kinds } = setUp([new ApiError("Too large.", 413, "too_large")]);
    autosave.changed({ a: "1" });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(kinds().at(-1)).toBe("failed");
    expect(sent).toHaveLength(1);
  });
});
