/** Starts a pass from the selected nodes. */

import { selected } from "../graph/selection";
import { busy, draftSelection, obstacle } from "./make";

export function DraftButton() {
  const why = obstacle.value;
  const count = selected.value.size;
  const title = why ?? `Write a pass for ${count === 1 ? "the selected node" : `the ${count} selected nodes`}  d`;
  return (
    <button class="plain draft-button" disabled={why !== null} aria-busy={busy.value} aria-label="Draft a pass" title={title} onClick={() => void draftSelection()}>
      Draft
    </button>
  );
}
