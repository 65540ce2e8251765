/** What is typed above the catalogue: plain words, and words with a meaning such as `has:cat dtype:bf16 size:>10`. Pure. */

import type { TaskRow } from "../api";
import { isDtype, plural, shortDtype } from "../format";

type Test = (task: TaskRow) => boolean;

export interface Query {
  /** Each must occur somewhere in a task. */
  words: string[];
  tests: Test[];
  /** Words that look as if they had a meaning and have none, which are left out; and those that no task fits. */
  problems: Problem[];
}

export interface Problem {
  /** Where the word stands in what was typed, in UTF-16 units. */
  start: number;
  end: number;
  message: string;
}

/** What each word means, for the help beside the field. */
export const HELP: readonly (readonly [string, string])[] = [
  ["roll layer_norm", "every word occurs in the title, the name, an operator, a dtype or the kind of models"],
  ["has:cat", "a graph has this operator, or one of this class (has:reduction)"],
  ["dtype:bf16", "a graph has inputs of this dtype"],
  ["family:diffusion", "from models of this family (a part of its name); also domain:vision"],
  ["kind:fusible", "cut from its model in this way; benchmark:fusible is a task of that benchmark"],
  ["size:>10", "operators in a graph; also size:<10, size:7, size:5..20"],
  ["graphs:>4", "graphs in the task, written like size"],
  ["result:correct", "of your installation's runs; also result:fails, result:none"],
  ["inductor:slower", "slower than eager on this machine for some graph; also faster, measured"],
  ["is:worked", "has a worked example; is:example has an example run"],
  ["-has:matmul", "a minus in front turns any of these round"],
];

export type ResultState = "correct" | "fails" | "not run";

/** The best that any device has seen: all graphs right, run and not all right, or never run here. */
export function resultState(task: TaskRow): ResultState {
  if (task.best.length === 0) return "not run";
  return task.best.some((best) => best.correct === best.total) ? "correct" : "fails";
}

export function inductorState(task: TaskRow): "slower" | "not slower" | "not measured" {
  if (task.inductor === null || task.inductor.measured === 0) return "not measured";
  return task.inductor.slower > 0 ? "slower" : "not slower";
}

/** Facet → the values that tasks have; what a word asks for beyond them finds nothing, and that is said. */
export type Known = Readonly<Record<string, readonly string[]>>;

export function knownValues(tasks: readonly TaskRow[]): Known {
  const found: Record<string, Set<string>> = {};
  for (const task of tasks) for (const name of NAMED) for (const value of task.facets[name] ?? []) (found[name] ??= new Set()).add(facetName(name, value));
  return Object.fromEntries(Object.entries(found).map(([name, values]) => [name, [...values].sort()]));
}

export function parse(text: string, known: Known = {}): Query {
  const found: Query = { words: [], tests: [], problems: [] };
  for (const { 0: typed, index } of text.matchAll(/\S+/g)) {
    const word = typed.toLowerCase(); // not of all of it: that may be longer, and places would be wrong
    const problem = (what: string): void => void found.problems.push({ start: index, end: index + typed.length, message: `${word} left out: ${what}` });
    const minus = word.startsWith("-");
    const term = minus ? word.slice(1) : word;
    const take = (test: Test): void => void found.tests.push(minus ? (task) => !test(task) : test);
    const [, key, value] = /^([a-z]+):(?!:)(.*)$/.exec(term) ?? [];
    const compared = /^([a-z]+)(?:[<>]=?|=)/.exec(term)?.[1];
    if (term === "") problem("a minus belongs directly in front of what it turns round");
    else if (key !== undefined && Object.hasOwn(KEYS, key)) {
      const { test, wants } = KEYS[key]!;
      const made = value === "" ? null : test(value!);
      const values = known[key] ?? [];
      if (made === null) problem(`wants ${wants}`);
      else take(made);
      if (made !== null && values.length > 0 && !values.some((one) => isNamed(key, one, value!))) {
        found.problems.push({ start: index, end: index + typed.length, message: `${word} fits no task: there ${values.length === 1 ? "is" : "are"} ${values.slice(0, 6).join(", ")}${values.length > 6 ? ", …" : ""}` });
      }
    } else if (key !== undefined) problem(`there is no ${key}:, only ${Object.keys(KEYS).map((known) => `${known}:`).join(" ")}`);
    else if (compared !== undefined && Object.hasOwn(KEYS, compared)) problem(`a colon belongs behind ${compared}, as in ${compared}:${term.slice(compared.length)}`);
    else if (/^[<>]=?\d*$/.test(term)) problem("a comparison belongs directly behind size: or graphs:");
    else if (minus) take((task) => textOf(task).includes(term));
    else found.words.push(term);
  }
  return found;
}

