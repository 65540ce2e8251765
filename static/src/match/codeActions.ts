/** Quick fixes at their lines in the editor (Ctrl . there), beside those under the drawing. */

import { fileOf } from "../editor/models";
import { monaco } from "../editor/monaco";
import type { Fix, NearMiss } from "../events";
import { files } from "../workbench/draft";
import { applyFix, fixesNow } from "./fixes";
import { askedFiles } from "./live";
import { missInView } from "./overlay";

const COMMAND = "passnet.applyFix";

let registered = false;

export function offerFixes(): void {
  if (registered) return;
  registered = true;
  monaco.editor.registerCommand(COMMAND, (_accessor: unknown, miss: NearMiss, fix: Fix) => applyFix(miss, fix));
  monaco.languages.registerCodeActionProvider("python", {
    provideCodeActions: (model, range) => {
      const miss = missInView.peek();
      const here = miss !== null && fileOf(model) === `${miss.pass_name}.py` ? fixesNow(miss, askedFiles.peek(), files.peek()) : [];
      const near = here.filter((fix) => fix.edits.some((edit) => edit.line <= range.endLineNumber && edit.end_line >= range.startLineNumber));
      const actions = near.map((fix, index) => ({
        title: fix.title, kind: "quickfix", isPreferred: index === 0, command: { id: COMMAND, title: fix.title, arguments: [miss, fix] },
      }));
      return { actions, dispose: () => undefined };
    },
  });
}
