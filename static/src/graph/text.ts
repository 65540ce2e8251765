/** Text on a canvas: measured once per font and string, shortened where it does not fit. */

const widths = new Map<string, Map<string, number>>();

export function widthOf(ctx: CanvasRenderingContext2D, text: string): number {
  let known = widths.get(ctx.font);
  if (known === undefined) widths.set(ctx.font, (known = new Map()));
  let width = known.get(text);
  if (width === undefined) {
    if (known.size > 20_000) known.clear();
    width = ctx.measureText(text).width;
    known.set(text, width);
  }
  return width;
}

/** Fonts that arrive late change every width. */
export function forgetWidths(): void {
  widths.clear();
}

/** The longest start of the text that fits, with an ellipsis; "" when not even that does. */
export function fitText(ctx: CanvasRenderingContext2D, text: string, room: number): string {
  if (widthOf(ctx, text) <= room) return text;
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (widthOf(ctx, `${text.slice(0, middle)}…`) <= room) low = middle;
    else high = middle - 1;
  }
  return low === 0 ? "" : `${text.slice(0, low)}…`;
}

/** Keeps both ends of a long name: "L_self_modules_…_weight". */
export function middleCut(text: string, length: number): string {
  if (text.length <= length) return text;
  const head = Math.ceil((length - 1) / 2);
  return `${text.slice(0, head)}…${text.slice(text.length - (length - 1 - head))}`;
}
