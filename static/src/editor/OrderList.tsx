/** Which passes are applied, and in which order: moved by dragging or Alt with the arrow keys. Writes the order file. */

import { useRef, useState } from "preact/hooks";
import { activeFile, files, order, setOrder } from "../workbench/draft";
import type { OrderRow } from "./order";
import { isPass, moved, orderRows } from "./order";

export function OrderList() {
  const { names, problem } = order.value;
  const [dragged, setDragged] = useState<number | null>(null);
  const [over, setOver] = useState<number | null>(null);
  const list = useRef<HTMLOListElement>(null);
  if (problem !== null) {
    const rebuild = (): void => setOrder(Object.keys(files.value).filter((name) => isPass(name, files.value[name]!)).map((name) => name.replace(/\.py$/, "")).sort());
    return (
      <div class="order" role="alert">
        <p class="fail"><b aria-hidden="true">■ </b>{problem} <button class="link" onClick={rebuild}>Write it anew from the pass files</button></p>
      </div>
    );
  }
  const rows = orderRows(files.value, names);
  const move = (from: number, to: number): void => {
    const target = Math.max(0, Math.min(names.length - 1, to));
    setOrder(moved(names, from, target));
    requestAnimationFrame(() => list.current?.querySelectorAll<HTMLElement>("[data-row]")[target]?.focus());
  };
  const key = (event: KeyboardEvent, index: number, row: OrderRow): void => {
    const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (by !== 0 && event.altKey && row.included) move(index, index + by);
    else if (by !== 0) list.current?.querySelectorAll<HTMLElement>("[data-row]")[index + by]?.focus();
    else if (event.key === " ") toggle(row, index);
    else if (event.key === "Enter") activeFile.value = row.file;
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const toggle = (row: OrderRow, index: number): void =>
    setOrder(row.included ? names.filter((_, at) => at !== index) : [...names, row.name]);
  const drop = (index: number): void => {
    if (dragged !== null && dragged !== index) setOrder(moved(names, dragged, Math.min(index, names.length - 1)));
    setDragged(null);
    setOver(null);
  };
  return (
    <section class="order" aria-label="Order of application">
      <h2>Applied in this order <span class="faint">drag, or Alt ↑ ↓</span></h2>
      {rows.length === 0 ? (
        <p class="faint">No pass yet: a file with a function <code>pattern</code> is one.</p>
      ) : (
        <ol ref={list}>
          {rows.map((row, index) => (
            <li
              key={`${row.name}${index}`} data-row tabIndex={0} class={`${row.included ? "" : "left-out"}${over === index ? " over" : ""}`} draggable={row.included}
              onKeyDown={(event) => event.target === event.currentTarget && key(event, index, row)}
              onDragStart={() => setDragged(index)} onDragEnd={() => { setDragged(null); setOver(null); }}
              onDragOver={(event) => { if (dragged !== null && row.included) { event.preventDefault(); setOver(index); } }}
              onDrop={(event) => { event.preventDefault(); drop(index); }}
            >
              <input type="checkbox" tabIndex={-1} checked={row.included} aria-label={`Apply ${row.name}`} onChange={() => toggle(row, index)} />
              <span class="order-number">{row.included ? index + 1 : "–"}</span>
              <button class="order-name" tabIndex={-1} onClick={() => (activeFile.value = row.file)}>{row.name}</button>
              {row.problem !== null && <span class="fail"><b aria-hidden="true">■ </b>{row.problem}</span>}
              {!row.included && <span class="faint">not applied</span>}
              {row.included && (
                <span class="order-moves">
                  <button class="icon" tabIndex={-1} aria-label={`Move ${row.name} up`} title="Earlier  Alt ↑" disabled={index === 0} onClick={() => move(index, index - 1)}>↑</button>
                  <button class="icon" tabIndex={-1} aria-label={`Move ${row.name} down`} title="Later  Alt ↓" disabled={index >= names.length - 1} onClick={() => move(index, index + 1)}>↓</button>
                </span>
              )}
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
