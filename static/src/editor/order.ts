/** The order file of a submission: which passes are applied, and in which order. Pure text in, text out. */

import type { Files } from "../api";

export const ORDER_FILE = "sorted_output_pass_rule_names.json";

export type Order = { names: string[]; problem: null } | { names: null; problem: string };

export function parseOrder(text: string | undefined): Order {
  if (text === undefined) return { names: null, problem: "The order file is missing: no pass would be applied." };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { names: null, problem: "The order file is not JSON." };
  }
  if (!Array.isArray(value) || !value.every((name) => typeof name === "string")) {
    return { names: null, problem: "The order file is not a list of pass names." };
  }
  return { names: value as string[], problem: null };
}

export function writeOrder(names: readonly string[]): string {
  return `${JSON.stringify(names)}\n`;
}

/** A pass says what it matches; every other Python file is a helper. */
export function isPass(name: string, text: string): boolean {
  return name.endsWith(".py") && !name.includes("/") && /^(?:async\s+)?def\s+pattern\s*\(|^pattern\s*=/m.test(text);
}

export interface OrderRow {
  name: string;
  file: string;
  included: boolean;
  /** Why this entry cannot be applied, else null. */
  problem: string | null;
}

/** Included passes in their order, then the passes that are left out. */
export function orderRows(files: Files, names: readonly string[]): OrderRow[] {
  const rows: OrderRow[] = names.map((name, index) => ({
    name,
    file: `${name}.py`,
    included: true,
    problem: names.indexOf(name) !== index ? "listed twice" : Object.hasOwn(files, `${name}.py`) ? null : "file missing",
  }));
  for (const file of Object.keys(files).sort()) {
    const name = file.replace(/\.py$/, "");
    if (isPass(file, files[file]!) && !names.includes(name)) rows.push({ name, file, included: false, problem: null });
  }
  return rows;
}

export function moved(names: readonly string[], from: number, to: number): string[] {
  if (from < 0 || from >= names.length) return [...names];
  const rest = names.filter((_, index) => index !== from);
  rest.splice(Math.max(0, Math.min(rest.length, to)), 0, names[from]!);
  return rest;
}

const LONGEST_NAME = 200; // as the server has it
const KEYWORDS = new Set(
  "False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield".split(" "),
);
/** Modules that passes import: a file of that name would be imported in their place. */
const IMPORTED = new Set(["torch", "triton"]);

/** Why a name cannot be given to a new or renamed file; null when it can. */
export function nameProblem(name: string, taken: readonly string[]): string | null {
  if (name.trim() === "") return "A file needs a name.";
  if (!name.endsWith(".py")) return "Pass files and helpers end in .py.";
  if (!/^[A-Za-z_][A-Za-z0-9_]*\.py$/.test(name)) return "Letters, digits and _ only, not starting with a digit: it is imported as a Python module.";
  if (name.length > LONGEST_NAME) return `A name has at most ${LONGEST_NAME} characters.`;
  const module = name.slice(0, -".py".length);
  if (KEYWORDS.has(module)) return `${module} is a keyword of Python: no module can have that name.`;
  if (IMPORTED.has(module)) return `It would be imported in place of ${module} itself.`;
  if (taken.includes(name)) return `There is already a file ${name}.`;
  return null;
}

/** "FusePass.py", "FusePass2.py", …: the first that is free. */
export function freeName(taken: readonly string[], stem = "FusePass"): string {
  for (let count = 1; ; count++) {
    const name = `${stem}${count === 1 ? "" : count}.py`;
    if (!taken.includes(name)) return name;
  }
}
