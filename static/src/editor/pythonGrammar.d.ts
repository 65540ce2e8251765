/** Monaco ships this module without types. */
declare module "monaco-editor/languages/definitions/python/python.js" {
  import type { languages } from "monaco-editor/editor.js";
  export const conf: languages.LanguageConfiguration;
  export const language: languages.IMonarchLanguage;
}
