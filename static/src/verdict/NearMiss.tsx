/** Why a pattern did not match: the first node that differs, both sides by side, and the way to each. */

import type { NearMiss } from "../events";
import { plural } from "../format";
import { Prose } from "../frame/Prose";
import { showNodes } from "../graph/show";
import { tell } from "../lib/hub";
import { placeOfNearMiss } from "../run/locate";
import { files } from "../workbench/draft";
import { words } from "../vocabulary";

export function NearMissView({ graph, miss, first }: { graph: string; miss: NearMiss; first: boolean }) {
  const place = placeOfNearMiss(miss, files.value);
  const go = (node: string): void => showNodes(graph, [node]);
  return (
    <section class="near-miss" aria-label={`Nearest miss of ${miss.pass_name}`}>
      <h3>
        <span class="fail" aria-hidden="true">■</span> {first ? "Nearest miss" : "Miss"} <span class="mono">{miss.pass_name}</span>
        <span class="tag">{words(miss.kind)}</span>
        <span class="faint">{miss.matched.length} of {plural(miss.pattern_size, "pattern node")} fit</span>
      </h3>
      <p><Prose text={miss.message} /></p>
      {(miss.pattern_code !== null || miss.graph_code !== null) && (
        <dl class="sides mono">
          <div>
            <dt>pattern</dt>
            <dd>
              {place === null ? (miss.pattern_code ?? "–") : <button class="link" title={`${place.file}:${place.line}`} onClick={() => tell("revealPlace", place)}>{miss.pattern_code ?? miss.pattern_node ?? "pattern"}</button>}
            </dd>
          </div>
          <div>
            <dt>graph</dt>
            <dd>{miss.graph_node === null ? (miss.graph_code ?? "nothing here") : <button class="link" title={`Show ${miss.graph_node}`} onClick={() => go(miss.graph_node!)}>{miss.graph_code ?? miss.graph_node}</button>}</dd>
          </div>
        </dl>
      )}
      {miss.differences.length > 0 && (
        <table class="differences">
          <thead><tr><th scope="col">argument</th><th scope="col">expected by the pattern</th><th scope="col">found in the graph</th></tr></thead>
          <tbody>
            {miss.differences.map((difference, index) => (
              <tr key={index}><th scope="row">{difference.argument}</th><td class="mono">{difference.expected}</td><td class="mono fail">{difference.found}</td></tr>
            ))}
          </tbody>
        </table>
      )}
      {miss.leaks.map((leak) => (
        <p key={leak.node}>
          <span class="warn" aria-hidden="true">▲ </span>
          <button class="link mono" onClick={() => go(leak.node)}>{leak.node}</button> (<span class="mono">{leak.pattern_node}</span> in the pattern) leaks: it is also used by{" "}
          {leak.users.map((user, index) => <span key={user}>{index > 0 && ", "}<button class="link mono" onClick={() => go(user)}>{user}</button></span>)}
        </p>
      ))}
      {miss.suggestion !== null && <p class="suggestion"><b>Try:</b> <Prose text={miss.suggestion} /></p>}
    </section>
  );
}
