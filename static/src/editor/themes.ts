/** Monaco's colours, taken from the design tokens. */

import type * as Monaco from "monaco-editor/editor.js";
import { hex, readColours, withAlpha } from "../lib/colours";
import { theme } from "../lib/theme";

const NAMES = [
  "surface", "raised", "hover", "line", "line-strong", "text", "text-2", "text-3", "accent", "accent-soft", "fail", "warn",
  "code-keyword", "code-string", "code-number", "code-comment",
] as const;

/** "rgba(1, 2, 3, 0.5)" → "#01020380". */
function hexAlpha(colour: string, alpha: number): string {
  return `${hex(withAlpha(colour, alpha))}${Math.round(alpha * 255).toString(16).padStart(2, "0")}`;
}

export function defineThemes(monaco: typeof Monaco): void {
  const colour = readColours(NAMES);
  const rule = (token: string, name: (typeof NAMES)[number], fontStyle = ""): Monaco.editor.ITokenThemeRule => ({
    token, foreground: hex(colour[name]).slice(1), fontStyle,
  });
  monaco.editor.defineTheme("passnet", {
    base: theme.value === "dark" ? "vs-dark" : "vs",
    inherit: true,
    rules: [
      rule("", "text"), rule("keyword", "code-keyword"), rule("string", "code-string"), rule("string.escape", "code-number"),
      rule("number", "code-number"), rule("comment", "code-comment"), rule("tag", "code-keyword"), rule("type", "code-number"),
      rule("delimiter", "text-2"), rule("string.invalid", "fail"),
    ],
    colors: {
      "editor.background": hex(colour.surface),
      "editor.foreground": hex(colour.text),
      "editorLineNumber.foreground": hex(colour["text-3"]),
      "editorLineNumber.activeForeground": hex(colour.text),
      "editor.lineHighlightBackground": hex(colour.raised),
      "editor.lineHighlightBorder": "#00000000",
      "editor.selectionBackground": hexAlpha(colour.accent, 0.26),
      "editor.inactiveSelectionBackground": hexAlpha(colour.accent, 0.14),
      "editor.wordHighlightBackground": hexAlpha(colour.accent, 0.1),
      "editor.wordHighlightStrongBackground": hexAlpha(colour.accent, 0.16),
      "editor.findMatchBackground": hexAlpha(colour.warn, 0.4),
      "editor.findMatchHighlightBackground": hexAlpha(colour.warn, 0.2),
      "editorCursor.foreground": hex(colour.accent),
      "editorWidget.background": hex(colour.raised),
      "editorWidget.border": hex(colour["line-strong"]),
      "editorHoverWidget.background": hex(colour.raised),
      "editorHoverWidget.border": hex(colour["line-strong"]),
      "editorSuggestWidget.selectedBackground": hex(colour["accent-soft"]),
      "editorSuggestWidget.selectedForeground": hex(colour.text),
      "editorSuggestWidget.highlightForeground": hex(colour.accent),
      "editorSuggestWidget.focusHighlightForeground": hex(colour.accent),
      "peekView.border": hex(colour.accent),
      "peekViewEditor.background": hex(colour.raised),
      "peekViewEditorGutter.background": hex(colour.raised),
      "peekViewResult.background": hex(colour.surface),
      "peekViewTitle.background": hex(colour.hover),
      "peekViewTitleLabel.foreground": hex(colour.text),
      "peekViewTitleDescription.foreground": hex(colour["text-2"]),
      "editorGutter.background": hex(colour.surface),
      "editorOverviewRuler.border": "#00000000",
      ...Object.fromEntries([1, 2, 3, 4, 5, 6].map((level) => [`editorBracketHighlight.foreground${level}`, hex(colour["text-2"])])),
      "editorError.foreground": hex(colour.fail),
      "editorWarning.foreground": hex(colour.warn),
      "scrollbarSlider.background": hexAlpha(colour["line-strong"], 0.5),
      "scrollbarSlider.hoverBackground": hexAlpha(colour["line-strong"], 0.8),
      "scrollbarSlider.activeBackground": hex(colour["line-strong"]),
      "focusBorder": "#00000000",
      "menu.background": hex(colour.raised),
      "menu.foreground": hex(colour.text),
      "menu.selectionBackground": hex(colour["accent-soft"]),
      "menu.selectionForeground": hex(colour.text),
      "input.background": hex(colour.surface),
      "input.border": hex(colour["line-strong"]),
    },
  });
  monaco.editor.setTheme("passnet");
}
