/** How the revisions of a pass did: one mark each, its last run; its earlier runs stay as faint marks behind it. */

import { line } from "d3-shape";
import type { RunSummary } from "../api";
import { ratio } from "../format";
import { AxisUp } from "./Axis";
import { Figure } from "./Figure";
import type { Mark, Revision } from "./revisions";
import { byRevision } from "./revisions";
import { axis, ratioTick, widened } from "./scales";

const HEIGHT = 104;
const TOP = 8;
const BOTTOM = HEIGHT - 26;

interface Props {
  marks: readonly Mark[];
  /** "correct graphs", or a method of timing. */
  what: string;
  shown: string | null;
  pins: readonly string[];
  onShow(run: RunSummary): void;
}

export function HistoryChart({ marks, what, shown, pins, onShow }: Props) {
  const share = what === SHARE;
  const values = marks.map((mark) => mark.value);
  const domain: [number, number] = share ? [0, 1] : widened([Math.min(1, ...values), Math.max(1, ...values)], true, 0.1);
  const text = (value: number): string => (share ? `${Math.round(100 * value)} %` : ratio(value));
  const revisions = byRevision(marks);
  const again = revisions.length < marks.length;
  const words = revisions.map(({ last }) => `revision ${last.run.revision_number} ${text(last.value)}`).join("; ");
  const means = share ? "share of graphs that are correct" : `eager / yours by ${what}, geometric mean over correct graphs; logarithmic`;
  return (
    <Figure
      title="Revisions" note={`${means}${again ? "; a mark is a revision's last run, faint ones are its earlier runs" : ""}`} words={`${what}: ${words}`} file="history"
      table={{ columns: ["revision", "started", "device", "measured", what, "correct", "graphs"], rows: marks.map(({ run, point, value }) => [run.revision_number, run.created_at, run.device, run.imported == null ? "here" : run.imported.hardware, value, point.correct, point.total]) }}
      height={HEIGHT}
      draw={(width) => {
        const left = 46;
        const right = width - 14;
        const y = axis({ domain, range: [BOTTOM, TOP], log: !share, room: 22, text: share ? text : ratioTick });
        const x = (index: number): number => (revisions.length === 1 ? (left + right) / 2 : left + 8 + (index * (right - left - 16)) / (revisions.length - 1));
        const every = Math.ceil(revisions.length / Math.max(1, Math.floor((right - left) / 26)));
        const path = line<Revision>((_, index) => x(index), ({ last }) => y(last.value))([...revisions]) ?? "";
        const draw = (mark: Mark, index: number, kind: string) => {
          const { run } = mark;
          const state = `${run.run === shown ? " shown" : ""}${pins.includes(run.run) ? " pinned" : ""}`;
          return (
            <g key={run.run} class={`${kind}${run.imported == null ? "" : " elsewhere-mark"}${mark.point.correct === mark.point.total ? "" : " partly"}${state}`} onClick={() => onShow(run)}>
              <title>{`revision ${run.revision_number}${kind === "run-mark" ? "" : ", an earlier run"}: ${text(mark.value)}, correct ${mark.point.correct}/${mark.point.total}, ${run.device}${run.imported == null ? "" : `, measured on ${run.imported.hardware}`}`}</title>
              {run.imported == null ? <circle cx={x(index)} cy={y(mark.value)} r={kind === "run-mark" ? 4 : 3} /> : <path d={`M${x(index)},${y(mark.value) - 5.5}l5.5,5.5l-5.5,5.5l-5.5,-5.5z`} />}
            </g>
          );
        };
        return (
          <>
            <AxisUp ticks={y.ticks} x={left} right={right} />
            {!share && <line class="one" x1={left} x2={right} y1={y(1)} y2={y(1)} />}
            <path class="trail" d={path} />
            {revisions.map(({ earlier }, index) => earlier.map((mark) => draw(mark, index, "run-mark-earlier")))}
            {revisions.map(({ last }, index) => draw(last, index, "run-mark"))}
            {revisions.map(({ last }, index) => index % every === 0 && <text key={last.run.run} class="tick middle" x={x(index)} y={HEIGHT - 10}>r{last.run.revision_number}</text>)}
          </>
        );
      }}
    />
  );
}

export const SHARE = "correct graphs";
