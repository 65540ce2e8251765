/** Python as Monaco colours it, and the line after a `return` one level further out. */

import type * as Monaco from "monaco-editor/editor.js";
import { conf, language } from "monaco-editor/languages/definitions/python/python.js";

/** Nothing of the same block comes after these. A bracket that is left open goes on in the next line. */
const LAST_OF_ITS_BLOCK = /^\s*(?:return|raise|pass|break|continue)\b(?!.*[([{,\\]\s*$).*$/;

export function definePython(monaco: typeof Monaco): void {
  monaco.languages.register({ id: "python", extensions: [".py"] });
  monaco.languages.setMonarchTokensProvider("python", language);
  monaco.languages.setLanguageConfiguration("python", {
    ...conf,
    onEnterRules: [
      ...(conf.onEnterRules ?? []),
      { beforeText: LAST_OF_ITS_BLOCK, action: { indentAction: monaco.languages.IndentAction.Outdent } },
    ],
  });
}
