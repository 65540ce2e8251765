/** The draft as the folder pass_dir, with what the published harness would refuse of it. */

import { useEffect, useState } from "preact/hooks";
import { plural } from "../format";
import { Overlay } from "../frame/Overlay";
import { saveBlob } from "../lib/save";
import { words } from "../vocabulary";
import { closeDialog } from "../workbench/dialogs";
import { files } from "../workbench/draft";
import { slug } from "../workbench/session";
import type { PortabilityFinding } from "./api";
import { passDir, portability } from "./api";
import "./share.css";

const LEVELS = {
  fails: { glyph: "■", tone: "fail", means: "fails there" },
  differs: { glyph: "▲", tone: "warn", means: "may differ there" },
  note: { glyph: "○", tone: "faint", means: "worth knowing" },
} as const;

export function ExportDialog() {
  const [held] = useState(files.value); // what was checked is what is downloaded
  const [found, setFound] = useState<{ findings: PortabilityFinding[]; problem: string } | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const complain = (why: unknown): void => setProblem(why instanceof Error ? why.message : String(why));
  useEffect(() => void portability(slug.value, held).then(setFound, complain), []);
  const download = (): void => {
    setProblem(null);
    void passDir(slug.value, held).then((content) => saveBlob(`${slug.value}-pass_dir.zip`, content), complain);
  };
  return (
    <Overlay label="Export pass_dir" class="share">
      <h2>Export pass_dir</h2>
      <p>{plural(Object.keys(held).length, "file")} as a zip of the folder that the published harness takes. Its rules differ from ours; this is what the text of the files says about that:</p>
      <div class="portability" role="status">
        {found === null && problem === null && <p class="faint">Checking.</p>}
        {found !== null && found.findings.length === 0 && found.problem === "" && <p class="correct"><span aria-hidden="true">● </span>Nothing that the published harness is known to refuse.</p>}
        {found?.problem && <p class="warn"><span aria-hidden="true">▲ </span>{found.problem}</p>}
        {found !== null && found.findings.length > 0 && <ul>{found.findings.map((one, index) => <Line key={index} one={one} />)}</ul>}
      </div>
      {problem !== null && <p class="fail" role="alert"><span aria-hidden="true">■ </span>{problem}</p>}
      <footer>
        <span class="faint">Patterns are traced by python -m evaluator portability.</span>
        <button class="plain" onClick={closeDialog}>Close</button>
        <button class="primary" data-autofocus onClick={download}>Download</button>
      </footer>
    </Overlay>
  );
}

function Line({ one }: { one: PortabilityFinding }) {
  const level = LEVELS[one.level];
  return (
    <li>
      <p><span class={level.tone}><span aria-hidden="true">{level.glyph} </span>{level.means}</span> <code>{one.file}{one.line !== null && `:${one.line}`}</code> <b>{words(one.rule)}</b>: {one.found}</p>
      <p class="faint">There, {one.theirs}{one.basis === "inferred" && " (inferred)"}. Works in both: {one.instead}.</p>
    </li>
  );
}
