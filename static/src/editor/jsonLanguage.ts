/** Enough of JSON to colour a list of names. */

import type { languages } from "monaco-editor/editor.js";

export const JSON_LANGUAGE: languages.IMonarchLanguage = {
  tokenizer: {
    root: [
      [/"(?:[^"\\]|\\.)*"(?=\s*:)/, "type"],
      [/"(?:[^"\\]|\\.)*"/, "string"],
      [/"(?:[^"\\]|\\.)*$/, "string.invalid"],
      [/-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/, "number"],
      [/\b(?:true|false|null)\b/, "keyword"],
      [/[[\]{},:]/, "delimiter"],
    ],
  },
};
