/** Two pages saved the same draft: both texts side by side, a choice for each file, nothing lost. */

import { useState } from "preact/hooks";
import type { Files } from "../api";
import { files, resolveConflict } from "../workbench/draft";
import { Diff } from "./Diff";
import { differing } from "./edits";

type Choice = "mine" | "theirs";

export function ConflictView({ theirs, version }: { theirs: Files; version: number }) {
  const mine = files.value;
  const changed = differing(mine, theirs);
  const [choices, setChoices] = useState<Record<string, Choice>>({});
  const [open, setOpen] = useState(changed[0] ?? "");
  const choice = (name: string): Choice => choices[name] ?? "mine";
  const keep = (): void => {
    const result: Files = {};
    for (const name of new Set([...Object.keys(mine), ...Object.keys(theirs)])) {
      const text = (changed.includes(name) && choice(name) === "theirs" ? theirs : mine)[name];
      if (text !== undefined) result[name] = text;
    }
    resolveConflict(result);
  };
  return (
    <div class="conflict" role="alertdialog" aria-label="The draft was saved elsewhere">
      <header>
        <h2><span class="warn" aria-hidden="true">▲ </span>Another page saved this draft (version {version})</h2>
        <p>Choose for each file: lines with − are what the other page saved, lines with + are what you have here.</p>
      </header>
      <ul>
        {changed.map((name) => (
          <li key={name} class={name === open ? "active" : ""}>
            <button class="link" aria-pressed={name === open} onClick={() => setOpen(name)}>{name}</button>
            <span class="segmented" role="group" aria-label={`Which ${name} to keep`}>
              {(["theirs", "mine"] as const).map((side) => (
                <button key={side} aria-pressed={choice(name) === side} onClick={() => { setOpen(name); setChoices({ ...choices, [name]: side }); }}>
                  {side}{(side === "mine" ? mine : theirs)[name] === undefined ? " (no file)" : ""}
                </button>
              ))}
            </span>
          </li>
        ))}
      </ul>
      <Diff name={open} before={theirs[open] ?? ""} after={mine[open] ?? ""} />
      <footer>
        <button class="plain" onClick={() => resolveConflict(theirs)}>Take everything of theirs</button>
        <button class="primary" onClick={keep}>Keep the chosen</button>
      </footer>
    </div>
  );
}
