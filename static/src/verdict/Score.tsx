/** The score of a run whose speed was measured: the aggregate score, and the ES_t curve it is made of. */

import { Curve } from "../charts/Curve";
import { fileName } from "../charts/export";
import { curve } from "../run/score";
import { inductorMean } from "../run/story";
import { shown, stale } from "../workbench/runs";

export function Score() {
  const run = shown.value;
  const view = run?.view;
  if (view?.esT == null && view?.aggregateScore == null) return null;
  const points = curve(view.esT ?? {});
  return (
    <section class={`score${stale.value ? " is-stale" : ""}`} aria-label="Score">
      <h2>
        {view.aggregateScore !== null && <span title="Aggregate score: the geometric mean over all tolerances; eager is 1">Aggregate score <b class="number">{view.aggregateScore.toFixed(2)}</b> <span class="faint">eager 1</span></span>}
        {view.profile !== null && <span class="faint">{view.profile} profile</span>}
      </h2>
      {points.length > 1 && <Curve points={points} inductor={inductorMean(view.graphs)} file={fileName("run", run!.id, "es_t")} />}
    </section>
  );
}
