/** Why outputs are not correct, as far as it can be told: against float64, against eager itself, and where the error lies. */

import type { ErrorMap, Noise, OutputReport, TruthReport } from "../events";
import { error, firstT } from "../format";
import { Prose } from "../frame/Prose";
import { tellsTruth } from "../run/errors";
import type { Diagnosis } from "../run/view";
import { ErrorMapView } from "./ErrorMapView";

/** `outputs`: what was found of each output on the diagnosis's input set. */
export function DiagnosisView({ graph, diagnosis, outputs }: { graph: string; diagnosis: Diagnosis; outputs: readonly OutputReport[] }) {
  const { truth = [], error_maps: maps = [], noise, truth_note: note, inputSet } = diagnosis;
  return (
    <section class="diagnosis" aria-label={`Why outputs are not correct on ${inputSet}`}>
      {truth.some((report) => report !== null) && <Truth reports={truth} outputs={outputs} />}
      {note !== undefined && note !== "" && <p class="faint"><Prose text={note} /></p>}
      {noise !== undefined && <NoiseLine noise={noise} />}
      {maps.some((map) => map !== null) && (
        <div class="error-maps">{maps.map((map, index) => map !== null && hasCells(map) && <ErrorMapView key={index} graph={graph} map={map} output={index} />)}</div>
      )}
    </section>
  );
}

function hasCells(map: ErrorMap): boolean {
  return map.cells.some((row) => row.length > 0);
}

const NEARER: Record<string, string> = {
  eager: "eager is nearer to float64",
  candidate: "yours is nearer to float64 than eager",
  same: "both are equally near to float64",
};

const TONES: Record<string, string> = { eager: "warn", candidate: "correct" };

function Truth({ reports, outputs }: { reports: readonly (TruthReport | null)[]; outputs: readonly OutputReport[] }) {
  return (
    <table class="checks truth">
      <thead>
        <tr><th scope="col">against float64</th><th scope="col" class="number">eager max</th><th scope="col" class="number">yours max</th><th scope="col" class="number">eager rms</th><th scope="col" class="number">yours rms</th><th scope="col">reading</th></tr>
      </thead>
      <tbody>
        {reports.map((report, index) => {
          if (report === null) return null;
          const told = tellsTruth(report, outputs[index]);
          return (
            <tr key={index}>
              <th scope="row">output {index}</th>
              {[report.eager_max, report.candidate_max, report.eager_rms, report.candidate_rms].map((value, column) => <td key={column} class="number">{error(told ? value : null)}</td>)}
              {told ? <td class={TONES[report.nearer] ?? ""}>{NEARER[report.nearer] ?? report.nearer}</td> : <td class="faint" title="Not every element is finite: there is nothing to measure the whole output by">–</td>}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function NoiseLine({ noise }: { noise: Noise }) {
  if (noise.deterministic && !noise.random) return <p class="faint">Eager agrees with itself exactly: the difference is not noise of the reference.</p>;
  const what = noise.random ? "Eager draws random numbers" : "Eager is not deterministic";
  return <p><span class="warn" aria-hidden="true">▲ </span>{what}: it agrees with itself from t = {firstT(noise.first_t)} on.</p>;
}
