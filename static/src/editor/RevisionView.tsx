/** The files in the editor beside those of an earlier revision, file by file. Nothing is changed by looking. */

import { useEffect, useRef, useState } from "preact/hooks";
import { files } from "../workbench/draft";
import type { Compared } from "../workbench/filesets";
import { compared, openComparedFiles } from "../workbench/filesets";
import { Diff } from "./Diff";
import { differing } from "./edits";

export function RevisionView({ with: { files: theirs, what } }: { with: Compared }) {
  const mine = files.value;
  const changed = differing(theirs, mine);
  const [wanted, setWanted] = useState(changed[0] ?? "");
  const open = changed.includes(wanted) ? wanted : (changed[0] ?? "");
  const close = useRef<HTMLButtonElement>(null);
  useEffect(() => close.current?.focus(), []);
  const leave = (): void => void (compared.value = null);
  return (
    <section
      class="conflict" aria-label={`Compared with ${what}`}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        leave();
      }}
    >
      <header>
        <h2>The editor beside {what}</h2>
        <p>{changed.length === 0 ? "The files are the same." : `Lines with − are of ${what}, lines with + are in the editor.`}</p>
      </header>
      {changed.length > 0 && (
        <ul>
          {changed.map((name) => (
            <li key={name} class={name === open ? "active" : ""}>
              <button class="link" aria-pressed={name === open} onClick={() => setWanted(name)}>{name}</button>
              <span class="faint">{theirs[name] === undefined ? "only in the editor" : mine[name] === undefined ? `only in ${what}` : ""}</span>
            </li>
          ))}
        </ul>
      )}
      {open === "" ? <span class="spring" /> : <Diff name={open} before={theirs[open] ?? ""} after={mine[open] ?? ""} />}
      <footer>
        {changed.length > 0 && <button class="plain" onClick={openComparedFiles}>Open these files</button>}
        <button class="primary" ref={close} onClick={leave}>Back to the editor</button>
      </footer>
    </section>
  );
}
