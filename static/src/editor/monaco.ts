/** Monaco with what a pass needs and nothing else. Always imported lazily: the page is drawn before the editor arrives. */

import "monaco-editor/features/bracketMatching/register.js";
import "monaco-editor/features/clipboard/register.js";
import "monaco-editor/features/codeEditor/register.js";
import "monaco-editor/features/codicon/register.js";
import "monaco-editor/features/comment/register.js";
import "monaco-editor/features/contextmenu/register.js";
import "monaco-editor/features/cursorUndo/register.js";
import "monaco-editor/features/diffEditor/register.js";
import "monaco-editor/features/find/register.js";
import "monaco-editor/features/folding/register.js";
import "monaco-editor/features/format/register.js";
import "monaco-editor/features/gotoError/register.js";
import "monaco-editor/features/gotoLine/register.js";
import "monaco-editor/features/gotoSymbol/register.js";
import "monaco-editor/features/hover/register.js";
import "monaco-editor/features/indentation/register.js";
import "monaco-editor/features/lineSelection/register.js";
import "monaco-editor/features/linesOperations/register.js";
import "monaco-editor/features/multicursor/register.js";
import "monaco-editor/features/parameterHints/register.js";
import "monaco-editor/features/readOnlyMessage/register.js";
import "monaco-editor/features/referenceSearch/register.js";
import "monaco-editor/features/smartSelect/register.js";
// That feature brings suggestions in line alone; this is the list.
import "monaco-editor/editor/contrib/suggest/browser/suggestController.js";
import "monaco-editor/features/suggest/register.js";
import "monaco-editor/features/toggleTabFocusMode/register.js";
import "monaco-editor/features/tokenization/register.js";
import "monaco-editor/features/unicodeHighlighter/register.js";
import "monaco-editor/features/wordHighlighter/register.js";
import "monaco-editor/features/wordOperations/register.js";
import "monaco-editor/features/wordPartOperations/register.js";
import * as monaco from "monaco-editor/editor.js";
import EditorWorker from "monaco-editor/editor/editor.worker.js?worker";
import { theme } from "../lib/theme";
import { JSON_LANGUAGE } from "./jsonLanguage";
import { definePython } from "./pythonLanguage";
import { defineThemes } from "./themes";

self.MonacoEnvironment = { getWorker: () => new EditorWorker() };
definePython(monaco);

// Colours for the order file; Monaco's own JSON service would bring a second worker for one list of names.
monaco.languages.register({ id: "json", extensions: [".json"] });
monaco.languages.setMonarchTokensProvider("json", JSON_LANGUAGE);
monaco.languages.setLanguageConfiguration("json", { brackets: [["[", "]"], ["{", "}"]], autoClosingPairs: [{ open: "[", close: "]" }, { open: '"', close: '"' }] });

// After the frame in which the tokens change, so that their new values are read.
theme.subscribe(() => requestAnimationFrame(() => defineThemes(monaco)));
defineThemes(monaco);

export const EDITOR_OPTIONS: monaco.editor.IStandaloneEditorConstructionOptions = {
  automaticLayout: true,
  fontFamily: getComputedStyle(document.documentElement).getPropertyValue("--font-mono"),
  fontSize: 12.5,
  lineHeight: 18,
  fontLigatures: false,
  minimap: { enabled: false },
  lineNumbersMinChars: 3,
  lineDecorationsWidth: 8,
  glyphMargin: false,
  folding: true,
  showFoldingControls: "mouseover",
  renderFinalNewline: "on",
  renderLineHighlight: "line",
  renderLineHighlightOnlyWhenFocus: true,
  scrollBeyondLastLine: false,
  overviewRulerBorder: false,
  overviewRulerLanes: 2,
  hideCursorInOverviewRuler: true,
  padding: { top: 8, bottom: 8 },
  scrollbar: { verticalScrollbarSize: 10, horizontalScrollbarSize: 10, useShadows: false },
  occurrencesHighlight: "singleFile",
  guides: { indentation: false },
  smoothScrolling: false,
  cursorBlinking: "solid",
  contextmenu: true,
  fixedOverflowWidgets: true,
  stickyScroll: { enabled: false },
  wordBasedSuggestions: "allDocuments",
  acceptSuggestionOnEnter: "off", // Enter ends the line whatever the list offers at that moment; Tab takes the suggestion
  unicodeHighlight: { nonBasicASCII: false },
  tabSize: 4,
  insertSpaces: true,
  detectIndentation: false,
  bracketPairColorization: { enabled: false },
};

export { monaco };
