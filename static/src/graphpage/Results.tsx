/** What became of a graph: its tasks with their best results, and what compilers make of it. */

import type { GraphPage } from "../api";
import type { BaselineRow } from "../baseline/types";
import { age, compilerName } from "../baseline/words";
import { exampleText, exampleTitle } from "../catalogue/example";
import { firstT, halfWidth, micros, ratio } from "../format";
import { speedWord } from "../vocabulary";
import { Section } from "./Facts";

const part = encodeURIComponent;

export function Tasks({ tasks }: { tasks: GraphPage["tasks"] }) {
  return (
    <Section title="Tasks and results">
      {tasks.length === 0 && <p class="faint">No task has this graph. A folder with a graph_list.txt that names it makes one: <code>.venv/bin/python manage.py import_graphs PATH</code>.</p>}
      <ul class="graph-tasks">
        {tasks.map((task) => (
          <li key={task.slug}>
            <p><a class="link" href={`/tasks/${part(task.slug)}/?graph=${part(task.graph)}`}><bdi>{task.title}</bdi></a> <span class="faint">as <bdi>{task.graph}</bdi></span></p>
            {task.best.map((best) => {
              const all = best.correct === best.total;
              const tone = all ? "correct" : best.correct === 0 ? "fail" : "warn";
              const words = <><span class="glyph" aria-hidden="true">{all ? "●" : best.correct === 0 ? "■" : "▲"}</span> {best.correct}/{best.total} graphs correct</>;
              return (
                <p key={best.device}>
                  <span class="faint">{best.device} best</span> <span class={`status ${tone}`}>{words}</span> {best.first_t !== null && <span class="faint number">t {firstT(best.first_t)}</span>}{" "}
                  {best.run !== null && <a class="link" href={`/tasks/${part(task.slug)}/?run=${part(best.run)}&graph=${part(task.graph)}&row=${part(task.graph)}`}>Show it</a>}
                </p>
              );
            })}
            {task.examples.filter((example) => example.total > 0).map((example) => (
              <p key={example.run}>
                <span class="faint">example run on this graph</span> <span title={exampleTitle(example)}>{exampleText(example)}</span>{" "}
                <a class="link" href={`/tasks/${part(task.slug)}/?run=${part(example.run)}&graph=${part(task.graph)}&row=${part(task.graph)}`}>Show it</a>
              </p>
            ))}
            {task.best.length === 0 && task.examples.length === 0 && <p class="faint">No pass has been run on it yet.</p>}
          </li>
        ))}
      </ul>
    </Section>
  );
}

export function Baselines({ rows, task }: { rows: readonly BaselineRow[]; task: string | null }) {
  return (
    <Section title="Baselines">
      {rows.length === 0 && (
        <p class="faint">What eager and Inductor need for it is not measured yet.{task !== null && <> <a class="link" href={`/tasks/${part(task)}/`}>Its task</a> has a button that measures it on this machine.</>}</p>
      )}
      <ul class="graph-baselines">
        {rows.map((row) => {
          const word = speedWord(row.word);
          const { value, low, high } = row.ratio;
          const compiler = compilerName(row.backend);
          return (
            <li key={`${row.device} ${row.backend} ${row.entry} ${row.method}`}>
              <p>
                <b>{row.device === "cpu" ? "CPU" : row.device.replace(/^cuda:/, "")}</b> <span class="faint">eager / {compiler}</span>{" "}
                <span class={word.tone} title={`95 % interval ${low.toFixed(3)} to ${high.toFixed(3)}: ${word.means}`}><span aria-hidden="true">{word.glyph}</span> {word.text} {ratio(value)}</span> <span class="faint number">{halfWidth(value, low, high)}</span>
              </p>
              <p class="number-line">{micros(row.eager_us)} → {micros(row.median_us)} µs{row.kernels !== null && `, ${row.eager_kernels === null ? "" : `${row.eager_kernels} → `}${row.kernels} kernels`}</p>
              <p class="faint">{[row.method, `${row.entry} entry`, `torch ${row.versions["torch"] ?? "unknown"}`, row.hardware, row.origin === "" ? `measured ${age(row.measured_at)}` : `imported from ${row.origin}`].join(" · ")}</p>
            </li>
          );
        })}
      </ul>
    </Section>
  );
}
