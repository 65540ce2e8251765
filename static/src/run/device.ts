/** What the device was like while a graph was measured, in words. Pure. */

import type { DeviceReading, DeviceReport } from "../events";

/** "NVIDIA H200: 1,980 MHz, 45 → 61 °C, 310 W; held down by power cap" and "TF32 off, …". Empty parts are left out. */
export function deviceWords({ name, flags, before, after }: DeviceReport): string[] {
  const reading = [
    span(before?.sm_clock, after?.sm_clock, "MHz"), span(before?.temperature, after?.temperature, "°C"), span(before?.power, after?.power, "W"), held(before, after),
  ].filter(Boolean).join(", ");
  const on = Object.entries(flags).flatMap(([flag, value]) => (value === false ? [] : [value === true ? flag : `${flag} ${value}`]));
  return [
    name === null ? "" : `${name}: ${reading === "" ? "clocks and temperature could not be read" : reading}`,
    Object.keys(flags).length === 0 ? "" : on.length === 0 ? "TF32 and reduced-precision reductions off" : `on: ${on.join(", ")}`,
  ].filter(Boolean);
}

/** "45 → 61 °C", "1,980 MHz" where both are the same. */
function span(before: number | null | undefined, after: number | null | undefined, unit: string): string {
  const known = [before, after].flatMap((value) => (typeof value === "number" ? [Math.round(value).toLocaleString("en-US")] : []));
  return known.length === 0 ? "" : `${[...new Set(known)].join(" → ")} ${unit}`;
}

function held(before: DeviceReading | null, after: DeviceReading | null): string {
  const reasons = [...new Set([...(before?.throttled ?? []), ...(after?.throttled ?? [])])];
  return reasons.length === 0 ? "" : `held down by ${reasons.join(", ")}`;
}
