/** The frame of every chart: title, the drawing at the width there is, its numbers as a table, and both as files. */

import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { element } from "../format";
import type { Table } from "./export";
import { saveCsv, saveSvg } from "./export";

interface Props {
  title: string;
  /** Method, entry and what else makes the numbers what they are. */
  note?: ComponentChildren;
  /** What a reader who does not see the drawing should know of it. */
  words: string;
  /** Of the files, without an ending. */
  file: string;
  table: Table;
  height: number;
  /** Draws into a viewport of this width, in CSS pixels. */
  draw(width: number): ComponentChildren;
}

const SMALLEST = 240;

export function Figure({ title, note, words, file, table, height, draw }: Props) {
  const [asTable, setAsTable] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const svg = useRef<SVGSVGElement>(null);
  const width = useWidth(box);
  const id = useId();
  return (
    <figure class="chart" aria-labelledby={id}>
      <figcaption>
        <span class="chart-title" id={id}>{title}</span>
        {note !== undefined && <span class="faint">{note}</span>}
        <span class="chart-tools">
          <button class="link" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>{asTable ? "Chart" : "Table"}</button>
          <button class="link" onClick={() => saveCsv(file, table)}>CSV</button>
          {!asTable && <button class="link" onClick={() => svg.current !== null && saveSvg(file, svg.current)}>SVG</button>}
        </span>
      </figcaption>
      <div ref={box} class="chart-body">
        {asTable ? <Numbers table={table} label={title} /> : (
          <svg ref={svg} width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={words}>{draw(width)}</svg>
        )}
      </div>
    </figure>
  );
}

/** The width of an element's content, followed. */
function useWidth(box: { current: HTMLElement | null }): number {
  const [width, setWidth] = useState(SMALLEST * 2);
  useEffect(() => {
    const watch = new ResizeObserver(([entry]) => setWidth(Math.max(SMALLEST, Math.floor(entry!.contentRect.width))));
    watch.observe(box.current!);
    return () => watch.disconnect();
  }, []);
  return width;
}

const MOST_ROWS = 400;

function Numbers({ table: { columns, rows }, label }: { table: Table; label: string }) {
  return (
    <div class="chart-table" tabIndex={0} role="region" aria-label={`${label} as a table`}>
      <table class="checks">
        <thead><tr>{columns.map((name, index) => <th key={name} scope="col" class={index > 0 ? "number" : ""}>{name}</th>)}</tr></thead>
        <tbody>
          {rows.slice(0, MOST_ROWS).map((row, index) => (
            <tr key={index}>{row.map((value, column) => <td key={column} class={typeof value === "number" ? "number" : ""}>{value === null ? "–" : element(value)}</td>)}</tr>
          ))}
        </tbody>
      </table>
      {rows.length > MOST_ROWS && <p class="faint">{`${rows.length - MOST_ROWS} rows more are in the CSV file.`}</p>}
    </div>
  );
}
