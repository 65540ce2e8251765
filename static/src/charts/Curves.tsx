/** ES_t of several runs over each other, with eager as a rule; t from strict on the left to loose on the right. */

import { line } from "d3-shape";
import { firstT, ratio } from "../format";
import type { Point } from "../run/score";
import { curveWords } from "../run/score";
import { AxisAcross, AxisUp } from "./Axis";
import { Figure } from "./Figure";
import { axis, ratioTick, widened } from "./scales";

const HEIGHT = 190;
const TOP = 8;
const BOTTOM = HEIGHT - 32;

interface Series {
  name: string;
  /** Which side's colour and dash it has. */
  place: number;
  points: readonly Point[];
}

export function Curves({ series, file }: { series: readonly Series[]; file: string }) {
  const ts = [...new Set(series.flatMap((one) => one.points.map((point) => point.t)))].sort((a, b) => a - b);
  const values = [1, ...series.flatMap((one) => one.points.map((point) => point.value))];
  const at = (one: Series, t: number): number | null => one.points.find((point) => point.t === t)?.value ?? null;
  return (
    <Figure
      title="ES_t" note="rectified speed-up by e2e at tolerance t, geometric mean over the graphs" file={file} height={HEIGHT}
      words={series.map((one) => `${one.name}: ${curveWords(one.points)}`).join("; ")}
      table={{ columns: ["t", ...series.map((one) => one.name)], rows: ts.map((t) => [t, ...series.map((one) => at(one, t))]) }}
      draw={(width) => {
        const [left, right] = [46, width - 150];
        const x = axis({ domain: [ts[0]!, ts.at(-1)!], range: [left, right], log: false, room: 30, text: firstT });
        const y = axis({ domain: widened([Math.min(...values), Math.max(...values)], true), range: [BOTTOM, TOP], log: true, room: 22, text: ratioTick });
        return (
          <>
            <AxisUp ticks={y.ticks} x={left} right={right} />
            <AxisAcross ticks={x.ticks.filter(({ text }) => Number.isInteger(Number(text.replace("−", "-"))))} y={BOTTOM} top={BOTTOM} left={left} right={right} title="tolerance t: strict to loose" />
            <line class="mark-t" x1={x(-5)} x2={x(-5)} y1={TOP} y2={BOTTOM} />
            <g class="rule of-eager"><line x1={left} x2={right} y1={y(1)} y2={y(1)} /></g>
            {series.map((one, index) => (
              <g key={one.name} class={`side-${one.place}`}>
                <path class="curve" d={line<Point>((point) => x(point.t), (point) => y(point.value))([...one.points]) ?? ""} />
                {one.points.map((point) => <circle key={point.t} class="dot" cx={x(point.t)} cy={y(point.value)} r={2}><title>{`${one.name}, t ${firstT(point.t)}: ${ratio(point.value)}`}</title></circle>)}
                <line class="curve" x1={right + 8} x2={right + 28} y1={TOP + 10 + 18 * index} y2={TOP + 10 + 18 * index} />
                <text class="label" x={right + 34} y={TOP + 14 + 18 * index}>{one.name.length > 16 ? `${one.name.slice(0, 15)}…` : one.name}<title>{one.name}</title></text>
              </g>
            ))}
          </>
        );
      }}
    />
  );
}
