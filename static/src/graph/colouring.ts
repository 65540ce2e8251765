/** What the tint of a node's left edge says, in which colours, and the word that stands with it. Pure. */

import type { Overlays } from "../run/overlay";
import { micros, shortDtype } from "../format";
import type { Palette } from "./palette";
import type { GraphNode } from "./types";
import { CLASS_WORDS, OPERATOR_CLASSES, operatorClass } from "./types";

export const COLOUR_BY = ["operator", "dtype", "time", "kernel", "group"] as const;
export type ColourBy = (typeof COLOUR_BY)[number];
export const COLOUR_WORDS: Record<ColourBy, string> = { operator: "operator", dtype: "dtype", time: "time", kernel: "kernel", group: "fusion group" };

export interface Look {
  /** How wide the tint is: of a class it is an edge, of a measured value it may be seen from afar. */
  edge: number;
  tint(node: GraphNode): string;
  /** Written at the node's foot; null for nothing. */
  note(node: GraphNode): string | null;
}

export interface LegendEntry {
  colour: string;
  words: string;
}

export interface Legend {
  entries: LegendEntry[];
  /** Set for a scale instead of kinds: its ends in words. */
  ramp: { colours: readonly string[]; low: string; high: string } | null;
}

const MOST_ENTRIES = 8;

/** The look and its legend; without measured values (`overlays` null) time, kernel and group have nothing to tell apart. */
export function colouring(by: ColourBy, nodes: readonly GraphNode[], palette: Palette, overlays: Overlays | null): { look: Look; legend: Legend } {
  const wheel = OPERATOR_CLASSES.filter((name) => name !== "view").map((name) => palette.operator[name]);
  const none = palette.colour["line-strong"];
  const launches = (node: GraphNode): string | null => launchNote(overlays?.kernels.get(node.name)?.length ?? 0);
  const kinds = (key: (node: GraphNode) => string | null, words: (key: string) => string, note: Look["note"]): { look: Look; legend: Legend } => {
    const found = [...new Set(nodes.flatMap((node) => key(node) ?? []))];
    const colours = new Map(found.map((name, index) => [name, wheel[index % wheel.length]!]));
    const entries = found.slice(0, MOST_ENTRIES).map((name) => ({ colour: colours.get(name)!, words: words(name) }));
    if (found.length > MOST_ENTRIES) entries.push({ colour: "transparent", words: `and ${found.length - MOST_ENTRIES} more` });
    return { look: { edge: 6, tint: (node) => colours.get(key(node) ?? "") ?? none, note }, legend: { entries, ramp: null } };
  };
  switch (by) {
    case "operator": {
      const present = new Set(nodes.map((node) => operatorClass(node.class)));
      return {
        look: { edge: 4, tint: (node) => palette.operator[operatorClass(node.class)], note: launches },
        legend: { entries: OPERATOR_CLASSES.filter((name) => present.has(name)).map((name) => ({ colour: palette.operator[name], words: CLASS_WORDS[name] })), ramp: null },
      };
    }
    case "dtype":
      return kinds((node) => node.dtype, shortDtype, (node) => (node.dtype === null ? null : shortDtype(node.dtype)));
    case "time": {
      const most = Math.max(0, ...(overlays?.time.values() ?? []));
      const tint = (node: GraphNode): string => {
        const time = overlays?.time.get(node.name);
        return time === undefined ? none : palette.heat[heatStep(time, most, palette.heat.length)]!;
      };
      const note = (node: GraphNode): string | null => {
        const time = overlays?.time.get(node.name);
        return time === undefined ? null : `${micros(time)} µs`;
      };
      return { look: { edge: 10, tint, note }, legend: { entries: [], ramp: { colours: palette.heat, low: "0", high: `${micros(most)} µs` } } };
    }
    case "kernel": {
      const first = (node: GraphNode): string | null => overlays?.kernels.get(node.name)?.[0] ?? null;
      return kinds(first, (name) => (name.length > 28 ? `${name.slice(0, 27)}…` : name), (node) => {
        const names = overlays?.kernels.get(node.name) ?? [];
        return names.length === 0 ? null : `${names[0]!.slice(0, 22)}${names.length > 1 ? ` +${names.length - 1}` : ""}`;
      });
    }
    case "group": {
      const groups = (overlays?.groups.size ?? 0) > 0 ? overlays!.groups : (overlays?.inductor ?? new Map<string, number>());
      const word = (node: GraphNode): string | null => (groups.has(node.name) ? `${groups.get(node.name)! + 1}` : null);
      return kinds(word, (number) => `group ${number}`, (node) => (word(node) === null ? null : `group ${word(node)}`));
    }
  }
}

/** "2 launches"; null for none: most nodes of a graph on the CPU have nothing to say. */
export function launchNote(count: number): string | null {
  return count === 0 ? null : count === 1 ? "1 launch" : `${count} launches`;
}

/** Which step of an even scale from 0 to `most` a value falls on. */
export function heatStep(value: number, most: number, steps: number): number {
  return most <= 0 ? 0 : Math.min(steps - 1, Math.floor((value / most) * steps));
}
