/** What the catalogue can be narrowed to: a column of lists, and on a narrow page a row of lists that open. */

import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { shortDtype } from "../format";
import type { Chosen, Facet, FacetName } from "./search";
import { FACETS, KINDS, toggled } from "./search";

const SHOWN = 14;
const NARROW = "(max-width: 900px)";

interface Props {
  /** Of the tasks: values are there to choose once these are. */
  state: "loading" | "ready" | "failed";
  facets: Record<FacetName, Facet[]>;
  chosen: Chosen;
  onChange(chosen: Chosen): void;
  /** The author's saved searches, above the facets. */
  saved: ComponentChildren;
}

export function Facets({ state, facets, chosen, onChange, saved }: Props) {
  const narrow = useNarrow();
  return (
    <aside class="facets" aria-label="Filter">
      <Frame title="Saved searches" chosen={0} narrow={narrow}>{saved}</Frame>
      {state === "loading" && !narrow && <div class="facet-skeleton" aria-hidden="true">{Array.from({ length: 14 }, (_, index) => <i key={index} />)}</div>}
      {state === "ready" && FACETS.filter((name) => facets[name].length > 0).map((name) => (
        <Frame key={name} title={KINDS[name].title} chosen={chosen[name].length} narrow={narrow}>
          <Values name={name} facets={facets[name]} chosen={chosen[name]} onToggle={(value) => onChange({ ...chosen, [name]: toggled(chosen[name], value) })} />
        </Frame>
      ))}
    </aside>
  );
}

/** A titled list; on a narrow page one that opens. */
export function Frame({ title, chosen, narrow, children }: { title: string; chosen: number; narrow: boolean; children: ComponentChildren }) {
  if (!narrow) return <fieldset><legend>{title}</legend>{children}</fieldset>;
  return (
    <details name="facet" onKeyDown={(event) => { if (event.key === "Escape") event.currentTarget.open = false; }}>
      <summary>{title}{chosen > 0 && <b class="accent"> {chosen}</b>}</summary>
      <fieldset><legend class="visually-hidden">{title}</legend>{children}</fieldset>
    </details>
  );
}

interface ValuesProps {
  name: FacetName;
  facets: readonly Facet[];
  chosen: readonly string[];
  onToggle(value: string): void;
}

function Values({ name, facets, chosen, onToggle }: ValuesProps) {
  const [whole, setWhole] = useState(false);
  const visible = whole ? facets : facets.filter((facet, index) => index < SHOWN || chosen.includes(facet.value));
  const code = name === "operators" || name === "dtypes";
  return (
    <>
      {visible.map(({ value, count }) => (
        <label key={value} class={count === 0 && !chosen.includes(value) ? "none" : ""}>
          <input type="checkbox" checked={chosen.includes(value)} onChange={() => onToggle(value)} />
          <span class={`value${code ? " mono" : ""}`} title={name === "dtypes" ? shortDtype(value) : value}>{name === "dtypes" ? shortDtype(value) : value}</span>
          <span class="number faint">{count}</span>
        </label>
      ))}
      {facets.length > SHOWN && <button class="link" onClick={() => setWhole(!whole)}>{whole ? "Fewer" : `All ${facets.length}`}</button>}
    </>
  );
}

/** Whether the page is narrow, followed. */
export function useNarrow(): boolean {
  const [narrow, setNarrow] = useState(() => matchMedia(NARROW).matches);
  useEffect(() => {
    const query = matchMedia(NARROW);
    const changed = (): void => setNarrow(query.matches);
    query.addEventListener("change", changed);
    return () => query.removeEventListener("change", changed);
  }, []);
  return narrow;
}
