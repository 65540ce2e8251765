/** Which of the evaluator's words for isolation is a boundary. */

const BOUNDARIES = ["namespaces", "namespaces of a plain user"];

/** A level that is not known is none. */
export function isIsolated(level: string): boolean {
  return BOUNDARIES.includes(level);
}
