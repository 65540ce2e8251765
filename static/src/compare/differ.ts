/** Which nodes of a drawing differ from another drawing of the same graph. Pure. */

import type { Mark, Marks } from "../graph/marks";
import type { GraphNode } from "../graph/types";

type Drawn = Pick<GraphNode, "name" | "code">;

/** The first drawing is held against all others: what one of them lacks is marked. Each other one against the first. */
export function differing(drawings: readonly (readonly Drawn[] | null)[]): Marks[] {
  const first = drawings[0] ?? null;
  return drawings.map((own, place) => {
    if (own === null) return new Map<string, Mark>();
    const against = place === 0 ? drawings.slice(1).filter((one) => one !== null) : first === null ? [] : [first];
    return marksOf(own, against);
  });
}

function marksOf(own: readonly Drawn[], against: readonly (readonly Drawn[])[]): Marks {
  const known = against.map((nodes) => new Map(nodes.map((node) => [node.name, node.code])));
  const marks = new Map<string, Mark>();
  for (const node of own) {
    if (known.some((names) => !names.has(node.name))) marks.set(node.name, { word: "only here", tone: "correct", faint: false });
    else if (known.some((names) => names.get(node.name) !== node.code)) marks.set(node.name, { word: "other", tone: "warn", faint: false });
  }
  return marks;
}

export interface FileRow {
  name: string;
  texts: (string | null)[];
  same: boolean;
}

/** Every file that one side has, with each side's text; those that differ come first. */
export function fileRows(sides: readonly Readonly<Record<string, string>>[]): FileRow[] {
  const names = [...new Set(sides.flatMap((files) => Object.keys(files)))].sort();
  const rows = names.map((name) => {
    const texts = sides.map((files) => (Object.hasOwn(files, name) ? files[name]! : null));
    return { name, texts, same: texts.every((text) => text === texts[0]) };
  });
  return [...rows.filter((row) => !row.same), ...rows.filter((row) => row.same)];
}
