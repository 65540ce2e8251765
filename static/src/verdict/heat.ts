/** Logarithmic place of an error between the smallest and the largest that is not zero, 0 to 1. */
export function heat(value: number, low: number, high: number): number {
  if (value <= 0 || high <= 0) return 0;
  if (high <= low) return 1;
  return 0.08 + (0.92 * (Math.log(value) - Math.log(low))) / (Math.log(high) - Math.log(low));
}

const SIDE = 6;

/** The map as a drawing of its own, in the colours of the theme in force. */
export function heatSvg(cells: readonly (readonly (number | null)[])[], low: number, high: number, colour: { hover: string; fail: string; violation: string }): string {
  const width = SIDE * Math.max(1, ...cells.map((row) => row.length));
  const marks = cells.flatMap((row, y) => row.map((value, x) => {
    const ink = value === null ? 1 : heat(value, low, high);
    return ink === 0 ? "" : `<rect x="${x * SIDE}" y="${y * SIDE}" width="${SIDE}" height="${SIDE}" fill="${value === null ? colour.violation : colour.fail}" fill-opacity="${ink.toFixed(3)}"/>`;
  }));
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${SIDE * cells.length}"><rect width="100%" height="100%" fill="${colour.hover}"/>${marks.join("")}</svg>\n`;
}
