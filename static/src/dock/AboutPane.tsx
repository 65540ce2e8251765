/** What the task asks for: its description with hints, the rules, its graphs, and where they come from. */

import { plural, shortDtype, tensor } from "../format";
import { Message } from "../frame/Message";
import { Prose } from "../frame/Prose";
import { openExample } from "../workbench/filesets";
import { graphName, showGraph, task } from "../workbench/session";
import { originSentence, paragraphs } from "./about";

export function AboutTask() {
  const now = task.value;
  if (now.status === "loading") return <div class="table-skeleton" aria-busy="true" role="status" aria-label="Loading the task">{[0, 1, 2].map((row) => <i key={row} />)}</div>;
  if (now.status === "failed") return <Message title="Nothing to read yet">The description comes with the task, which could not be loaded: the verdict pane says why.</Message>;
  const value = now.value;
  const text = paragraphs(value.description);
  return (
    <div class="scroll about" tabIndex={0} aria-label="About this task">
      <div class="about-text">
        <h2>{value.title}</h2>
        {value.summary !== "" && <p class="about-summary"><Prose text={value.summary} /></p>}
        {text.map((paragraph, index) => (
          <p key={index} class={paragraph.label === null ? "" : "about-hint"}>{paragraph.label !== null && <b>{paragraph.label}. </b>}<Prose text={paragraph.text} /></p>
        ))}
        {text.length === 0 && value.summary === "" && <p class="faint">Nobody has described this task. Its graphs say what is asked: give the same outputs, with fewer and faster kernels.</p>}
        {value.has_example && <p><button class="plain" onClick={() => void openExample()}>Open the worked example</button></p>}
      </div>
      <dl class="about-facts">
        <dt>Asked for</dt>
        <dd>One pass that matches {value.graphs.length === 1 ? "the graph" : `all ${value.graphs.length} graphs`}, correct at t = −5. A launcher allocates and launches Triton kernels; it does not compute with torch.</dd>
        <dt>Policy</dt>
        <dd>{value.policy.metadata_only === false ? "A rewrite without a kernel is not allowed." : "A rewrite that only moves views about, without a kernel, is allowed and marked “metadata only”."}</dd>
        <dt>Origin</dt>
        <dd>{originSentence(value)}</dd>
        <dt>{plural(value.graphs.length, "graph")}</dt>
        <dd>
          <ul>
            {value.graphs.map((graph) => (
              <li key={graph.name}>
                <button class="link" aria-current={graph.name === graphName.value ? "true" : undefined} onClick={() => showGraph(graph.name)}>{graph.name}</button>
                <span class="faint" title={graph.inputs.map((input) => `${input.name} ${tensor(input.shape, input.dtype)}`).join("\n")}>{`${plural(graph.node_count, "node")}, ${plural(graph.inputs.length, "input")}, ${graph.dtypes.map(shortDtype).join(" ")}`}</span>
              </li>
            ))}
          </ul>
        </dd>
      </dl>
    </div>
  );
}
