/** What is typed above the catalogue: plain words, and words with a meaning such as `has:cat dtype:bf16 size:>10`. Pure. */

import type { TaskRow } from "../api";
import { plural, shortDtype } from "../format";

type Test = (task: TaskRow) => boolean;

export interface Query {
  /** Each must occur somewhere in a task. */
  words: string[];
  tests: Test[];
  /** Words that look as if they had a meaning and have none; they are left out. */
  problems: string[];
}

/** What each word means, for the help beside the field. */
export const HELP: readonly (readonly [string, string])[] = [
  ["roll layer_norm", "every word occurs in the title, the name, an operator or a dtype"],
  ["has:cat", "a graph has this operator, or one of this class (has:reduction)"],
  ["dtype:bf16", "a graph has inputs of this dtype"],
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

export function parse(text: string): Query {
  const found: Query = { words: [], tests: [], problems: [] };
  for (const word of text.toLowerCase().split(/\s+/).filter(Boolean)) {
    const [, minus, key, value] = /^(-?)([a-z]+):(.*)$/.exec(word) ?? [];
    const make = key === undefined || !Object.hasOwn(KEYS, key) ? undefined : KEYS[key];
    if (make === undefined) {
      found.words.push(word);
      continue;
    }
    const test = value === "" ? null : make(value!);
    if (typeof test === "function") found.tests.push(minus === "-" ? (task) => !test(task) : test);
    else if (value !== "") found.problems.push(`${word}: ${WANTED[key!] ?? "no such value"}`);
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
  return `${task.title} ${task.slug} ${task.summary} ${operators} ${task.dtypes.join(" ")} ${task.dtypes.map(shortDtype).join(" ")}`.toLowerCase();
}

const KEYS: Record<string, (value: string) => Test | null> = {
  has: (value) => (task) => task.operators.some((operator) => operator.label.toLowerCase() === value || operator.class === value),
  dtype: (value) => (task) => task.dtypes.some((dtype) => dtype === value || shortDtype(dtype) === value),
  size: (value) => inRange(value, (task) => (task.size === null ? null : [task.size.least, task.size.most])),
  graphs: (value) => inRange(value, (task) => [task.graph_count, task.graph_count]),
  result: (value) => {
    const wanted = value === "none" ? "not run" : value;
    return wanted === "correct" || wanted === "fails" || wanted === "not run" ? (task) => resultState(task) === wanted : null;
  },
  inductor: (value) => {
    if (value === "measured") return (task) => inductorState(task) !== "not measured";
    if (value === "slower") return (task) => inductorState(task) === "slower";
    return value === "faster" ? (task) => (task.inductor?.faster ?? 0) > 0 : null;
  },
  is: (value) => (value === "worked" ? (task) => task.has_example : value === "example" ? (task) => task.examples.length > 0 : null),
};

const WANTED: Record<string, string> = {
  size: "wants a number: >10, <10, 7 or 5..20", graphs: "wants a number: >4, <4, 2 or 1..3",
  result: "is correct, fails or none", inductor: "is slower, faster or measured", is: "is worked or example",
};

/** Whether one of the numbers from least to most fits ">10", "<=10", "7" or "5..20"; null for what is none of these. */
function inRange(text: string, of: (task: TaskRow) => [number, number] | null): Test | null {
  const between = /^(\d+)\.\.(\d+)$/.exec(text);
  const [, sign, number] = /^(>=|<=|>|<|=)?(\d+)$/.exec(text) ?? [];
  if (between === null && number === undefined) return null;
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
