/** Command palette: type a few letters of what you want, or of where you want to go. */

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { keyLabel } from "../lib/keys";
import { closeDialog } from "../workbench/dialogs";
import type { Command } from "./command";
import { Overlay } from "./Overlay";
import { rank } from "./rank";

/** What fits is said in the first rows or not at all. */
const MOST_ROWS = 80;

interface Props {
  commands: readonly Command[];
  /** Offered from the first letter on. */
  places?: readonly Command[];
}

export function Palette({ commands, places = [] }: Props) {
  const [query, setQuery] = useState("");
  const [at, setAt] = useState(0);
  const list = useRef<HTMLUListElement>(null);
  const all = useMemo(() => (query.trim() === "" ? [...commands] : rank([...commands, ...places], query, (command) => command.title)), [commands, places, query]);
  const found = all.slice(0, MOST_ROWS);
  useEffect(() => {
    list.current?.querySelector("[aria-selected='true']")?.scrollIntoView({ block: "nearest" });
  }, [at, query]);
  const run = (index: number): void => {
    const command = found[index];
    closeDialog();
    // After the overlay has given the focus back, so that a command may move it.
    if (command) setTimeout(() => command.run());
  };
  const key = (event: KeyboardEvent): void => {
    if (event.key === "ArrowDown") setAt((at + 1) % Math.max(1, found.length));
    else if (event.key === "ArrowUp") setAt((at - 1 + found.length) % Math.max(1, found.length));
    else if (event.key === "Enter") run(at);
    else return;
    event.preventDefault();
  };
  return (
    <Overlay label="Command palette" class="palette">
      <input
        type="text" role="combobox" aria-expanded="true" aria-controls="palette-list" aria-activedescendant={found[at] ? `command-${at}` : undefined}
        aria-label="Command" placeholder="What do you want to do, or where do you want to go?" value={query} spellcheck={false} onKeyDown={key}
        onInput={(event) => { setQuery(event.currentTarget.value); setAt(0); }}
      />
      <ul ref={list} id="palette-list" role="listbox" aria-label="Commands">
        {found.map((command, index) => (
          <li key={command.id} id={`command-${index}`} role="option" aria-selected={index === at} onPointerMove={() => setAt(index)} onClick={() => run(index)}>
            <span title={command.title}>{command.title}</span>
            <span class="faint">{command.group}</span>
            {command.keys ? <kbd>{keyLabel(command.keys)}</kbd> : <span />}
          </li>
        ))}
        {found.length === 0 && <li class="faint" role="option" aria-selected="false">Nothing is called that.</li>}
        {all.length > found.length && <li class="faint" role="option" aria-selected="false" aria-disabled="true">{all.length - found.length} more fit; type on to narrow them down.</li>}
      </ul>
    </Overlay>
  );
}