export function fitsQuery(task: TaskRow, query: Query): boolean {
  if (!query.tests.every((test) => test(task))) return false;
  if (query.words.length === 0) return true;
  const text = textOf(task);
  return query.words.every((word) => text.includes(word));
}

function textOf(task: TaskRow): string {
  const operators = task.operators.map((operator) => `${operator.label} ${operator.class}`).join(" ");
  const said = Object.values(task.facets).flat().join(" ");
  return `${task.title} ${task.slug} ${task.summary} ${said} ${operators} ${task.dtypes.join(" ")} ${task.dtypes.map(shortDtype).join(" ")}`.toLowerCase();
}

interface Key {
  /** null for a value that it can not have. */
  test: (value: string) => Test | null;
  /** What it can have, behind "wants". */
  wants: string;
}

const KEYS: Record<string, Key> = {
  has: { test: (value) => (task) => task.operators.some((operator) => operator.label.toLowerCase() === value || operator.class === value), wants: "an operator or a class: has:cat, has:reduction" },
  dtype: {
    test: (value) => (isDtype(value) ? (task) => task.dtypes.some((dtype) => shortDtype(dtype) === shortDtype(value)) : null),
    wants: "a dtype: f32, f16, bf16, float32, int64, …",
  },
  family: { test: named("family"), wants: "a part of a family's name: family:diffusion" },
  domain: { test: named("domain"), wants: "a part of a domain's name: domain:vision" },
  kind: { test: named("kind"), wants: "fusible, classical or single" },
  benchmark: { test: named("benchmark"), wants: "fusible, classical or single: the benchmark that the task stands in" },
  size: { test: (value) => inRange(value, (task) => (task.size === null ? null : [task.size.least, task.size.most])), wants: "a number: >10, <10, 7 or 5..20, the smaller first" },
  graphs: { test: (value) => inRange(value, (task) => [task.graph_count, task.graph_count]), wants: "a number: >4, <4, 2 or 1..3, the smaller first" },
  result: { test: oneOf({ correct: (task) => resultState(task) === "correct", fails: (task) => resultState(task) === "fails", none: (task) => resultState(task) === "not run" }), wants: "correct, fails or none" },
  inductor: {
    test: oneOf({ measured: (task) => inductorState(task) !== "not measured", slower: (task) => inductorState(task) === "slower", faster: (task) => (task.inductor?.faster ?? 0) > 0 }),
    wants: "slower, faster or measured",
  },
  is: { test: oneOf({ worked: (task) => task.has_example, example: (task) => task.examples.length > 0 }), wants: "worked or example" },
};

/** Facets that words can ask for by name. */
const NAMED = ["family", "domain", "kind", "benchmark"] as const;
const IN_PART = new Set<string>(["family", "domain"]);

/** A facet's value in one way: files write the same domain as computer_vision and as cv. */
export function facetName(facet: string, value: string): string {
  if (facet !== "domain") return value;
  return value === "cv" ? "computer vision" : value.replaceAll("_", " ");
}

function isNamed(facet: string, value: string, wanted: string): boolean {
  const name = facetName(facet, value).toLowerCase();
  const asked = facetName(facet, wanted);
  return IN_PART.has(facet) ? name.includes(asked) : name === asked;
}

function named(facet: (typeof NAMED)[number]): Key["test"] {
  return (wanted) => (task) => (task.facets[facet] ?? []).some((value) => isNamed(facet, value, wanted));
}

function oneOf(tests: Record<string, Test>): Key["test"] {
  return (value) => (Object.hasOwn(tests, value) ? tests[value]! : null);
}

/** Whether one of the numbers from least to most fits ">10", "<=10", "7" or "5..20"; null for what is none of these. */
function inRange(text: string, of: (task: TaskRow) => [number, number] | null): Test | null {
  const between = /^(\d+)\.\.(\d+)$/.exec(text);
  const [, sign, number] = /^(>=|<=|>|<|=)?(\d+)$/.exec(text) ?? [];
  if (between === null && number === undefined) return null;
  if (between !== null && Number(between[1]) > Number(between[2])) return null;
  const at = Number(number);
  const [low, high] = between !== null ? [Number(between[1]), Number(between[2])]
    : sign === ">" ? [at + 1, Infinity] : sign === ">=" ? [at, Infinity]
    : sign === "<" ? [0, at - 1] : sign === "<=" ? [0, at] : [at, at];
  return (task) => {
    const range = of(task);
    return range !== null && range[0] <= high && range[1] >= low;
  };
}

/** "3 operators", "3–27 operators" */
export function sizeText(size: TaskRow["size"]): string {
  if (size === null) return "";
  return size.least === size.most ? plural(size.most, "operator") : `${size.least}–${plural(size.most, "operator")}`;
}
