/** ES_t over the tolerance, with eager and Inductor as rules; t from strict on the left to loose on the right. */

import { line } from "d3-shape";
import { firstT, ratio } from "../format";
import type { Point } from "../run/score";
import { curveWords } from "../run/score";
import { AxisAcross, AxisUp } from "./Axis";
import { Figure } from "./Figure";
import { axis, ratioTick, widened } from "./scales";

const HEIGHT = 150;
const TOP = 8;
const BOTTOM = HEIGHT - 32;

interface Props {
  points: readonly Point[];
  /** Inductor's geometric mean speed-up over the same graphs; null where it was not measured. */
  inductor: number | null;
  file: string;
}

export function Curve({ points, inductor, file }: Props) {
  const rules = [{ name: "eager", value: 1 }, ...(inductor === null ? [] : [{ name: "Inductor", value: inductor }])];
  const values = [...points.map((point) => point.value), ...rules.map((rule) => rule.value)];
  return (
    <Figure
      title="ES_t" note="rectified speed-up by e2e at tolerance t, geometric mean over the graphs; Inductor: its speed alone" file={file}
      words={`${curveWords(points)}; eager 1${inductor === null ? "" : `, Inductor ${ratio(inductor)}`}`}
      table={{ columns: ["t", "ES_t", "eager", "Inductor"], rows: points.map(({ t, value }) => [t, value, 1, inductor]) }} height={HEIGHT}
      draw={(width) => {
        const left = 46;
        const right = width - 100;
        const x = axis({ domain: [points[0]!.t, points.at(-1)!.t], range: [left, right], log: false, room: 30, text: firstT });
        const y = axis({ domain: widened([Math.min(...values), Math.max(...values)], true), range: [BOTTOM, TOP], log: true, room: 22, text: ratioTick });
        const path = line<Point>((point) => x(point.t), (point) => y(point.value))([...points]) ?? "";
        return (
          <>
            <AxisUp ticks={y.ticks} x={left} right={right} />
            <AxisAcross ticks={x.ticks.filter(({ text }) => Number.isInteger(Number(text.replace("−", "-"))))} y={BOTTOM} top={BOTTOM} left={left} right={right} title="tolerance t: strict to loose" />
            <line class="mark-t" x1={x(-5)} x2={x(-5)} y1={TOP} y2={BOTTOM} />
            <text class="tick" x={x(-5) + 4} y={BOTTOM - 5}>correct at −5</text>
            {rules.map((rule) => (
              <g key={rule.name} class={`rule ${rule.name === "eager" ? "of-eager" : "of-baseline"}`}>
                <line x1={left} x2={right} y1={y(rule.value)} y2={y(rule.value)} />
              </g>
            ))}
            {apart(rules.map((rule) => ({ name: `${rule.name} ${ratio(rule.value)}`, y: y(rule.value) }))).map((label) => <text key={label.name} class="label" x={right + 6} y={label.y + 4}>{label.name}</text>)}
            <g class="of-yours">
              <path class="curve" d={path} />
              {points.map((point) => (
                <circle key={point.t} class="dot" cx={x(point.t)} cy={y(point.value)} r={2.5}><title>{`t ${firstT(point.t)}: ${ratio(point.value)}`}</title></circle>
              ))}
            </g>
          </>
        );
      }}
    />
  );
}

/** Labels that would lie on each other are moved apart, the upper one up. */
function apart(labels: { name: string; y: number }[]): { name: string; y: number }[] {
  const [first, second] = [...labels].sort((a, b) => a.y - b.y);
  if (first === undefined || second === undefined) return labels;
  const lacking = Math.max(0, 14 - (second.y - first.y)) / 2;
  return [{ ...first, y: first.y - lacking }, { ...second, y: second.y + lacking }];
}
