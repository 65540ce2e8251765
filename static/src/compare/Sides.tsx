/** Who is compared: author, where it was measured, result, integrity, score, what it cost. The first is what the others are held against. */

import { integrityWord, words } from "../vocabulary";
import { entries, leaveOut, putFirst } from "./store";
import type { Entry } from "./types";
import { letter } from "./types";

export function Sides() {
  const all = entries.value;
  const hasPath = all.some((one) => one.trajectory !== null);
  const hasReported = all.some((one) => one.reported !== null);
  return (
    <section aria-label="Submissions">
      <div class="table-scroll" tabIndex={0} role="region" aria-label="Submissions as a table">
        <table class="checks compare-sides">
          <thead>
            <tr><th scope="col">side</th><th scope="col">author</th><th scope="col">handed in</th><th scope="col">measured on</th><th scope="col" class="number">correct</th><th scope="col">integrity</th><th scope="col" class="number" title="Aggregate score: eager is 1">AS</th>{hasReported && <th scope="col" class="number" title="score.txt: by the author's own run, not measured here">reported</th>}{hasPath && <><th scope="col" class="number" title="Of the model's attempt: which step made this run, of how many">step</th><th scope="col" class="number">tokens</th><th scope="col" class="number">cost</th></>}<th scope="col"><span class="visually-hidden">Order</span></th></tr>
          </thead>
          <tbody>{all.map((one, place) => <Side key={one.key} one={one} place={place} hasPath={hasPath} hasReported={hasReported} removable={all.length > 2} />)}</tbody>
        </table>
      </div>
      {all.some((one) => one.why_not !== "") && (
        <p class="compare-note"><span class="warn" aria-hidden="true">▲ </span>{all.flatMap((one, place) => (one.why_not === "" ? [] : [`${letter(place)} ${one.why_not}`])).join("; ")}. <span class="faint">Speeds and scores of these are not compared with A's.</span></p>
      )}
      {all.map((one, place) => one.findings.length > 0 && (
        <details key={one.key} class="compare-findings">
          <summary>{letter(place)}: {one.findings.length} integrity finding{one.findings.length === 1 ? "" : "s"}</summary>
          <ul>{one.findings.slice(0, 50).map((finding, at) => <li key={at}>{integrityWord(finding.severity).glyph} {finding.severity} <b>{words(finding.class)}</b> <span class="mono">{finding.file}{finding.line === null ? "" : `:${finding.line}`}</span> <span class="faint">{finding.evidence}</span></li>)}</ul>
        </details>
      ))}
    </section>
  );
}

function Side({ one, place, hasPath, hasReported, removable }: { one: Entry; place: number; hasPath: boolean; hasReported: boolean; removable: boolean }) {
  const verdict = one.reviewed_verdict ?? one.verdict;
  const word = verdict === null ? null : integrityWord(verdict);
  const all = one.correct !== null && one.correct === one.total;
  return (
    <tr class={`side-${place}`}>
      <th scope="row"><span class="side-letter">{letter(place)}</span></th>
      <td class="compare-name" title={`${one.author} ${one.version}`}><bdi>{one.author}</bdi> <span class="faint"><bdi>{one.version}</bdi></span></td>
      <td>{one.submission !== null ? <a class="link" href={`/boards/submissions/${one.submission}/`}>imported</a> : `revision ${one.revision_number}`}</td>
      <td class={one.why_not === "" ? "" : "warn"}>{one.context ?? <span class="faint">{one.state === null || one.state === "done" ? "not evaluated" : words(one.state)}</span>}{one.hardware !== "" && <span class="faint"> {one.hardware}</span>}</td>
      <td class="number">{one.total === null ? "–" : <span class={all ? "correct" : "warn"}><span aria-hidden="true">{all ? "●" : "▲"}</span> {one.correct}/{one.total}</span>}</td>
      <td>{word === null ? <span class="faint">–</span> : <span class={`status ${word.tone}`} title={word.means}><span aria-hidden="true">{word.glyph}</span> {word.text}</span>}{one.reviewed_verdict !== null && <span class="faint"> reviewed</span>}</td>
      <td class="number">{one.aggregate_score === null ? "–" : one.aggregate_score.toFixed(3)}</td>
      {hasReported && <td class="number">{one.reported === null ? "–" : one.reported.toFixed(3)}</td>}
      {hasPath && (one.trajectory === null ? <td colSpan={3} class="faint">by hand</td> : (
        <><td class="number" title={words(one.trajectory.exit_reason)}>{one.trajectory.step} of {one.trajectory.steps}</td><td class="number">{one.trajectory.tokens.toLocaleString("en-US")}</td><td class="number">{one.trajectory.cost}</td></>
      ))}
      <td>
        {place > 0 && <button class="link" title="Hold the others against this one" onClick={() => putFirst(one.key)}>first</button>}{" "}
        {removable && <button class="link" onClick={() => leaveOut(one.key)}>leave out</button>}
      </td>
    </tr>
  );
}
