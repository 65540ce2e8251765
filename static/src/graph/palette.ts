/** Colours and fonts the canvas paints with, read from the design tokens once per theme. */

import { readColours } from "../lib/colours";
import type { Tone } from "../vocabulary";
import { OPERATOR_CLASSES, type OperatorClass } from "./types";

const NAMES = ["bg", "surface", "raised", "line", "line-strong", "text", "text-2", "text-3", "accent", "accent-soft", "correct", "warn", "fail", "violation", "idle"] as const;

/** Steps of the one even scale for measured values, from little to much. */
const HEAT = [0, 1, 2, 3, 4, 5] as const;

export interface Palette {
  heat: readonly string[];
  colour: Record<(typeof NAMES)[number], string>;
  operator: Record<OperatorClass, string>;
  tone: Record<Tone, string>;
  ui: string;
  mono: string;
}

export function readPalette(): Palette {
  const colour = readColours(NAMES);
  const tints = readColours(OPERATOR_CLASSES.map((name) => `op-${name}` as const));
  const heat = readColours(HEAT.map((step) => `heat-${step}` as const));
  const style = getComputedStyle(document.documentElement);
  return {
    colour,
    heat: HEAT.map((step) => heat[`heat-${step}`]),
    operator: Object.fromEntries(OPERATOR_CLASSES.map((name) => [name, tints[`op-${name}`]])) as Record<OperatorClass, string>,
    tone: { correct: colour.correct, warn: colour.warn, fail: colour.fail, violation: colour.violation, idle: colour.idle, accent: colour.accent },
    ui: style.getPropertyValue("--font-ui"),
    mono: style.getPropertyValue("--font-mono"),
  };
}
