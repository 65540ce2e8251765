/** The submission's files in a read-only editor: what was found stands at its line; a line's number goes into a comment. */

import { effect } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import type { monaco as Monaco } from "../editor/monaco";
import { drafts, typed } from "./drafts";
import { firstPlace, markers, place } from "./code";
import type { Item } from "./types";

export function CodeView({ item }: { item: Item }) {
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<{ show: (file: string, line: number) => void } | null>(null);
  const [file, setFile] = useState("");
  const names = Object.keys(item.files);

  useEffect(() => {
    let gone = false;
    let dispose = (): void => undefined;
    const first = firstPlace(item);
    setFile(first?.file ?? "");
    void import("../editor/monaco").then(({ monaco, EDITOR_OPTIONS }) => {
      if (gone || host.current === null) return;
      const made = monaco.editor.create(host.current, { ...EDITOR_OPTIONS, model: null, readOnly: true, domReadOnly: true, ariaLabel: "Code of the submission, to be read" });
      const models = new Map<string, Monaco.editor.ITextModel>();
      const flash = made.createDecorationsCollection();
      const show = (name: string, line: number): void => {
        if (!Object.hasOwn(item.files, name)) return;
        if (!models.has(name)) models.set(name, monaco.editor.createModel(item.files[name]!, name.endsWith(".json") ? "json" : "python"));
        const model = models.get(name)!;
        if (made.getModel() !== model) made.setModel(model);
        monaco.editor.setModelMarkers(model, "review", markers.peek().filter((one) => one.file === name).map((one) => ({
          startLineNumber: one.line, endLineNumber: one.line, startColumn: model.getLineFirstNonWhitespaceColumn(Math.min(one.line, model.getLineCount())) || 1,
          endColumn: model.getLineMaxColumn(Math.min(one.line, model.getLineCount())), message: one.message,
          severity: one.severity === "error" ? monaco.MarkerSeverity.Error : one.severity === "warning" ? monaco.MarkerSeverity.Warning : monaco.MarkerSeverity.Info,
        })));
        made.revealLineInCenterIfOutsideViewport(line);
        flash.set(line > 1 ? [{ range: new monaco.Range(line, 1, line, 1), options: { isWholeLine: true, className: "line-selected" } }] : []);
        setFile(name);
      };
      editor.current = { show };
      if (first !== null) show(first.file, first.line);
      const clicked = made.onMouseDown(({ target }) => {
        const name = [...models].find(([, model]) => model === made.getModel())?.[0];
        if (target.type !== monaco.editor.MouseTargetType.GUTTER_LINE_NUMBERS || name === undefined || target.position === null) return;
        const before = drafts.peek()[item.id]?.comment ?? "";
        typed(item.id, "comment", `${before}${before === "" || before.endsWith(" ") ? "" : " "}${name}:${target.position.lineNumber} `);
      });
      const off = effect(() => {
        const wanted = place.value;
        if (wanted?.of === item.id) show(wanted.file, wanted.line);
      });
      dispose = () => {
        off();
        clicked.dispose();
        made.dispose();
        models.forEach((model) => model.dispose());
      };
    });
    return () => {
      gone = true;
      editor.current = null;
      dispose();
    };
  }, [item.id]);

  if (names.length === 0) return <p class="faint review-none">No file of it could be read.</p>;
  return (
    <section class="review-code" aria-label="Code">
      <div class="review-files" role="group" aria-label="Files">
        {names.map((name) => {
          const found = markers.value.filter((one) => one.file === name);
          return <button key={name} class="plain mono" aria-pressed={name === file} onClick={() => editor.current?.show(name, found[0]?.line ?? 1)}><bdi>{name}</bdi>{found.length > 0 && <span class="fail" title={`${found.length} places`}> {found.length}</span>}</button>;
        })}
      </div>
      <div class="review-editor" ref={host} />
    </section>
  );
}
