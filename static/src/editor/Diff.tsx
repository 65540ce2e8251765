/** Two texts of a file in Monaco's diff editor, to be read. */

import { useEffect, useRef } from "preact/hooks";

export function Diff({ name, before, after }: { name: string; before: string; after: string }) {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let gone = false;
    let dispose = (): void => undefined;
    void import("./monaco").then(({ monaco, EDITOR_OPTIONS }) => {
      if (gone || host.current === null) return;
      const language = name.endsWith(".json") ? "json" : "python";
      const original = monaco.editor.createModel(before, language);
      const modified = monaco.editor.createModel(after, language);
      const editor = monaco.editor.createDiffEditor(host.current, { ...EDITOR_OPTIONS, readOnly: true, originalEditable: false, renderSideBySide: true, useInlineViewWhenSpaceIsLimited: true });
      // The editor keeps a view model that it made itself for ever, with a diff in the making that then misses its texts:
      // ours is ended, and what it computes called off, before they go.
      const compared = editor.createViewModel({ original, modified });
      editor.setModel(compared);
      dispose = () => {
        editor.dispose();
        compared.dispose();
        original.dispose();
        modified.dispose();
      };
    });
    return () => {
      gone = true;
      dispose();
    };
  }, [name, before, after]);
  return <div class="conflict-diff" ref={host} />;
}
