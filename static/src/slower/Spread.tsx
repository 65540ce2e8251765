/** The distribution of the ratios by each way: which share of the graphs lies at or below a ratio. One line for each way. */

import { curveStepAfter, line } from "d3-shape";
import { AxisAcross, AxisUp } from "../charts/Axis";
import { Figure } from "../charts/Figure";
import { axis, ratioTick, widened } from "../charts/scales";
import { ratio } from "../format";
import type { Share } from "./types";
import { curveWords, extentOf, way, WAY_KEYS } from "./words";

const HEIGHT = 250;
const TOP = 8;
const BOTTOM = HEIGHT - 32;
/** Room that "slower" and "faster" need beside the line at 1×. */
const WORD = 52;

export function Spread({ shares, file }: { shares: readonly Share[]; file: string }) {
  if (shares.length === 0) return null;
  return (
    <Figure
      title="Ratios" note="share of graphs at or below eager / compiler; each way by itself, logarithmic; left of 1× the compiler is slower"
      words={curveWords(shares)} file={file}
      table={{ columns: ["way", "eager / compiler", "share at or below"], rows: shares.flatMap((share) => share.curve.map(([value, part]) => [way(share.way).name, value, part])) }}
      height={HEIGHT}
      draw={(width) => {
        const left = 44;
        const right = width - 12;
        const domain = widened(extentOf(shares), true, 0.05);
        const x = axis({ domain, range: [left, right], log: true, text: ratioTick });
        const y = axis({ domain: [0, 1], range: [BOTTOM, TOP], log: false, room: 34, text: (value) => `${Math.round(100 * value)} %` });
        const inside = (value: number): number => x(Math.min(domain[1], Math.max(domain[0], value)));
        return (
          <>
            <AxisUp ticks={y.ticks} x={left} right={right} />
            <AxisAcross ticks={x.ticks} y={BOTTOM} top={BOTTOM} left={left} right={right} title="eager / compiler, logarithmic" />
            <line class="one" x1={x(1)} x2={x(1)} y1={TOP} y2={BOTTOM} />
            {x(1) - left > WORD && <text class="tick end" x={x(1) - 5} y={TOP + 10}>slower</text>}
            {right - x(1) > WORD && <text class="tick" x={x(1) + 5} y={TOP + 10}>faster</text>}
            {shares.map((share) => (
              <g key={share.way} class={`way-${Math.max(0, WAY_KEYS.indexOf(share.way))}`}>
                <title>{`${way(share.way).name}: median ${share.median === null ? "unknown" : ratio(share.median)}`}</title>
                <path d={line<[number, number]>((point) => inside(point[0]), (point) => y(point[1])).curve(curveStepAfter)([[domain[0], 0], ...share.curve, [domain[1], 1]]) ?? ""} />
              </g>
            ))}
          </>
        );
      }}
    />
  );
}
