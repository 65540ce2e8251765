/** What language servers say, read with care: nothing of it is taken to be there. Pure. */

import type { Marker } from "../editor/annotations";
import type { Place, Span } from "./text";

export interface Range {
  startLineNumber: number;
  startColumn: number;
  endLineNumber: number;
  endColumn: number;
}

export interface Diagnostic {
  range: Range;
  severity: Marker["severity"];
  message: string;
  code: string;
}

export interface Definition {
  /** One of the author's files, or "" and the address of a file of the packages. */
  file: string;
  uri: string;
  range: Range;
}

const SEVERITY: Record<number, Marker["severity"]> = { 1: "error", 2: "warning", 3: "info" };

type Loose = Record<string, unknown>;
const loose = (value: unknown): Loose => (typeof value === "object" && value !== null ? (value as Loose) : {});
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const text = (value: unknown): string => (typeof value === "string" ? value : "");

export function toRange(value: unknown): Range | null {
  const { start, end } = loose(value) as Partial<Span>;
  const whole = (place: Place | undefined): place is Place => Number.isInteger(place?.line) && Number.isInteger(place?.character);
  if (!whole(start) || !whole(end)) return null;
  return { startLineNumber: start.line + 1, startColumn: start.character + 1, endLineNumber: end.line + 1, endColumn: end.character + 1 };
}

/** Errors, warnings and notes; hints (a name that is not used yet) are left to who says them as a warning. */
export function toDiagnostics(found: readonly unknown[]): Diagnostic[] {
  return found.flatMap((one) => {
    const { range, severity, message, code } = loose(one);
    const [at, weight] = [toRange(range), SEVERITY[Number(severity ?? 1)]];
    if (at === null || weight === undefined) return [];
    return [{ range: at, severity: weight, message: text(message), code: typeof code === "number" ? String(code) : text(code) }];
  });
}

/** Markdown without links into the server's file system: nothing here can open them. */
export function toMarkdown(value: unknown): string {
  if (Array.isArray(value)) return value.map(toMarkdown).filter((part) => part !== "").join("\n\n");
  if (typeof value === "string") return plainLinks(value);
  const { value: inner, language } = loose(value);
  if (typeof inner !== "string") return "";
  return typeof language === "string" ? `\`\`\`${language}\n${inner}\n\`\`\`` : plainLinks(inner);
}

function plainLinks(markdown: string): string {
  const without = markdown.replace(/^Go to \[[^\n]*$/gm, "");
  return without.replace(/\[([^\]\n]*)\]\((?!https:)[^)\n]*\)/g, "$1").trimEnd();
}

export interface Hover {
  markdown: string;
  range: Range | null;
}

export function toHover(result: unknown): Hover | null {
  const { contents, range } = loose(result);
  const markdown = toMarkdown(contents);
  return markdown.trim() === "" ? null : { markdown, range: toRange(range) };
}

export function toDefinitions(result: unknown): Definition[] {
  return (Array.isArray(result) ? result : [result]).flatMap((one) => {
    const { uri, range, file } = loose(one);
    const at = toRange(range);
    return at === null || typeof uri !== "string" ? [] : [{ file: text(file), uri, range: at }];
  });
}

export interface Completion {
  label: string;
  /** LSP's CompletionItemKind, from 1. */
  kind: number;
  insert: string;
  replace: Range | null;
  sort: string;
  filter: string;
  detail: string;
  documentation: string;
  deprecated: boolean;
}

export function toCompletions(result: unknown): { items: Completion[]; incomplete: boolean } {
  const { items, isIncomplete } = Array.isArray(result) ? { items: result, isIncomplete: false } : loose(result);
  const found = list(items).flatMap((one): Completion[] => {
    const item = loose(one);
    const label = text(item["label"]);
    if (label === "") return [];
    const edit = loose(item["textEdit"]);
    return [{
      label, kind: Number(item["kind"] ?? 1), insert: text(edit["newText"]) || text(item["insertText"]) || label, replace: toRange(edit["range"]),
      sort: text(item["sortText"]) || label, filter: text(item["filterText"]) || label, detail: text(item["detail"]),
      documentation: toMarkdown(item["documentation"]), deprecated: list(item["tags"]).includes(1),
    }];
  });
  return { items: found, incomplete: isIncomplete === true };
}

export interface Signatures {
  signatures: { label: string; documentation: string; parameters: (string | [number, number])[]; active: number }[];
  active: number;
}

export function toSignatures(result: unknown): Signatures | null {
  const help = loose(result);
  const whole = Number(help["activeParameter"] ?? 0);
  const signatures = list(help["signatures"]).flatMap((one) => {
    const signature = loose(one);
    const parameters = list(signature["parameters"]).flatMap((parameter): (string | [number, number])[] => {
      const { label } = loose(parameter);
      if (Array.isArray(label) && label.length === 2) return [[Number(label[0]), Number(label[1])]];
      return typeof label === "string" ? [label] : [];
    });
    const active = Number(signature["activeParameter"] ?? whole);
    return [{ label: text(signature["label"]), documentation: toMarkdown(signature["documentation"]), parameters, active }];
  });
  return signatures.length === 0 ? null : { signatures, active: Number(help["activeSignature"] ?? 0) };
}

export interface TextEdit {
  range: Range;
  text: string;
}

export function toEdits(result: unknown): TextEdit[] {
  return list(result).flatMap((one) => {
    const { range, newText } = loose(one);
    const at = toRange(range);
    return at === null || typeof newText !== "string" ? [] : [{ range: at, text: newText }];
  });
}
