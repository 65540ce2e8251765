/** Said at every result of a submission that was not shut in. */

import { isIsolated } from "../run/isolation";
import { shown } from "../workbench/runs";

export function Isolation() {
  const level = shown.value?.view.isolation ?? null;
  if (level === null || isIsolated(level)) return null;
  const off = shown.value?.view.isolationParts?.off ?? [];
  return (
    <p class="not-isolated">
      <b><span aria-hidden="true">▲ </span>Judged without isolation</b> <span>({level}): the submission could reach this machine, so this result is only as good as the trust in its author.</span>
      {off.length > 0 && <span> Off: {off.join("; ")}.</span>}
    </p>
  );
}
