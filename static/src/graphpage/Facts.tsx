/** What is known about a graph, from its tasks to its hashes. Every text comes from outside. */

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { GraphPage } from "../api";
import { bytes, inputName, plural, shortDtype, tensor, when } from "../format";
import { drawing } from "../graph/drawing";
import type { Badge } from "../graph/types";
import { CLASS_WORDS } from "../graph/types";
import { valueOf } from "../lib/load";
import { Baselines, Tasks } from "./Results";
import type { Amount } from "./statistics";
import { amount, byClass, byDtype, isParameter, outputsOf } from "./statistics";

export function Facts({ page }: { page: GraphPage }) {
  const now = drawing.value;
  const graph = now.status === "absent" ? null : valueOf(now);
  const outputs = graph === null ? [] : outputsOf(graph);
  const weights = page.inputs.filter((input) => isParameter(input.name));
  const others = page.inputs.filter((input) => !isParameter(input.name));
  return (
    <>
      <header class="facts-head">
        <h2><bdi>{page.name}</bdi></h2>
        <p class="faint">{[plural(page.node_count, "operator"), plural(page.inputs.length, "input"), ...(graph === null || graph.nodes.length === 0 ? [] : [plural(outputs.length, "output")]), page.dtypes.map(shortDtype).join(" ")].filter(Boolean).join(" · ")}</p>
        {page.warnings.map((warning, index) => <p key={index} class="warn warning"><span aria-hidden="true">▲ </span>{warning}</p>)}
      </header>
      <Tasks tasks={page.tasks} />
      <Baselines rows={page.baselines} task={page.tasks[0]?.slug ?? null} />
      <Section title="Made of">
        {graph === null ? <Waiting rows={4} /> : graph.nodes.length === 0 ? (
          <p class="mono operators">{page.operators.map((operator) => operator.label).join(", ") || "no operators"}</p>
        ) : (
          <>
            <table class="classes">
              <thead class="visually-hidden"><tr><th scope="col">class</th><th scope="col">nodes</th><th scope="col">operators</th></tr></thead>
              <tbody>
                {byClass(graph).map((row) => (
                  <tr key={row.class}>
                    <th scope="row"><i style={{ background: `var(--op-${row.class})` }} />{CLASS_WORDS[row.class]}</th>
                    <td class="number">{row.count}</td>
                    <td class="mono operators" title={row.labels.map(([label, count]) => `${label} ${count}×`).join("\n")}>{row.labels.map(([label, count]) => (count === 1 ? label : `${label} ${count}×`)).join(", ")}</td>
                  </tr>
                ))}
              </tbody>
            </table>
            <p><span class="faint">Dtypes of its values: </span>{byDtype(graph).map(([dtype, count]) => `${dtype} ${count}×`).join(", ") || "not known yet"}</p>
          </>
        )}
      </Section>
      <Section title="Memory">
        <table class="amounts">
          <thead><tr><th scope="col" /><th scope="col" class="number">tensors</th><th scope="col" class="number">elements</th><th scope="col" class="number">size</th></tr></thead>
          <tbody>
            {weights.length > 0 && <AmountRow name="parameters, buffers" amount={amount(weights)} />}
            <AmountRow name={weights.length > 0 ? "other inputs" : "inputs"} amount={amount(others)} />
            {graph !== null && graph.nodes.length > 0 && <AmountRow name="outputs" amount={amount(outputs)} />}
          </tbody>
        </table>
        {weights.length === 0 && page.inputs.length > 0 && <p class="faint">Its inputs' names do not say which of them are parameters.</p>}
      </Section>
      <Section title="Inputs"><Values values={page.inputs} /></Section>
      {outputs.length > 0 && <Section title="Outputs"><Values values={outputs} /></Section>}
      <Section title="Identity">
        <Hash name="content hash" means="SHA-256 of model.py, byte by byte" value={page.content_hash} />
        <Hash name="canonical hash" means="The same for graphs that differ in names and in the order of independent nodes" value={page.canonical_hash} />
        <Hash name="graph" means="Code, inputs and constraints together: results belong to this" value={page.identity} />
      </Section>
      <Section title="Origin">
        <p>{[page.model !== null && `Model ${page.model}`, page.source].filter(Boolean).join("; ") || "Its folder does not say what it was taken from."}</p>
        <p class="faint">Stored {when(page.stored_at)}</p>
      </Section>
      {page.relatives.length > 0 && (
        <Section title="Relatives">
          <ul class="relatives">
            {page.relatives.map((one) => (
              <li key={one.identity}>
                <a class="link" href={`/graphs/${one.identity}/`}><bdi>{one.name}</bdi></a>{" "}
                <span class="faint">{one.same_code ? "same code" : "same form"}, <span class="mono">{one.inputs.slice(0, 2).map((input) => tensor(input.shape, input.dtype)).join(" ")}</span></span>
              </li>
            ))}
          </ul>
        </Section>
      )}
    </>
  );
}

export function Section({ title, children }: { title: string; children: ComponentChildren }) {
  return <section class="fact" aria-label={title}><h3>{title}</h3>{children}</section>;
}

function Waiting({ rows }: { rows: number }) {
  return <div class="table-skeleton" aria-busy="true">{Array.from({ length: rows }, (_, row) => <i key={row} />)}</div>;
}

function AmountRow({ name, amount: { count, elements, bytes: size } }: { name: string; amount: Amount }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td class="number">{count}</td>
      <td class="number">{elements.toLocaleString("en-US")}</td>
      <td class="number">{size === null ? <span class="faint" title="Some shape is not known">not known</span> : bytes(size)}</td>
    </tr>
  );
}

const SHOWN = 12;

function Values({ values }: { values: readonly Badge[] }) {
  const [whole, setWhole] = useState(false);
  if (values.length === 0) return <p class="faint">None.</p>;
  return (
    <>
      <table class="values mono">
        <tbody>
          {(whole ? values : values.slice(0, SHOWN)).map((value, index) => (
            <tr key={index}><th scope="row" title={value.name}><bdi>{inputName(value.name)}</bdi></th><td>{tensor(value.shape, value.dtype) || "–"}</td></tr>
          ))}
        </tbody>
      </table>
      {values.length > SHOWN && <button class="link" onClick={() => setWhole(!whole)}>{whole ? "Fewer" : `All ${values.length}`}</button>}
    </>
  );
}

function Hash({ name, means, value }: { name: string; means: string; value: string }) {
  const [copied, setCopied] = useState(false);
  if (value === "") return <p class="hash"><span class="faint" title={means}>{name}</span><span class="faint">not known</span></p>;
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(value).then(() => setCopied(true), () => setCopied(false));
  };
  return (
    <p class="hash">
      <span class="faint" title={means}>{name}</span>
      <code title={`${value}\n${means}`}>{value}</code>
      <button class="link" aria-label={`Copy the ${name}`} onClick={() => void copy()}>{copied ? "copied" : "copy"}</button>
    </p>
  );
}
