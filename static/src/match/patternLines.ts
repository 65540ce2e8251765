/** Which line of `pattern` lies on which node of the graph, told from the text: nothing is executed. Pure. */

import type { Line } from "../run/locate";
import { occurrences } from "../run/locate";

interface Named {
  name: string;
  /** "torch.sum", "operator.mul", "contiguous" */
  target: string;
}

/**
 * Node → 0-based line. The nodes of one match in the order of the graph; the k-th use of an operator among them is taken
 * for the k-th in the text, as patterns are written in the order of the graph. A node that the text does not name is
 * left out.
 */
export function linesOfNodes(nodes: readonly Named[], body: readonly Line[]): Map<string, number> {
  const used = new Map<string, number>();
  const found = new Map<string, number>();
  for (const { name, target } of nodes) {
    const operator = target.slice(target.lastIndexOf(".") + 1);
    const nth = used.get(operator) ?? 0;
    const at = body.flatMap(({ index, text }) => Array.from({ length: occurrences(text, operator) }, () => index))[nth];
    if (at === undefined) continue;
    used.set(operator, nth + 1);
    found.set(name, at);
  }
  return found;
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
