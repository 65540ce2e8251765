import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { OPERATOR_CLASSES } from "./graph/types";

type Rgb = [number, number, number];

const css = readFileSync(new URL("./tokens.css", import.meta.url), "utf8");

/** The light or dark value of a token, as linear RGB from 0 to 1. */
function token(name: string, theme: "light" | "dark"): Rgb {
  const pair = new RegExp(`--${name}: light-dark\\(#([0-9a-f]{6}), #([0-9a-f]{6})\\)`).exec(css);
  if (pair === null) throw new Error(`no token --${name}`);
  const hex = pair[theme === "light" ? 1 : 2]!;
  return [0, 2, 4].map((at) => {
    const value = parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  }) as Rgb;
}

/** WCAG 2 contrast ratio. */
function contrast(a: Rgb, b: Rgb): number {
  const [light, dark] = [a, b].map(([red, green, blue]) => 0.2126 * red + 0.7152 * green + 0.0722 * blue).sort((x, y) => y - x);
  return (light! + 0.05) / (dark! + 0.05);
}

/** Full-strength dichromacy after Machado, Oliveira and Fernandes (2009), on linear RGB. */
const EYES: Record<string, number[]> = {
  usual: [1, 0, 0, 0, 1, 0, 0, 0, 1],
  protanopia: [0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998],
  deuteranopia: [0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881],
  tritanopia: [1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.3039],
};

function seen(colour: Rgb, matrix: number[]): Rgb {
  return [0, 3, 6].map((row) => {
    const value = matrix[row]! * colour[0] + matrix[row + 1]! * colour[1] + matrix[row + 2]! * colour[2];
    return Math.min(1, Math.max(0, value));
  }) as Rgb;
}

/** CIE L*a*b* (D65) of linear RGB, for a plain colour difference. */
function lab([r, g, b]: Rgb): Rgb {
  const curve = (value: number): number => (value > 216 / 24389 ? Math.cbrt(value) : (value * 24389) / 27 / 116 + 16 / 116);
  const x = curve((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047);
  const y = curve(0.2126 * r + 0.7152 * g + 0.0722 * b);
  const z = curve((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

const distance = (a: Rgb, b: Rgb): number => Math.hypot(...lab(a).map((value, index) => value - lab(b)[index]!));

describe.each(["light", "dark"] as const)("%s theme", (theme) => {
  const text = ["text", "text-2", "text-3", "accent", "correct", "warn", "fail", "violation", "idle"];
  const grounds = ["surface", "raised", "hover", "bg"];

  it("reads on every ground (AA, 4.5:1)", () => {
    const poor = text.flatMap((name) =>
      grounds.filter((ground) => contrast(token(name, theme), token(ground, theme)) < 4.5).map((ground) => `${name} on ${ground}`),
    );
    expect(poor).toEqual([]);
  });

  it.each([["on-accent", "accent"], ["text", "accent-soft"], ["text-2", "accent-soft"], ["text-3", "accent-soft"], ["accent", "accent-soft"], ["fail", "accent-soft"], ["warn", "accent-soft"], ["correct", "accent-soft"], ["correct", "correct-soft"], ["warn", "warn-soft"], ["fail", "fail-soft"]])("reads: %s on %s", (name, ground) => {
    expect(contrast(token(name, theme), token(ground, theme))).toBeGreaterThanOrEqual(4.5);
  });

  it.each(["code-keyword", "code-string", "code-number", "code-comment"])("reads as code: %s", (name) => {
    expect(contrast(token(name, theme), token("surface", theme))).toBeGreaterThanOrEqual(4.5);
  });

  it.each(Object.keys(EYES))("keeps the operator classes apart for %s", (eye) => {
    const tints = OPERATOR_CLASSES.map((name) => [name, seen(token(`op-${name}`, theme), EYES[eye]!)] as const);
    const close = tints.flatMap(([a, first], index) =>
      tints.slice(index + 1).flatMap(([b, second]) => (distance(first, second) < 11 ? [`${a}/${b} ${distance(first, second).toFixed(1)}`] : [])),
    );
    expect(close).toEqual([]);
  });

  it.each(Object.keys(EYES))("has an even scale of measured values for %s: lightness goes one way, in like steps", (eye) => {
    const lightness = [0, 1, 2, 3, 4, 5].map((step) => lab(seen(token(`heat-${step}`, theme), EYES[eye]!))[0]);
    const steps = lightness.slice(1).map((value, index) => (theme === "light" ? -1 : 1) * (value - lightness[index]!));
    expect(Math.min(...steps)).toBeGreaterThan(5);
    expect(Math.max(...steps)).toBeLessThan(22);
  });
});
