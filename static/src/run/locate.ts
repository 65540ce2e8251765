/** Finds the place in the pass files that a message or a near miss speaks of. Pure text work; nothing is executed. */

import type { Files } from "../api";
import type { NearMiss } from "../events";

export interface Place {
  file: string;
  /** 1-based. */
  line: number;
}

/** The first "file:line" or `File "…/file", line n` of a message whose file is one of the draft's. */
export function placeInMessage(message: string, files: Files): Place | null {
  const forms = [/File "([^"]+)", line (\d+)/g, /([\w./-]+\.(?:py|json)):(\d+)/g];
  for (const form of forms) {
    const found = [...message.matchAll(form)].flatMap(([, path, line]) => {
      const file = Object.keys(files).find((name) => path === name || path!.endsWith(`/${name}`));
      return file === undefined ? [] : [{ file, line: Number(line) }];
    });
    // In a traceback the innermost frame comes last.
    if (found.length > 0) return form === forms[0] ? found.at(-1)! : found[0]!;
  }
  return null;
}

/** The line of `pattern` in the pass file that the near miss stopped at; its `def` line when the node cannot be told. */
export function placeOfNearMiss(miss: NearMiss, files: Files): Place | null {
  const file = `${miss.pass_name}.py`;
  const source = files[file];
  if (source === undefined) return null;
  const lines = source.split("\n");
  const start = startOf(lines);
  if (start < 0) return null;
  const at = patternLine(miss, bodyOf(lines, start));
  return { file, line: (at ?? start) + 1 };
}

const startOf = (lines: readonly string[]): number => lines.findIndex((line) => /^(?:async\s+)?def\s+pattern\s*\(/.test(line));

interface Line {
  /** 0-based. */
  index: number;
  text: string;
}

function bodyOf(lines: readonly string[], start: number): Line[] {
  const body: Line[] = [];
  for (let index = start + 1; index < lines.length; index++) {
    const text = lines[index]!;
    if (/^\S/.test(text) && !text.startsWith("#") && !text.startsWith(")")) break;
    if (text.trim() !== "") body.push({ index, text });
  }
  return body;
}

function patternLine(miss: NearMiss, body: readonly Line[]): number | null {
  const squeeze = (text: string): string => text.replace(/\s+/g, "").replace(/"/g, "'");
  const code = miss.pattern_code === null ? null : squeeze(miss.pattern_code);
  const exact = code === null ? undefined : body.find(({ text }) => squeeze(text) === code);
  if (exact) return exact.index;
  const assigned = (name: string): Line | undefined => body.find(({ text }) => new RegExp(`^\\s*${escape(name)}\\s*(?::[^=]+)?=(?!=)`).test(text));
  const named = miss.pattern_node === null ? undefined : assigned(miss.pattern_node);
  if (named) return named.index;
  // Symbolic tracing names nodes after operators: "sum_1" is the second call of sum.
  const stem = miss.pattern_node?.match(/^(.*?)(?:_(\d+))?$/);
  if (!stem?.[1]) return null;
  const uses = body.filter(({ text }) => mentions(text, stem[1]!));
  return (uses[Number(stem[2] ?? 0)] ?? uses[0])?.index ?? null;
}

const SYMBOLS: Record<string, string> = {
  add: "+", sub: "-", mul: "*", truediv: "/", floordiv: "//", pow: "**", matmul: "@", neg: "-", getitem: "[",
  iadd: "+=", isub: "-=", imul: "*=", itruediv: "/=", and_: "&", or_: "|", eq: "==", ne: "!=", lt: "<", le: "<=", gt: ">", ge: ">=",
};

function mentions(line: string, operator: string): boolean {
  if (new RegExp(`\\b${escape(operator)}\\s*\\(`).test(line)) return true;
  const symbol = Object.hasOwn(SYMBOLS, operator) ? SYMBOLS[operator] : undefined;
  if (symbol === undefined) return false;
  return (symbol.endsWith("=") ? line : line.slice(line.indexOf("=") + 1)).includes(symbol);
}

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
