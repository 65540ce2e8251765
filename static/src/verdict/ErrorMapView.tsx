/** Heat-map of one output's error on a logarithmic, perceptually even ramp, with its legend and its range in words. */

import { useEffect, useRef } from "preact/hooks";
import type { ErrorMap } from "../events";
import { fileName, saveCsv } from "../charts/export";
import { error } from "../format";
import { readColours, withAlpha } from "../lib/colours";
import { save } from "../lib/save";
import { theme } from "../lib/theme";
import { limits } from "../run/errors";
import { heat, heatSvg } from "./heat";

const CELL = 3;
const SMALLEST_SIDE = 24;

export function ErrorMapView({ graph, map, output }: { graph: string; map: ErrorMap; output: number }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const rows = map.cells.length;
  const columns = Math.max(...map.cells.map((row) => row.length));
  const wide = Math.max(CELL, Math.ceil(SMALLEST_SIDE / columns));
  const high = Math.max(CELL, Math.ceil(SMALLEST_SIDE / rows));
  const bounds = limits(map);
  const current = theme.value;

  useEffect(() => {
    const ratio = Math.ceil(devicePixelRatio || 1);
    const element = canvas.current!;
    element.width = columns * wide * ratio;
    element.height = rows * high * ratio;
    const ctx = element.getContext("2d")!;
    const colour = readColours(["hover", "fail", "violation"]);
    ctx.scale(ratio, ratio);
    map.cells.forEach((row, y) => row.forEach((value, x) => {
      ctx.fillStyle = colour.hover;
      ctx.fillRect(x * wide, y * high, wide, high);
      ctx.fillStyle = value === null ? colour.violation : withAlpha(colour.fail, heat(value, bounds?.low ?? 0, bounds?.high ?? 0));
      ctx.fillRect(x * wide, y * high, wide, high);
    }));
  }, [map, current]);

  const names = map.dims.map((dim, index) => `dim ${dim} (${map.sizes[index] ?? "?"})`);
  const file = fileName(graph, `output ${output} error`);
  const infinite = map.cells.flat().some((value) => value === null);
  const label = `Error of output ${output}, ${names.join(" down, ")}${names.length > 1 ? " across" : ""}${bounds === null ? "" : `, from ${error(bounds.low)} to ${error(bounds.high)}`}${infinite ? ", not finite in places" : ""}`;
  return (
    <figure class="error-map">
      <canvas ref={canvas} role="img" aria-label={label} style={{ width: `${columns * wide}px`, height: `${rows * high}px` }} />
      <figcaption>
        <span>output {output}</span>
        <span class="faint">{names.length > 1 ? `${names[0]} ↓ ${names[1]} →` : `${names[0] ?? "scalar"} →`}</span>
        {bounds !== null && <span class="ramp"><span class="number">{error(bounds.low)}</span><i aria-hidden="true" /><span class="number">{error(bounds.high)}</span></span>}
        {infinite && <span class="violation">◆ not finite</span>}
        <span class="chart-tools">
          <button class="link" onClick={() => saveCsv(file, { columns: ["", ...(map.cells[0] ?? []).map((_, column) => `cell ${column}`)], rows: map.cells.map((row, index) => [index, ...row]) })}>CSV</button>
          <button class="link" onClick={() => save(`${file}.svg`, heatSvg(map.cells, bounds?.low ?? 0, bounds?.high ?? 0, readColours(["hover", "fail", "violation"])))}>SVG</button>
        </span>
      </figcaption>
    </figure>
  );
}
