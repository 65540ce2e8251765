/** The code: two sides in a diff, more in columns; files that are the same are folded. */

import { Diff } from "../editor/Diff";
import { fileRows } from "./differ";
import { entries } from "./store";
import { letter } from "./types";

export function Code() {
  const all = entries.value;
  return <Files sides={all.map((one, place) => ({ name: `${letter(place)} ${one.author}`, files: one.files }))} />;
}

export function Files({ sides }: { sides: readonly { name: string; files: Readonly<Record<string, string>> }[] }) {
  const rows = fileRows(sides.map((side) => side.files));
  return (
    <section aria-label="Code" class="compare-code">
      <h2>Code</h2>
      {rows.map((row) => (
        <details key={row.name} open={!row.same}>
          <summary class="mono"><bdi>{row.name}</bdi> <span class="faint">{row.same ? "the same" : row.texts.some((text) => text === null) ? `only in ${sides.flatMap((side, at) => (row.texts[at] === null ? [] : [side.name])).join(", ")}` : "differs"}</span></summary>
          {sides.length === 2 && !row.same ? <Diff name={row.name} before={row.texts[0] ?? ""} after={row.texts[1] ?? ""} /> : (
            <div class="compare-columns">{sides.map((side, at) => (row.same && at > 0 ? null : <figure key={side.name}><figcaption><bdi>{row.same ? "all sides" : side.name}</bdi></figcaption>{row.texts[at] === null ? <p class="faint">no such file</p> : <pre class="mono" tabIndex={0} aria-label={`${row.name} of ${side.name}`}>{row.texts[at]}</pre>}</figure>))}</div>
          )}
        </details>
      ))}
    </section>
  );
}
