/** What the list can be narrowed to, with the number of graphs that each choice would leave. */

import { useState } from "preact/hooks";
import { Frame, useNarrow } from "../catalogue/Facets";
import { facetName } from "../catalogue/query";
import { toggled } from "../catalogue/search";
import { shortDtype } from "../format";
import type { Chosen, Facet } from "./address";
import { FACETS } from "./address";
import type { SlowerPage } from "./types";
import { reasonName, way } from "./words";

const TITLES: Record<Facet, string> = { reason: "Why", slower: "Slower by", kind: "Cut by", family: "Models", domain: "Domain", dtype: "Dtypes", operator: "Operators" };
const SHOWN = 12;

interface Props {
  state: "loading" | "ready" | "failed";
  facets: SlowerPage["facets"];
  values: Chosen["values"];
  onChange(values: Chosen["values"]): void;
}

export function Filters({ state, facets, values, onChange }: Props) {
  const narrow = useNarrow();
  return (
    <aside class="facets" aria-label="Filter">
      {state === "loading" && !narrow && <div class="facet-skeleton" aria-hidden="true">{Array.from({ length: 14 }, (_, index) => <i key={index} />)}</div>}
      {FACETS.filter((name) => (facets[name]?.length ?? 0) > 0).map((name) => (
        <Frame key={name} title={TITLES[name]} chosen={values[name].length} narrow={narrow}>
          <Values name={name} found={facets[name]!} chosen={values[name]} onToggle={(value) => onChange({ ...values, [name]: toggled(values[name], value) })} />
        </Frame>
      ))}
    </aside>
  );
}

function Values({ name, found, chosen, onToggle }: { name: Facet; found: readonly { value: string; count: number }[]; chosen: readonly string[]; onToggle: (value: string) => void }) {
  const [whole, setWhole] = useState(false);
  const visible = whole ? found : found.filter(({ value }, index) => index < SHOWN || chosen.includes(value));
  const code = name === "operator" || name === "dtype";
  return (
    <>
      {visible.map(({ value, count }) => (
        <label key={value} class={count === 0 && !chosen.includes(value) ? "none" : ""}>
          <input type="checkbox" checked={chosen.includes(value)} onChange={() => onToggle(value)} />
          <span class={`value${code ? " mono" : ""}`} title={text(name, value)}>{text(name, value)}</span>
          <span class="number faint">{count.toLocaleString("en-US")}</span>
        </label>
      ))}
      {found.length > SHOWN && <button class="link" onClick={() => setWhole(!whole)}>{whole ? "Fewer" : `All ${found.length}`}</button>}
    </>
  );
}

function text(name: Facet, value: string): string {
  if (name === "reason") return reasonName(value);
  if (name === "slower") return way(value).short;
  return name === "dtype" ? shortDtype(value) : facetName(name, value);
}
