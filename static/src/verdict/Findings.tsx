/** Integrity findings: of the shown run, or of the code in the editor when that is newer. */

import { byWeight, GROUNDS_SHOWN, standing } from "../run/integrity";
import { checked } from "../workbench/checks";
import { shown, stale } from "../workbench/runs";
import { FindingLine } from "./FindingLine";

export function Findings() {
  const run = shown.value;
  if (run === null || stale.value) return <Typed />;
  const above = standing(run.view.integrity, run.view.findings, run.info?.reviews ?? [])?.grounds.slice(0, GROUNDS_SHOWN) ?? [];
  const findings = byWeight(run.view.findings).filter((finding) => !above.includes(finding));
  if (findings.length === 0) return null;
  return (
    <section class="findings" aria-label="Integrity findings">
      <h2>{above.length > 0 ? "More findings" : "Integrity"} <span class="faint">{findings.length}</span></h2>
      <ul>{findings.map((finding, index) => <FindingLine key={index} finding={finding} />)}</ul>
    </section>
  );
}

function Typed() {
  const answer = checked.value;
  if (answer === null || (answer.findings.length === 0 && answer.problem === "")) return null;
  return (
    <section class="findings" aria-label="Integrity findings">
      <h2>Integrity <span class="faint">{answer.findings.length} in the code as it is now</span></h2>
      <ul>{byWeight(answer.findings).map((finding, index) => <FindingLine key={index} finding={finding} />)}</ul>
      {answer.problem !== "" && <p class="faint">{answer.problem}</p>}
    </section>
  );
}
