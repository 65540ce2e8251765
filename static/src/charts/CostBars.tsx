/** Where the µs of a call go, as stacked bars on one scale. */

import { micros } from "../format";
import type { CostBar } from "../run/cost";
import { partLabel } from "../run/cost";
import { AxisAcross } from "./Axis";
import { Figure } from "./Figure";
import { axis, microsTick } from "./scales";

const LANE = 24;
const TOP = 22;
const FOOT = 30;

interface Props {
  title: string;
  note: string;
  bars: readonly CostBar[];
  file: string;
}

export function CostBars({ title, note, bars, file }: Props) {
  const longest = Math.max(0, ...bars.map((bar) => bar.total));
  if (longest <= 0) return null;
  const bottom = TOP + bars.length * LANE;
  const kinds = [...new Set(bars.flatMap((bar) => bar.parts.map((one) => one.part)))];
  const words = bars.map((bar) => `${bar.name}: ${bar.parts.map((one) => `${one.label} ${micros(one.time)} µs`).join(", ")}`).join("; ");
  return (
    <Figure
      title={title} note={note} words={words} file={file}
      table={{ columns: ["participant", ...kinds.map((kind) => `${partLabel(kind)} µs`)], rows: bars.map((bar) => [bar.name, ...kinds.map((kind) => bar.parts.find((one) => one.part === kind)?.time ?? null)]) }}
      height={bottom + FOOT}
      draw={(width) => {
        const left = 110;
        const right = width - 66;
        const x = axis({ domain: [0, longest], range: [left, right], log: false, text: microsTick });
        let at = left;
        return (
          <>
            <g aria-hidden="true">
              {kinds.map((kind) => {
                const place = at;
                at += 24 + partLabel(kind).length * 6;
                return <g key={kind} class={`part part-${kind}`}><rect x={place} y={4} width={10} height={10} /><text x={place + 15} y={13} class="tick">{partLabel(kind)}</text></g>;
              })}
            </g>
            <AxisAcross ticks={x.ticks} y={bottom} top={TOP} left={left} right={right} title="µs of one call" />
            {bars.map((bar, lane) => {
              const y = TOP + lane * LANE + 4;
              let from = 0;
              return (
                <g key={bar.name}>
                  <text x={left - 8} y={y + 12} class="label end">{bar.name}</text>
                  {bar.parts.map((one) => {
                    const begin = from;
                    from += one.time;
                    const wide = x(from) - x(begin);
                    return (
                      <g key={one.part} class={`part part-${one.part}`}>
                        <title>{`${one.label}: ${micros(one.time)} µs`}</title>
                        <rect x={x(begin)} y={y} width={Math.max(0.75, wide - 1)} height={LANE - 8} />
                        {wide > 44 && <text x={x(begin) + wide / 2} y={y + 12} class="inside middle">{micros(one.time)}</text>}
                      </g>
                    );
                  })}
                  <text x={width - 2} y={y + 12} class="value end">{micros(bar.total)}</text>
                </g>
              );
            })}
          </>
        );
      }}
    />
  );
}
