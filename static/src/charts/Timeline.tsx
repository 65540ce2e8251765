/** What the device does in one call of eager, of the baselines and of the author's: kernels end to end on one scale. */

import { micros, plural } from "../format";
import type { Lane, Segment } from "../run/timeline";
import { AxisAcross } from "./Axis";
import { Figure } from "./Figure";
import { axis, microsTick } from "./scales";
import { participantClass } from "./StripPlot";

const LANE = 26;
const TOP = 4;
const FOOT = 30;
/** Pixels from which a segment has room for its name, at about 6 a letter. */
const LETTER = 6.2;

interface Props {
  lanes: readonly Lane[];
  file: string;
  /** A kernel is chosen: its nodes are to be shown on the graph. */
  onNodes(who: string, nodes: readonly string[]): void;
  /** Whether a kernel's nodes are selected on the graph. */
  isShown(who: string, nodes: readonly string[]): boolean;
}

export function Timeline({ lanes, file, onNodes, isShown }: Props) {
  const longest = Math.max(...lanes.map((lane) => lane.total), 0);
  if (longest <= 0) return null;
  const bottom = TOP + lanes.length * LANE;
  const words = lanes.map((lane) => `${lane.name}: ${plural(lane.launches, "launch", "launches")}, ${micros(lane.total)} µs`).join("; ");
  const rows = lanes.flatMap((lane) => lane.segments.map((one) => [lane.name, one.name, one.count, one.start, one.duration, one.nodes.join(" ")]));
  return (
    <Figure
      title="Kernels of one call" note="durations from a profile, laid end to end; filled: new, outlined: eager has it too" words={words} file={file}
      table={{ columns: ["participant", "kernel", "launches", "from µs", "takes µs", "nodes"], rows }} height={bottom + FOOT}
      draw={(width) => {
        const left = 74;
        const right = width - 66;
        const x = axis({ domain: [0, longest], range: [left, right], log: false, text: microsTick });
        return (
          <>
            <AxisAcross ticks={x.ticks} y={bottom} top={TOP} left={left} right={right} title="µs on the device" />
            {lanes.map((lane, index) => {
              const y = TOP + index * LANE + 3;
              return (
                <g key={lane.who} class={`lane ${participantClass(lane.who)}`}>
                  <text x={left - 8} y={y + 14} class="label end">{lane.name}</text>
                  {lane.segments.map((one, place) => <Bar key={place} one={one} x={x(one.start)} width={x(one.start + one.duration) - x(one.start)} y={y} shown={isShown(lane.who, one.nodes)} onNodes={() => onNodes(lane.who, one.nodes)} />)}
                  <text x={width - 2} y={y + 14} class="value end">{micros(lane.total)}</text>
                </g>
              );
            })}
          </>
        );
      }}
    />
  );
}

interface BarProps {
  one: Segment;
  x: number;
  y: number;
  width: number;
  shown: boolean;
  onNodes(): void;
}

function Bar({ one, x, y, width, shown, onNodes }: BarProps) {
  const inner = Math.max(0.75, width - 1);
  const shows = one.nodes.length > 0;
  const from = one.nodes.length === 0 ? "" : `\nlaunched by ${one.nodes.join(", ")}`;
  const letters = Math.floor((inner - 6) / LETTER);
  return (
    <g class={`segment ${one.known ? "known" : "new"}${shows ? " shows" : ""}${shown ? " is-selected" : ""}`} onClick={shows ? onNodes : undefined}>
      <title>{`${one.name}\n${micros(one.duration)} µs${one.count > 1 ? `, ${one.count} launches` : ""}${from}`}</title>
      <rect x={x} y={y} width={inner} height={LANE - 6} rx={1.5} />
      {letters >= 4 && <text x={x + 4} y={y + 14} class="inside">{one.short.length <= letters ? one.short : `${one.short.slice(0, letters - 1)}…`}</text>}
    </g>
  );
}
