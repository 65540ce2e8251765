/** A run that somebody else handed in: a program of the workbench, or a model that works for whoever looks. */

import { valueOf } from "../lib/load";
import { openHistoryFiles } from "../workbench/filesets";
import { history, shown, showRun } from "../workbench/runs";

export function OfAuthor() {
  const info = shown.value?.info;
  if (info == null || info.own || info.imported != null) return null;
  const own = valueOf(history.value)?.find((run) => run.imported == null);
  return (
    <section class="origin" aria-label="Author of this run">
      <p><span class="tag">author</span> <b><bdi>{info.author}</bdi></b>, <span class="faint">not you: the files in the editor are still yours</span></p>
      <p class="origin-actions">
        <button class="link" onClick={() => openHistoryFiles(info.run)}>Open its files</button>
        {own !== undefined && <button class="link" onClick={() => showRun(own.run, own.revision)}>Back to your newest run</button>}
        <a class="link" href={`/authors/${encodeURIComponent(info.author)}/`}>Its iteration curves</a>
        <a class="link" href="/batches/">Batches</a>
      </p>
    </section>
  );
}
