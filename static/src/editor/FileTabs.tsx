/** The files of the draft as tabs: open, add, rename, delete (undone from the message that says so). */

import { useEffect, useRef, useState } from "preact/hooks";
import { on } from "../lib/hub";
import { activeFile, addFile, files, newFileName, removeFile, renameFile } from "../workbench/draft";
import { nameProblem, ORDER_FILE } from "./order";

/** "" names the file that is about to be added. */
type Naming = { file: string; value: string } | null;

export function FileTabs() {
  const [naming, setNaming] = useState<Naming>(null);
  const list = useRef<HTMLDivElement>(null);
  const open = activeFile.value;
  useEffect(() => list.current?.querySelector("[aria-selected='true']")?.parentElement?.scrollIntoView({ block: "nearest", inline: "nearest" }), [open, naming]);
  useEffect(() => on("newFile", () => setNaming({ file: "", value: newFileName() })), []);
  const names = Object.keys(files.value).filter((name) => name !== ORDER_FILE).sort();
  const all = Object.hasOwn(files.value, ORDER_FILE) ? [...names, ORDER_FILE] : names;
  const key = (event: KeyboardEvent, name: string): void => {
    const at = all.indexOf(name);
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (by !== 0) {
      const next = all[(at + by + all.length) % all.length]!;
      activeFile.value = next;
      (event.currentTarget as HTMLElement).parentElement?.parentElement?.querySelector<HTMLElement>(`[data-file="${CSS.escape(next)}"]`)?.focus();
    } else if (event.key === "F2" && name !== ORDER_FILE) setNaming({ file: name, value: name });
    else if (event.key === "Delete" && name !== ORDER_FILE) removeFile(name);
    else return;
    event.preventDefault();
  };
  return (
    <div class="file-tabs">
      <div class="file-tablist" ref={list} role="tablist" aria-label="Files of the pass" onWheel={(event) => (event.currentTarget.scrollLeft += event.deltaY)}>
        {all.map((name) => {
          const active = name === activeFile.value;
          if (naming?.file === name) return <NameField key={name} naming={naming} onDone={() => setNaming(null)} />;
          return (
            <span key={name} class={`file-tab${active ? " active" : ""}${name === ORDER_FILE ? " order" : ""}`} role="presentation">
              <button
                role="tab" data-file={name} aria-selected={active} tabIndex={active ? 0 : -1} title={name === ORDER_FILE ? `${name}: also edited by the list below` : `${name}  (F2 renames, Delete deletes)`}
                onClick={() => (activeFile.value = name)} onKeyDown={(event) => key(event, name)} onDblClick={() => name !== ORDER_FILE && setNaming({ file: name, value: name })}
              >
                {name === ORDER_FILE ? "order.json" : name}
              </button>
              {active && name !== ORDER_FILE && <button class="icon" tabIndex={-1} aria-hidden="true" title={`Delete ${name}  Delete`} onClick={() => removeFile(name)}>×</button>}
            </span>
          );
        })}
        {naming?.file === "" && <NameField naming={naming} onDone={() => setNaming(null)} />}
      </div>
      <button class="icon" title="New pass file" aria-label="New pass file" onClick={() => setNaming({ file: "", value: newFileName() })}>+</button>
    </div>
  );
}

function NameField({ naming, onDone }: { naming: NonNullable<Naming>; onDone: () => void }) {
  const [value, setValue] = useState(naming.value);
  const field = useRef<HTMLInputElement>(null);
  const finished = useRef(false);
  useEffect(() => {
    field.current?.focus();
    field.current?.setSelectionRange(0, naming.value.replace(/\.py$/, "").length);
  }, []);
  const name = value.trim() !== "" && !value.includes(".") ? `${value.trim()}.py` : value.trim();
  const problem = name === naming.file ? null : nameProblem(name, Object.keys(files.value));
  const finish = (keep: boolean): void => {
    if (finished.current) return;
    finished.current = true;
    onDone();
    if (!keep || problem !== null || name === naming.file) return;
    if (naming.file === "") addFile(name);
    else renameFile(naming.file, name);
  };
  return (
    <span class="file-naming">
      <input
        ref={field} value={value} aria-label={naming.file === "" ? "Name of the new file" : `New name of ${naming.file}`} aria-invalid={problem !== null} spellcheck={false}
        onInput={(event) => setValue(event.currentTarget.value)} onBlur={() => finish(true)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && problem === null) finish(true);
          else if (event.key === "Escape") finish(false);
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      />
      {problem !== null && <span class="naming-problem" role="alert">{problem}</span>}
    </span>
  );
}
