/** A zip archive of a few files, packed by the browser's own deflate. */

export interface Entry {
  /** With single slashes, relative. */
  path: string;
  content: Uint8Array<ArrayBuffer>;
}

const TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value >>> 0;
});

/** CRC-32 as zip has it. */
export function crc32(content: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of content) crc = TABLE[(crc ^ byte) & 0xff]! ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

const UTF8 = 0x800;
const DEFLATE = 8;
const VERSION = 20;
const A_DATE = 0x21; // 1 January 1980: the same files give the same archive

export async function zipOf(entries: readonly Entry[]): Promise<Blob> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const directory: Uint8Array<ArrayBuffer>[] = [];
  let at = 0;
  for (const { path, content } of entries) {
    const name = new TextEncoder().encode(path);
    const packed = await deflated(content);
    const common = [u16(VERSION), u16(UTF8), u16(DEFLATE), u16(0), u16(A_DATE), u32(crc32(content)), u32(packed.length), u32(content.length), u16(name.length), u16(0)];
    const header = joined([u32(0x04034b50), ...common, name]);
    directory.push(joined([u32(0x02014b50), u16(VERSION), ...common, u16(0), u16(0), u16(0), u32(0), u32(at), name]));
    parts.push(header, packed);
    at += header.length + packed.length;
  }
  const size = directory.reduce((sum, part) => sum + part.length, 0);
  const end = joined([u32(0x06054b50), u16(0), u16(0), u16(entries.length), u16(entries.length), u32(size), u32(at), u16(0)]);
  return new Blob([...parts, ...directory, end], { type: "application/zip" });
}

async function deflated(content: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const packed = new Blob([content]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(packed).arrayBuffer());
}

function u16(value: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.of(value & 0xff, (value >>> 8) & 0xff);
}

function u32(value: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.of(value & 0xff, (value >>> 8) & 0xff, (value >>> 16) & 0xff, (value >>> 24) & 0xff);
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
