/** How many times faster than eager, with the 95 % interval, on a logarithmic axis on which 1× is marked. */

import type { Timed } from "../events";
import { ratio } from "../format";
import { whiskers } from "../run/distribution";
import { speedWord } from "../vocabulary";
import { AxisAcross } from "./Axis";
import { Figure } from "./Figure";
import { axis, ratioTick, widened } from "./scales";
import { participantClass } from "./StripPlot";

const LANE = 22;
const TOP = 4;
const FOOT = 30;

export function RatioPlot({ timing, file }: { timing: Timed; file: string }) {
  const found = whiskers(timing).filter((one) => one.low > 0 && Number.isFinite(one.high));
  if (found.length === 0) return null;
  const bottom = TOP + found.length * LANE;
  const extent: [number, number] = [Math.min(1, ...found.map((one) => one.low)), Math.max(1, ...found.map((one) => one.high))];
  const words = found.map((one) => `${one.name} ${ratio(one.value)}, 95 % interval ${one.low.toFixed(3)} to ${one.high.toFixed(3)}, ${speedWord(one.word).text}`).join("; ");
  return (
    <Figure
      title="Faster than eager" note={`eager / participant of medians, ${timing.method}, ${timing.entry}; 95 % interval`} words={`eager / participant by ${timing.method} ${timing.entry}: ${words}`} file={file}
      table={{ columns: ["participant", "eager / participant", "low", "high", "rounds", "word"], rows: found.map((one) => [one.name, one.value, one.low, one.high, one.rounds, one.word]) }}
      height={bottom + FOOT}
      draw={(width) => {
        const left = 74;
        const right = width - 66;
        const x = axis({ domain: widened(extent, true, 0.08), range: [left, right], log: true, text: ratioTick });
        return (
          <>
            <AxisAcross ticks={x.ticks} y={bottom} top={TOP} left={left} right={right} title="eager / participant, logarithmic" />
            <line class="one" x1={x(1)} x2={x(1)} y1={TOP} y2={bottom} />
            {found.map((one, lane) => {
              const y = TOP + lane * LANE + LANE / 2;
              return (
                <g key={one.who} class={`lane ${participantClass(one.who)}`}>
                  <text x={left - 8} y={y + 4} class="label end">{one.name}</text>
                  <path class="whisker" d={`M${x(one.low)},${y}H${x(one.high)}M${x(one.low)},${y - 4}v8M${x(one.high)},${y - 4}v8`} />
                  <circle class="dot" cx={x(one.value)} cy={y} r={4} />
                  <text x={width - 2} y={y + 4} class="value end">{speedWord(one.word).glyph} {ratio(one.value)}</text>
                </g>
              );
            })}
          </>
        );
      }}
    />
  );
}
