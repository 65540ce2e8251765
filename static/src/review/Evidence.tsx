/** Why it failed: what the judge said, what was found, the first error, the nearest miss, wrong outputs, the log's end. */

import { firstT, error, plural, tensor } from "../format";
import { Prose } from "../frame/Prose";
import { byWeight } from "../run/integrity";
import { placeInMessage, placeOfNearMiss } from "../run/locate";
import { ruleOf } from "../rules";
import { ErrorMapView } from "../verdict/ErrorMapView";
import { integrityWord, statusWord, words } from "../vocabulary";
import type { NearMiss } from "../events";
import { showPlace } from "./code";
import { graphAddress } from "./places";
import type { Item } from "./types";

const MOST_FINDINGS = 30;

export function Evidence({ item }: { item: Item }) {
  const failed = item.graphs.find((graph) => graph.name === item.graph) ?? item.graphs.find((graph) => graph.status !== "correct");
  const message = failed?.message ?? item.problem;
  const { near_misses: misses, outputs, log } = item.evidence;
  const nothing = item.graphs.length === 0 && item.findings.length === 0 && message === "";
  return (
    <div class="review-evidence">
      {item.graphs.length > 0 && <Graphs item={item} />}
      {message !== "" && message !== null && misses.length === 0 && <FirstError item={item} message={message} graph={failed?.name ?? ""} />}
      {misses.map((miss, index) => <Miss key={index} item={item} miss={miss} />)}
      {item.findings.length > 0 && (
        <section aria-label="Findings">
          <h3>Findings <span class="faint">{item.findings.length}</span></h3>
          <ul class="review-findings">
            {byWeight(item.findings).slice(0, MOST_FINDINGS).map((finding, index) => {
              const word = integrityWord(finding.severity);
              return (
                <li key={index} title={ruleOf(finding.class) ?? undefined}>
                  <span class={`status ${word.tone}`}><span class="glyph" aria-hidden="true">{word.glyph}</span> {word.text}</span> <b>{words(finding.class)}</b> {finding.file !== null && <Line item={item} file={finding.file} line={finding.line} />}
                  <span class="evidence"><Prose text={finding.evidence} /></span>
                </li>
              );
            })}
          </ul>
          {item.findings.length > MOST_FINDINGS && <p class="faint">and {item.findings.length - MOST_FINDINGS} more, at their lines</p>}
        </section>
      )}
      {outputs.length > 0 && (
        <section aria-label="Outputs that are not correct">
          <h3>Wrong outputs</h3>
          {outputs.map((output, index) => (
            <div key={index} class="review-output">
              <p>output {output.index} <span class="mono faint">{tensor(output.shape, output.dtype)}</span> {output.mismatch !== null ? <b class="fail">other {output.mismatch}{output.mismatch === "dtype" ? `: ${output.expected_dtype} expected` : output.mismatch === "shape" ? `: [${output.expected_shape.join(", ")}] expected` : ""}</b> : <>first t <b class="number">{firstT(output.first_t)}</b>, {output.differing.toLocaleString("en-US")} of {plural(output.elements, "element")} differ, largest error <b class="number">{output.max_abs === null ? "not finite" : error(output.max_abs)}</b></>}</p>
              {output.map !== null && <ErrorMapView graph={item.graph} map={output.map} output={output.index} />}
            </div>
          ))}
        </section>
      )}
      {log !== "" && <details><summary>End of what it printed</summary><pre class="mono" tabIndex={0} aria-label="Log">{log}</pre></details>}
      {nothing && <p class="faint">Nothing is known but the cause above.</p>}
    </div>
  );
}

function Graphs({ item }: { item: Item }) {
  return (
    <table class="review-graphs">
      <thead><tr><th scope="col">graph</th><th scope="col">status</th><th scope="col" class="number">first t</th></tr></thead>
      <tbody>
        {item.graphs.slice(0, 40).map((graph) => {
          const word = statusWord(graph.status);
          const address = graphAddress(item, graph.name);
          return (
            <tr key={graph.name} class={graph.name === item.graph ? "current" : ""}>
              <th scope="row">{address === null ? <bdi>{graph.name}</bdi> : <a class="link" href={address} title="Open this graph with its result in the workbench"><bdi>{graph.name}</bdi></a>}</th>
              <td><span class={`status ${word.tone}`} title={word.means}><span class="glyph" aria-hidden="true">{word.glyph}</span> {word.text}</span>{graph.reason !== null && <span class="faint"> {words(graph.reason)}</span>}{graph.mismatch !== null && <span class="faint"> {graph.mismatch}</span>}</td>
              <td class="number">{firstT(graph.first_t)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function FirstError({ item, message, graph }: { item: Item; message: string; graph: string }) {
  const place = placeInMessage(message, item.files);
  return (
    <section aria-label="First error">
      <h3>{graph === "" ? "Why it was not evaluated" : "First error"} {graph !== "" && <span class="faint"><bdi>{graph}</bdi></span>} {place !== null && <Line item={item} file={place.file} line={place.line} />}</h3>
      <pre class="mono review-error" tabIndex={0} aria-label="Error message">{message}</pre>
    </section>
  );
}

function Miss({ item, miss }: { item: Item; miss: NearMiss }) {
  const place = placeOfNearMiss(miss, item.files);
  const address = graphAddress(item, item.graph, miss.graph_node);
  return (
    <section aria-label={`Nearest miss of ${miss.pass_name}`}>
      <h3>Nearest miss <span class="mono"><bdi>{miss.pass_name}</bdi></span> <span class="tag">{words(miss.kind)}</span> <span class="faint">{miss.matched.length} of {plural(miss.pattern_size, "pattern node")} fit</span></h3>
      <p><Prose text={miss.message} /></p>
      <dl class="review-sides mono">
        <dt>pattern</dt><dd>{place === null ? (miss.pattern_code ?? "–") : <button class="link" title={`${place.file}:${place.line}`} onClick={() => showPlace(place.file, place.line)}>{miss.pattern_code ?? "pattern"}</button>}</dd>
        <dt>graph</dt><dd>{address === null || miss.graph_code === null ? (miss.graph_code ?? "nothing here") : <a class="link" href={address} title="Show this node on the graph">{miss.graph_code}</a>}</dd>
        {miss.differences.flatMap((one, index) => [<dt key={`${index} t`}>{one.argument}</dt>, <dd key={`${index} d`}>{one.expected} <span class="faint">expected,</span> <span class="fail">{one.found}</span></dd>])}
      </dl>
      {miss.leaks.map((leak) => <p key={leak.node}><span class="warn" aria-hidden="true">▲ </span><span class="mono">{leak.node}</span> leaks: it is also used by <span class="mono">{leak.users.join(", ")}</span></p>)}
      {miss.suggestion !== null && <p><b>Try:</b> <Prose text={miss.suggestion} /></p>}
    </section>
  );
}

function Line({ item, file, line }: { item: Item; file: string; line: number | null }) {
  if (line === null || !Object.hasOwn(item.files, file)) return <span class="mono"><bdi>{file}{line === null ? "" : `:${line}`}</bdi></span>;
  return <button class="link mono" onClick={() => showPlace(file, line)}>{file}:{line}</button>;
}
