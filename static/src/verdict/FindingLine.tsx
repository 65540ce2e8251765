/** One finding: its weight, its class, where it stands, what was seen. */

import type { Finding } from "../events";
import { Prose } from "../frame/Prose";
import { tell } from "../lib/hub";
import { ruleOf } from "../rules";
import { integrityWord, words } from "../vocabulary";
import { files } from "../workbench/draft";

export function FindingLine({ finding }: { finding: Finding }) {
  const word = integrityWord(finding.severity);
  return (
    <li title={ruleOf(finding.class) ?? undefined}>
      <span class={`status ${word.tone}`}><span class="glyph" aria-hidden="true">{word.glyph}</span> {word.text}</span>
      <b>{words(finding.class)}</b>
      <Place finding={finding} />
      <span class="evidence"><Prose text={finding.evidence} /></span>
    </li>
  );
}

function Place({ finding: { file, line } }: { finding: Finding }) {
  if (file === null) return null;
  if (line === null || !Object.hasOwn(files.value, file)) return <span class="mono">{file}{line === null ? "" : `:${line}`}</span>;
  return <button class="link mono" onClick={() => tell("revealPlace", { file, line })}>{file}:{line}</button>;
}
