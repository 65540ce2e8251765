/** Folders and archives: dropped, or chosen with the keyboard. */

import { useState } from "preact/hooks";
import { notify } from "../workbench/notices";
import { isArchive, ofDrop, ofInput } from "./files";
import { sendArchive, sendEntries, sending } from "./store";

export function Folders() {
  const [over, setOver] = useState(false);
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    const data = event.dataTransfer;
    if (data === null) return;
    const only = data.files.length === 1 ? data.files[0]! : null;
    if (only !== null && isArchive(only.name)) void sendArchive(only.name, only);
    else void take(ofDrop(data.items));
  };
  const busy = sending.value !== "";
  return (
    <section class={`upload-drop${over ? " over" : ""}`} aria-label="Folders and archives" onDragOver={(event) => { event.preventDefault(); setOver(true); }} onDragLeave={() => setOver(false)} onDrop={drop}>
      <h2>Sample folders</h2>
      <p>Drop a folder or an archive (zip, tar, tar.gz) here: samples (<code>model.py</code> with <code>weight_meta.py</code>) and tasks (<code>graph_list.txt</code>) at any depth.</p>
      <p>
        <label class="file-button">Choose an archive<input id="choose-archive" type="file" accept=".zip,.tar,.tgz,.gz" disabled={busy} onChange={(event) => { const file = event.currentTarget.files?.[0]; if (file) void sendArchive(file.name, file); event.currentTarget.value = ""; }} /></label>{" "}
        <label class="file-button">Choose a folder<input id="choose-folder" type="file" multiple disabled={busy} {...{ webkitdirectory: true }} onChange={(event) => { void take(ofInput([...(event.currentTarget.files ?? [])])); event.currentTarget.value = ""; }} /></label>
      </p>
      <p class="faint">They are read and never run. Each sample becomes a task that everybody here sees and you own. At most 4 MB packed; larger trees are for <code>.venv/bin/python manage.py import_graphs PATH</code>.</p>
    </section>
  );
}

async function take(found: ReturnType<typeof ofDrop>): Promise<void> {
  try {
    await sendEntries(await found);
  } catch (problem) {
    notify(problem instanceof Error ? problem.message : String(problem), { tone: "fail" });
  }
}
