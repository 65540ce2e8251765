/** What goes beyond the verdict: a script that shows the error, and inputs that are not scored. */

import type { Generalisation, Reproduction } from "../events";
import { shape } from "../format";
import { save } from "../lib/save";

export function ReproductionLink({ reproduction }: { reproduction: Reproduction }) {
  return (
    <p>
      <button class="link" onClick={() => save(`reproduce_${reproduction.graph}.py`, reproduction.script)}>Download a script that shows the difference</button>{" "}
      <span class="faint">on inputs {reproduction.shapes.map(shape).join(", ")}; it needs torch and Triton only</span>
    </p>
  );
}

export function GeneralisationView({ generalisation }: { generalisation: Generalisation }) {
  const failing = generalisation.checks.filter((check) => check.outcome === "no");
  const held = generalisation.checks.filter((check) => check.outcome === "yes");
  if (failing.length + held.length === 0) return null;
  return (
    <div>
      <p>
        <span class={failing.length === 0 ? "correct" : "warn"} aria-hidden="true">{failing.length === 0 ? "● " : "▲ "}</span>
        generalises: {failing.length === 0 ? "yes" : `not to ${failing.map((check) => check.name).join(", ")}`} <span class="faint">(beyond the scored inputs; does not change the verdict)</span>
      </p>
      {failing.map((check) => check.detail !== "" && <p key={check.name} class="faint">{check.name}: {check.detail}</p>)}
      {held.length > 0 && failing.length > 0 && <p class="faint">right for {held.map((check) => check.name).join(", ")}</p>}
    </div>
  );
}
