/** One graph a row: what it is, its launches, and eager / compiler by each way that was measured. */

import { halfWidth, micros, ratio, shortDtype } from "../format";
import { speedWord } from "../vocabulary";
import { nextSort } from "./address";
import { chosen, choose } from "./store";
import type { Figure, GraphRow, SlowerPage } from "./types";
import { launchText, reasonName, way } from "./words";

interface Column {
  key: string;
  word: string;
  title: string;
  class?: string;
}

const BEFORE: readonly Column[] = [
  { key: "graph", word: "graph", title: "Sort by name", class: "of-graph" },
  { key: "model", word: "model", title: "Sort by model", class: "of-model" },
  { key: "kind", word: "kind", title: "Sort by kind", class: "of-kind" },
  { key: "operators", word: "operators", title: "Sort by number of operators", class: "of-operators" },
  { key: "launches", word: "launches", title: "Launches of one call, eager → compiler; sort by how many more", class: "number" },
];

const WHY: Column = { key: "reason", word: "why", title: "Sort by reason", class: "of-reason" };

export function Table({ found }: { found: SlowerPage }) {
  const ways = found.shares.map((share) => share.way);
  const columns = [...BEFORE, ...ways.map((key): Column => ({ key, word: way(key).short, title: `${way(key).means}; sort by it, the slowest first`, class: "number" })), WHY];
  return (
    <table class="slower-table" id="slower-table" aria-label="Graphs" onKeyDown={moveFocus}>
      <thead><tr>{columns.map((column) => <Head key={column.key} column={column} />)}</tr></thead>
      <tbody>{found.rows.map((row) => <Row key={row.identity} row={row} ways={ways} />)}</tbody>
    </table>
  );
}

function Head({ column }: { column: Column }) {
  const { sort } = chosen.value;
  const mine = sort.replace(/^-/, "") === column.key;
  const down = sort.startsWith("-");
  return (
    <th scope="col" class={column.class} aria-sort={mine ? (down ? "descending" : "ascending") : undefined}>
      <button class="sort" title={column.title} onClick={() => choose({ sort: nextSort(sort, column.key) })}>{column.word}<span aria-hidden="true">{mine ? (down ? " ↓" : " ↑") : ""}</span></button>
    </th>
  );
}

const SHOWN_OPERATORS = 4;

function Row({ row, ways }: { row: GraphRow; ways: readonly string[] }) {
  const more = row.operators.length - SHOWN_OPERATORS;
  return (
    <tr data-graph={row.identity}>
      <th scope="row" class="of-graph"><a class="link" href={`/graphs/${row.identity}/`} title={`${row.name}; ${row.node_count} operators, ${row.dtypes.map(shortDtype).join(" ")}`}><bdi>{row.name}</bdi></a></th>
      <td class="of-model faint" title={`${row.model}; family ${row.family}; domain ${row.domain}`}><bdi>{row.model}</bdi></td>
      <td class="of-kind faint">{row.kind}</td>
      <td class="of-operators">
        {row.operators.slice(0, SHOWN_OPERATORS).map((one) => <span key={one.label} class="operator mono" title={one.kind} style={{ borderLeftColor: `var(--op-${/^[a-z]+$/.test(one.kind) ? one.kind : "other"})` }}>{one.label}</span>)}
        {more > 0 && <span class="faint" title={row.operators.slice(SHOWN_OPERATORS).map((one) => one.label).join(", ")}>+{more}</span>}
      </td>
      <td class="number">{launchText(row) || <span class="faint" title="Not counted">–</span>}</td>
      {ways.map((key) => <Cell key={key} name={way(key).name} figure={row.figures[key]} />)}
      <td class="of-reason" title={row.why}>{row.reason === "" ? <span class="faint">{reasonName("")}</span> : reasonName(row.reason)}</td>
    </tr>
  );
}

function Cell({ name, figure }: { name: string; figure: Figure | undefined }) {
  if (figure === undefined) return <td class="number faint" title={`Not measured by ${name}`}>–</td>;
  const word = speedWord(figure.word);
  return (
    <td class="number" title={`${name}: ${micros(figure.eager_us)} → ${micros(figure.median_us)} µs, 95 % interval ${figure.low.toFixed(3)} to ${figure.high.toFixed(3)}. ${word.text}: ${word.means}`}>
      <span class={word.tone}><span class="glyph" aria-hidden="true">{word.glyph}</span><span class="visually-hidden">{word.text} </span></span>{ratio(figure.ratio)} <span class="interval">{halfWidth(figure.ratio, figure.low, figure.high)}</span>
    </td>
  );
}

/** Up and down go from graph to graph; Enter opens the one in focus, as on every link. */
function moveFocus(event: KeyboardEvent): void {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  const links = [...(event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>("tbody a")];
  const at = links.indexOf(document.activeElement as HTMLElement);
  if (at < 0) return;
  event.preventDefault();
  links[Math.max(0, Math.min(links.length - 1, at + (event.key === "ArrowDown" ? 1 : -1)))]?.focus();
}
