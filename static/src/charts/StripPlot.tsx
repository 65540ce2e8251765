/** Every sample of every participant as a dot, with box and whiskers: whether two times differ is seen, not believed. */

import type { Timed } from "../events";
import { micros } from "../format";
import { extentOf, needsLog, sampleRows, spreads } from "../run/distribution";
import { AxisAcross } from "./Axis";
import { Figure } from "./Figure";
import { axis, microsTick, widened } from "./scales";

const LANE = 34;
const TOP = 4;
const FOOT = 30;

export function StripPlot({ timing, file }: { timing: Timed; file: string }) {
  const found = spreads(timing);
  if (found.length === 0) return null;
  const extent = extentOf(found);
  const log = needsLog(extent);
  const bottom = TOP + found.length * LANE;
  const rounds = Math.max(...found.map((one) => one.samples.length));
  const words = found.map((one) => `${one.name}: median ${micros(one.median)} µs, half of the calls from ${micros(one.q1)} to ${micros(one.q3)}`).join("; ");
  return (
    <Figure
      title="Time of one call" note={`${timing.method}, ${timing.entry}; ${rounds} rounds, each in random order${log ? "; logarithmic" : ""}`} words={`${timing.method} ${timing.entry}. ${words}`}
      file={file} table={{ columns: ["round", ...found.map((one) => `${one.name} µs`)], rows: sampleRows(found) }} height={bottom + FOOT}
      draw={(width) => {
        const left = 74;
        const right = width - 66;
        const x = axis({ domain: widened(extent, log), range: [left, right], log, text: microsTick });
        return (
          <>
            <AxisAcross ticks={x.ticks} y={bottom} top={TOP} left={left} right={right} title="µs" />
            {found.map((one, lane) => {
              const middle = TOP + lane * LANE + LANE / 2;
              return (
                <g key={one.who} class={`lane ${participantClass(one.who)}`}>
                  <text x={left - 8} y={middle + 4} class="label end">{one.name}</text>
                  <path class="dots" d={one.samples.map((value, index) => `M${x(value).toFixed(1)},${(middle + jitter(index) * 9).toFixed(1)}h0`).join("")} />
                  <path class="whisker" d={`M${x(one.low)},${middle}H${x(one.q1)}M${x(one.q3)},${middle}H${x(one.high)}`} />
                  <rect class="box" x={x(one.q1)} y={middle - 7} width={Math.max(1, x(one.q3) - x(one.q1))} height={14} />
                  <line class="median" x1={x(one.median)} x2={x(one.median)} y1={middle - 10} y2={middle + 10} />
                  <text x={width - 2} y={middle + 4} class="value end">{micros(one.median)}</text>
                </g>
              );
            })}
          </>
        );
      }}
    />
  );
}

/** −1 to 1, the same for the same round: neighbouring rounds lie far apart. */
function jitter(index: number): number {
  return ((index * 0.618034) % 1) * 2 - 1;
}

/** Three looks: eager, the author's, and every baseline. */
export function participantClass(who: string): string {
  return who === "eager" ? "of-eager" : who === "candidate" ? "of-yours" : "of-baseline";
}
