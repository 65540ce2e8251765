/** A horizontal or a vertical axis with its ticks, grid lines and title. */

interface Tick {
  at: number;
  text: string;
}

interface AcrossProps {
  ticks: readonly Tick[];
  /** Where the axis lies, where its grid lines begin, and both its ends. */
  y: number;
  top: number;
  left: number;
  right: number;
  title: string;
}

export function AxisAcross({ ticks, y, top, left, right, title }: AcrossProps) {
  return (
    <g class="axis" aria-hidden="true">
      <line x1={left} x2={right} y1={y} y2={y} class="axis-line" />
      {ticks.map(({ at, text }) => (
        <g key={at}>
          <line x1={at} x2={at} y1={top} y2={y + 3} class="grid" />
          <text x={at} y={y + 14} class="tick middle">{text}</text>
        </g>
      ))}
      <text x={right} y={y + 27} class="axis-title end">{title}</text>
    </g>
  );
}

interface UpProps {
  ticks: readonly Tick[];
  x: number;
  right: number;
}

export function AxisUp({ ticks, x, right }: UpProps) {
  return (
    <g class="axis" aria-hidden="true">
      {ticks.map(({ at, text }) => (
        <g key={at}>
          <line x1={x} x2={right} y1={at} y2={at} class="grid" />
          <text x={x - 6} y={at + 4} class="tick end">{text}</text>
        </g>
      ))}
    </g>
  );
}
