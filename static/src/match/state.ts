/** What is known about the text in the editor: what matches where, by the newest answers. Pure. */

import type { NearMiss } from "../events";

export interface GraphAnswer {
  /** Of the text that it is about. */
  version: number;
  matches: number;
  perPass: Record<string, number>;
  /** Node names, one list for each match. */
  nodes: string[][];
  /** For each match: node → line (from 1) of the pass's file. */
  lines: Record<string, number>[];
  nearMisses: NearMiss[];
  notes: string[];
}

export interface Problem {
  version: number;
  message: string;
}

export interface LiveState {
  /** The newest text that was sent; answers about any other are dropped. */
  asked: number;
  /** The newest text that was answered for every graph. */
  done: number;
  answers: Readonly<Record<string, GraphAnswer>>;
  /** Graphs that nothing can be matched on, and why. */
  unreadable: Readonly<Record<string, string>>;
  /** Why the newest text could not be matched. */
  problem: Problem | null;
  /** Why nothing is matched while typing; null while it is, or may be. */
  offline: string | null;
}

export const NOTHING: LiveState = { asked: 0, done: 0, answers: {}, unreadable: {}, problem: null, offline: null };

export function ask(state: LiveState, version: number): LiveState {
  return { ...state, asked: version };
}

/** A message of the server. Anything that is not one of the newest text leaves the state as it is. */
export function receive(state: LiveState, message: Record<string, unknown>): LiveState {
  if (message["type"] === "offline") return { ...state, offline: text(message["message"]) };
  if (message["version"] !== state.asked) return state;
  const version = state.asked;
  switch (message["type"]) {
    case "graph": {
      const graph = text(message["graph"]);
      const answer: GraphAnswer = {
        version,
        matches: Number(message["matches"]),
        perPass: (message["per_pass"] ?? {}) as Record<string, number>,
        nodes: (message["nodes"] ?? []) as string[][],
        lines: (message["lines"] ?? []) as Record<string, number>[],
        nearMisses: (message["near_misses"] ?? []) as NearMiss[],
        notes: (message["notes"] ?? []) as string[],
      };
      return { ...state, offline: null, problem: null, answers: { ...state.answers, [graph]: answer } };
    }
    case "unreadable":
      return { ...state, offline: null, unreadable: { ...state.unreadable, [text(message["graph"])]: text(message["message"]) } };
    case "failed":
    case "refused":
      return { ...state, offline: null, problem: { version, message: text(message["message"]) } };
    case "done":
      return { ...state, offline: null, done: version };
    default:
      return state;
  }
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Whether a graph's answer is about a text before the newest, and will stay so. */
export function isEarlier(state: LiveState, answer: GraphAnswer): boolean {
  return answer.version !== state.asked && (state.problem !== null || state.offline !== null || state.done === state.asked);
}

export interface Tally {
  hit: number;
  answered: number;
}

/** In how many graphs something matches, of those that the newest text was matched on. */
export function tally(state: LiveState, pass: string | null = null): Tally {
  const current = Object.values(state.answers).filter((answer) => answer.version === state.asked);
  const count = (answer: GraphAnswer): number => (pass === null ? answer.matches : (answer.perPass[pass] ?? 0));
  return { hit: current.filter((answer) => count(answer) > 0).length, answered: current.length };
}

/** The pass of the n-th match: matches come pass by pass, in the order in which the passes were tried. */
export function passOfMatch(perPass: Readonly<Record<string, number>>, match: number): string | null {
  let before = 0;
  for (const [pass, count] of Object.entries(perPass)) {
    before += count;
    if (match < before) return pass;
  }
  return null;
}

/** "● 2" behind a graph's name; "" while it is not known. */
export function countText(state: LiveState, graph: string): string {
  const answer = Object.hasOwn(state.answers, graph) ? state.answers[graph]! : null;
  if (answer === null || isEarlier(state, answer)) return "";
  return answer.matches > 0 ? `● ${answer.matches}` : "■ 0";
}
