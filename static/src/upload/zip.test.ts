import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isWanted } from "./files";
import { crc32, zipOf } from "./zip";

const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>;

test("the check sum is zip's", () => {
  expect(crc32(bytes("123456789"))).toBe(0xcbf43926); // the published check value
  expect(crc32(bytes(""))).toBe(0);
});

test("another program reads the archive", async () => {
  const archive = await zipOf([{ path: "net/model.py", content: bytes("x = 1\n".repeat(500)) }, { path: "net/größe.txt", content: bytes("") }]);
  expect(archive.size).toBeLessThan(500);
  const folder = mkdtempSync(join(tmpdir(), "zip-"));
  try {
    const file = join(folder, "net.zip");
    writeFileSync(file, new Uint8Array(await archive.arrayBuffer()));
    const said = execFileSync("python3", ["-c", "import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; print(sorted((i.filename, i.file_size) for i in z.infolist()))", file]);
    expect(said.toString().trim()).toBe("[('net/größe.txt', 0), ('net/model.py', 3000)]");
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("hidden files and caches stay at home", () => {
  expect(["net/model.py", "net/.git/config", "net/__pycache__/a.pyc", ".hidden"].filter(isWanted)).toEqual(["net/model.py"]);
});
