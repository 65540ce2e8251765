/** Medians of every method and entry side by side, and the samples behind the one that is chosen. */

import { useState } from "preact/hooks";
import { fileName } from "../charts/export";
import { RatioPlot } from "../charts/RatioPlot";
import { StripPlot } from "../charts/StripPlot";
import type { Timed } from "../events";
import { ENTRY_MEANS, hostOrKernel, METHOD_MEANS, participantName, timingTable, YOURS } from "../run/speed";
import { SpeedText } from "./SpeedText";

const keyOf = ({ method, entry }: { method: string; entry: string }): string => `${method} ${entry}`;

export function Timings({ timings, file }: { timings: readonly Timed[]; file: string }) {
  const { participants, rows } = timingTable(timings);
  const [wanted, setWanted] = useState("");
  const split = hostOrKernel(timings);
  const missing = [...new Map(timings.flatMap((timing) => Object.entries(timing.missing))).entries()];
  const first = rows.find((row) => row.cells.some((cell) => cell.missing === null));
  const chosen = timings.find((timing) => keyOf(timing) === wanted) ?? timings.find((timing) => first !== undefined && keyOf(timing) === keyOf(first));
  return (
    <section class="timing" aria-label="Timings">
      <div class="table-scroll"><table class="checks timings">
        <thead>
          <tr>
            <th scope="col">method</th><th scope="col">entry</th>
            {participants.map((who) => <th key={who} scope="col" class="number" title={`Median of ${participantName(who)}`}>{participantName(who)} µs</th>)}
            {participants.filter((who) => who !== "eager").map((who) => <th key={`${who}×`} scope="col" class="number" title={`How many times faster than eager ${participantName(who)} is, by the same method through the same entry`}>eager / {participantName(who)}</th>)}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const drawn = chosen !== undefined && keyOf(chosen) === keyOf(row);
            return (
              <tr key={keyOf(row)} class={drawn ? "drawn" : ""}>
                <th scope="row" title={METHOD_MEANS[row.method]}><button class="link" aria-pressed={drawn} title={`${METHOD_MEANS[row.method] ?? row.method}. Draw its samples`} onClick={() => setWanted(keyOf(row))}>{row.method}</button></th>
                <td class="faint" title={ENTRY_MEANS[row.entry]}>{row.entry}</td>
                {row.cells.map((cell) => <td key={cell.who} class={`number${cell.who === YOURS ? " strong" : ""}`} title={cell.missing ?? undefined}>{cell.median}</td>)}
                {row.cells.filter((cell) => cell.who !== "eager").map((cell) => (
                  <td key={cell.who} class="number">{cell.speed === null ? "–" : <SpeedText speed={cell.speed} />}</td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table></div>
      {split !== "" && <p class="faint">{split}</p>}
      {missing.map(([who, why]) => <p key={who} class="faint">{`${participantName(who)} has no number where there is a dash: ${why}`}</p>)}
      {chosen !== undefined && (
        <div class="chart-pair">
          <StripPlot timing={chosen} file={fileName(file, chosen.method, chosen.entry)} />
          <RatioPlot timing={chosen} file={fileName(file, chosen.method, chosen.entry, "ratio")} />
        </div>
      )}
    </section>
  );
}
