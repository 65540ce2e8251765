/** One task: its drawing, what it is, its operators, and the best result on each device. */

import { useRef } from "preact/hooks";
import { inShort } from "../baseline/words";
import type { BestResult, ExampleInShort, TaskRow } from "../api";
import { firstT, shortDtype } from "../format";
import { readColours } from "../lib/colours";
import { theme } from "../lib/theme";
import { exampleText, exampleTitle } from "./example";
import { sizeText } from "./query";
import type { Column, Sort } from "./search";

const HEADS: readonly { by: Column | null; word: string; number?: true }[] = [
  { by: null, word: "graph" }, { by: "task", word: "task" }, { by: "operators", word: "operators" }, { by: null, word: "dtypes" }, { by: "graphs", word: "graphs", number: true }, { by: "result", word: "best result" },
];

export function Columns({ sort, onSort }: { sort: Sort | null; onSort: (by: Column) => void }) {
  return (
    <thead>
      <tr>
        {HEADS.map(({ by, word, number }) => {
          const mine = by !== null && sort?.by === by ? sort : null;
          return (
            <th key={word} scope="col" class={number ? "number" : ""} aria-sort={mine === null ? undefined : mine.down ? "descending" : "ascending"}>
              {by === null ? word : <button class="sort" title={by === "operators" ? "Sort by operators in the largest graph" : `Sort by ${word}`} onClick={() => onSort(by)}>{word}<span aria-hidden="true">{mine === null ? "" : mine.down ? " ↓" : " ↑"}</span></button>}
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

export function SkeletonRows() {
  return (
    <div aria-busy="true" role="status" aria-label="Loading the tasks">
      {Array.from({ length: 8 }, (_, index) => <div key={index} class="task-skeleton"><i class="wide" /><i /><i /></div>)}
    </div>
  );
}

/** `namesake`: what tells the task from others of the same title. */
export function Row({ task, namesake, current, onFocus }: { task: TaskRow; namesake: string | null; current: boolean; onFocus: () => void }) {
  const address = `/tasks/${encodeURIComponent(task.slug)}/`;
  const asked = useRef(false);
  const prefetch = (): void => {
    if (asked.current) return;
    asked.current = true;
    const link = document.createElement("link");
    link.rel = "prefetch";
    link.href = address;
    document.head.append(link);
  };
  return (
    <tr class={`task${current ? " current" : ""}`} onPointerEnter={prefetch}>
      <td class="task-drawing"><Drawing task={task} /></td>
      <th scope="row" class="task-name"><span><a href={address} aria-current={current ? "true" : undefined} onFocus={onFocus}>{task.title}{namesake !== null && <span class="faint mono" title={`Other tasks have this title, too; this one is ${task.slug}`}> {namesake}</span>}</a>{task.has_example && <span class="tag worked" title="A finished pass to open, run and change">worked example</span>}</span><span class="faint">{task.summary}</span></th>
      <td><div class="task-operators"><Operators task={task} /></div></td>
      <td class="task-dtypes mono">{task.dtypes.map(shortDtype).join(" ")}</td>
      <td class="number" title={task.size === null ? undefined : `${sizeText(task.size)} in a graph`}>{task.graph_count}</td>
      <td class="task-best">
        {task.best.length === 0 ? <span class="faint">not run yet</span> : task.best.map((best) => <Best key={best.device} best={best} />)}
        {task.examples.map((example) => <Example key={example.run} slug={task.slug} example={example} />)}
        <InductorInShort task={task} />
      </td>
    </tr>
  );
}

/** The first graph; it leads to the page that is about it alone. */
function Drawing({ task }: { task: TaskRow }) {
  const image = task.thumbnail === "" ? null : <img src={drawing(task.thumbnail, theme.value)} width="96" height="48" alt="" />;
  if (task.graph === null) return image;
  return <a class="drawing-link" href={`/graphs/${task.graph}/`} aria-label={`Graph page of the first graph of ${task.title}`} title="The first graph on a page of its own">{image ?? <span class="faint">not drawn</span>}</a>;
}

/** Of the worked example, on a machine that is not this one: said so, and never the best result here. */
function Example({ slug, example }: { slug: string; example: ExampleInShort }) {
  return <a class="best-baseline example-run" href={`/tasks/${encodeURIComponent(slug)}/?run=${example.run}`} title={exampleTitle(example)}>example run: {exampleText(example)}</a>;
}

const SHOWN_OPERATORS = 7;

function Operators({ task }: { task: TaskRow }) {
  const more = task.operators.length - SHOWN_OPERATORS;
  return (
    <>
      {task.operators.slice(0, SHOWN_OPERATORS).map((operator) => (
        <span key={operator.label} class="operator mono" title={operator.class} style={{ borderLeftColor: `var(--op-${/^[a-z]+$/.test(operator.class) ? operator.class : "other"})` }}>{operator.label}</span>
      ))}
      {more > 0 && <span class="faint" title={task.operators.slice(SHOWN_OPERATORS).map((operator) => operator.label).join(", ")}>+{more}</span>}
    </>
  );
}

/** A compiler's line, not a pass's: said with its device. */
function InductorInShort({ task }: { task: TaskRow }) {
  const said = inShort(task.inductor);
  return said === null ? null : <span class="best-baseline faint" title="CPU, eager against Inductor's CPU compile: direct entry, e2e. No pass is compared here.">cpu: {said}</span>;
}

function Best({ best }: { best: BestResult }) {
  const all = best.correct === best.total;
  const tone = all ? "correct" : best.correct === 0 ? "fail" : "warn";
  return (
    <span class="best">
      <span class="faint">{best.device}</span>
      <span class={`status ${tone}`}><span class="glyph" aria-hidden="true">{all ? "●" : best.correct === 0 ? "■" : "▲"}</span> {best.correct}/{best.total} correct</span>
      {best.first_t !== null && <span class="faint number">t {firstT(best.first_t)}</span>}
    </span>
  );
}

/** The server's drawing takes its colour from the text around it; inside an image there is none, so it is written in. */
function drawing(svg: string, _theme: string): string {
  const colour = readColours(["text-2"])["text-2"];
  return `data:image/svg+xml,${encodeURIComponent(svg.replaceAll("currentColor", colour))}`;
}
