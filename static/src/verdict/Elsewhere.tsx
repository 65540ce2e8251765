/** Judging where there is no workbench: the job out as a bundle, its results in again; and what shipped runs there are. */

import { useEffect, useRef, useState } from "preact/hooks";
import { api } from "../api";
import { fileName } from "../charts/export";
import { on } from "../lib/hub";
import { saveBlob } from "../lib/save";
import { openDialog } from "../workbench/dialogs";
import { files, flushDraft } from "../workbench/draft";
import { notify } from "../workbench/notices";
import { examples, loadHistory, shown, showRun } from "../workbench/runs";
import { slug } from "../workbench/session";

const complain = (problem: unknown): void => notify(problem instanceof Error ? problem.message : String(problem), { tone: "fail" });
/** What a request may carry; larger files go through .venv/bin/python manage.py import_results. */
const MOST_BYTES = 3_500_000;

export function Elsewhere() {
  const [profile, setProfile] = useState("precise");
  const [busy, setBusy] = useState<"out" | "in" | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const run = shown.value;
  const exportBundle = async (): Promise<void> => {
    setBusy("out");
    try {
      await flushDraft();
      const { name, content } = await api.bundle(slug.value, files.value, profile);
      saveBlob(name, content);
      notify(`${name} is saved. On the GPU machine: python -m evaluator run-bundle ${name} --out results.jsonl`);
    } catch (problem) {
      complain(problem);
    }
    setBusy(null);
  };
  const importResults = async (file: File): Promise<void> => {
    if (file.size > MOST_BYTES) return notify(`${file.name} is larger than a page may send. Use .venv/bin/python manage.py import_results on the workbench's machine.`, { tone: "fail" });
    setBusy("in");
    try {
      const made = await api.importResults(await file.text());
      if (made.task !== slug.value) location.assign(`/tasks/${encodeURIComponent(made.task)}/?run=${made.run}`);
      showRun(made.run);
      void loadHistory();
      notify(made.fresh ? "The results are imported, and marked with where they were measured." : "These results had been imported before; here they are.");
    } catch (problem) {
      complain(problem);
    }
    setBusy(null);
  };
  useEffect(() => on("exportBundle", () => void exportBundle()));
  useEffect(() => on("importResults", () => field.current?.click()), []);
  const other = examples.value.filter((example) => example.run !== run?.id);
  return (
    <section class="elsewhere" aria-label="Measured elsewhere">
      {other.map((example) => (
        <p key={example.run} class="example-line">
          <span class="tag">example run</span> of the worked example, measured on {example.imported?.hardware ?? example.device}: correct {example.correct}/{example.total}{" "}
          <button class="link" onClick={() => showRun(example.run, example.revision)}>Show it</button>
        </p>
      ))}
      <p>
        <span class="faint">GPU on another machine?</span>
        <label>
          <span class="visually-hidden">Profile of the bundle</span>
          <select value={profile} title="precise: interleaved, what scores follow. published: as in published tables" onChange={(event) => setProfile(event.currentTarget.value)}>
            <option value="precise">precise</option>
            <option value="published">published</option>
          </select>
        </label>
        <button class="link" disabled={busy !== null} title="These files and the task's graphs as one file, for python -m evaluator run-bundle" onClick={() => void exportBundle()}>{busy === "out" ? "Packing" : "Export bundle"}</button>
        <button class="link" title="The files as a folder for the published harness, with the portability check" onClick={() => openDialog({ kind: "export" })}>Export pass_dir</button>
        <button class="link" disabled={busy !== null} title="What run-bundle --out wrote" onClick={() => field.current?.click()}>{busy === "in" ? "Importing" : "Import results"}</button>
        <input
          ref={field} type="file" accept=".jsonl,.json,.txt" class="visually-hidden" tabIndex={-1} aria-label="File of results"
          onChange={(event) => {
            const file = event.currentTarget.files?.[0];
            event.currentTarget.value = "";
            if (file !== undefined) void importResults(file);
          }}
        />
        {run !== null && run.problem === null && <a class="link" href={`/api/runs/${encodeURIComponent(run.id)}/log.jsonl`} download={`${fileName("run", run.id)}.jsonl`} title="Every event of the shown run, JSON Lines">Download the run's data</a>}
      </p>
    </section>
  );
}
