/** Numbers and names as they are set on the page: few digits, true minus signs, short dtypes. */

const MINUS = "−";

const SHORT_DTYPES: Record<string, string> = {
  float64: "f64", float32: "f32", float16: "f16", bfloat16: "bf16", float8_e4m3fn: "f8e4m3", float8_e5m2: "f8e5m2",
  int64: "i64", int32: "i32", int16: "i16", int8: "i8", uint8: "u8", bool: "bool", complex64: "c64", complex128: "c128",
};

/** Whether it names a dtype, in full or in short: "torch.float16", "bf16". */
export function isDtype(text: string): boolean {
  const name = text.replace(/^torch\./, "");
  return Object.values(SHORT_DTYPES).includes(name) || /^(?:bool|(?:b?float|u?int|complex)\d+\w*)$/.test(name);
}

export function shortDtype(dtype: string | null): string {
  if (dtype === null) return "";
  const name = dtype.replace(/^torch\./, "");
  return Object.hasOwn(SHORT_DTYPES, name) ? SHORT_DTYPES[name]! : name;
}

/** "[1,49,48]"; null (not a tensor, or not known) gives "". */
export function shape(value: readonly number[] | null): string {
  return value === null ? "" : `[${value.join(",")}]`;
}

export function tensor(value: readonly number[] | null, dtype: string | null): string {
  return [shape(value), shortDtype(dtype)].filter(Boolean).join(" ");
}

/** "L_self_modules_layers_modules_0_modules_q_parameters_weight_" → "layers.0.q.weight"; other names stay as they are. */
export function inputName(name: string): string {
  const parts = /^[Ll]_self_modules_(.+?)_(?:parameters|buffers)_(.+?)_?$/.exec(name);
  return parts === null ? name : `${parts[1]!.split("_modules_").join(".")}.${parts[2]}`;
}

/** First tolerance: −99 means equal bit for bit, null that there is none. */
export function firstT(value: number | null): string {
  if (value === null) return "–";
  if (value <= -99) return "exact";
  return value < 0 ? `${MINUS}${-value}` : String(value);
}

/** An error: two significant digits, scientific below 0.001 and from 10,000 on. */
export function error(value: number | null): string {
  if (value === null || Number.isNaN(value)) return "–";
  if (value === 0) return "0";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : `${MINUS}∞`;
  const size = Math.abs(value);
  const text = size < 1e-3 || size >= 1e4 ? size.toExponential(1) : String(Number(size.toPrecision(2)));
  const padded = text.replace(/e([+-])(\d)$/, "e$10$2").replace("e-", `e${MINUS}`).replace("e+", "e");
  return value < 0 ? MINUS + padded : padded;
}

/** A value of a tensor, five significant digits; strings stand for inf and nan. */
export function element(value: number | string | boolean): string {
  if (typeof value !== "number") return String(value);
  if (Number.isInteger(value) && Math.abs(value) < 1e6) return String(value).replace("-", MINUS);
  return String(Number(value.toPrecision(5))).replace(/-/g, MINUS);
}

/** Seconds as a clock: "84 ms", "1.2 s", "2:05". */
export function clock(seconds: number): string {
  const at = Math.max(0, seconds);
  if (at < 0.9995) return `${Math.round(at * 1000)} ms`;
  if (at < 99.95) return `${at.toFixed(1)} s`;
  const whole = Math.round(at);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

/** "12:01" for today, "29 Nov 12:01" for another day. `now` is for tests. */
export function when(iso: string, now: Date = new Date()): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return "";
  const time = `${String(at.getHours()).padStart(2, "0")}:${String(at.getMinutes()).padStart(2, "0")}`;
  if (at.toDateString() === now.toDateString()) return time;
  const month = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"][at.getMonth()]!;
  const year = at.getFullYear() === now.getFullYear() ? "" : ` ${at.getFullYear()}`;
  return `${at.getDate()} ${month}${year} ${time}`;
}

/** plural(1, "graph") → "1 graph", plural(2, "match", "matches") → "2 matches". */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en-US")} ${count === 1 ? one : many}`;
}

/** "eager 5 → yours 1" as its two numbers; null where not counted. */
export function launches(value: Record<string, number | null> | null): { eager: string; yours: string } {
  return { eager: String(value?.["eager"] ?? "–"), yours: String(value?.["candidate"] ?? "–") };
}

/** A time in µs, three significant digits, without its unit: "5.93", "12.4", "139", "1,234". */
export function micros(value: number): string {
  if (!Number.isFinite(value)) return "–";
  if (value >= 99.95) return Math.round(value).toLocaleString("en-US");
  return value.toFixed(value >= 9.995 ? 1 : 2);
}

/** How many decimals a ratio is written with. */
function ratioDigits(value: number): number {
  return value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
}

/** "1.83×" */
export function ratio(value: number): string {
  return Number.isFinite(value) ? `${value.toFixed(ratioDigits(value))}×` : "–";
}

/** "±0.02" for half the width of an interval, in the decimals of its ratio. */
export function halfWidth(value: number, low: number, high: number): string {
  const digits = ratioDigits(value);
  const half = (high - low) / 2;
  const least = 10 ** -digits;
  return half > 0 && half < least / 2 ? `±<${least.toFixed(digits)}` : `±${half.toFixed(digits)}`;
}

/** A count of bytes: "640 B", "24.6 kB", "1.50 GB". */
export function bytes(value: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let at = 0;
  let size = value;
  while (size >= 999.5 && at < units.length - 1) {
    size /= 1000;
    at++;
  }
  return `${at === 0 ? size : micros(size)} ${units[at]}`;
}
