/** What the language servers know, where Monaco looks for it: completion, hover, definition, signatures, the formatter, marks. */

import { effect } from "@preact/signals";
import { fileOf, modelOf } from "../editor/models";
import { monaco } from "../editor/monaco";
import { tell } from "../lib/hub";
import { files } from "../workbench/draft";
import type { Completion, Definition } from "./protocol";
import { toCompletions, toDefinitions, toEdits, toHover, toSignatures } from "./protocol";
import { found, session } from "./state";

type Model = monaco.editor.ITextModel;

const { CompletionItemKind: Kind } = monaco.languages;
/** By LSP's number, from 1. */
const KINDS = [
  Kind.Text, Kind.Method, Kind.Function, Kind.Constructor, Kind.Field, Kind.Variable, Kind.Class, Kind.Interface, Kind.Module, Kind.Property, Kind.Unit,
  Kind.Value, Kind.Enum, Kind.Keyword, Kind.Snippet, Kind.Color, Kind.File, Kind.Reference, Kind.Folder, Kind.EnumMember, Kind.Constant, Kind.Struct,
  Kind.Event, Kind.Operator, Kind.TypeParameter,
];
const SEVERITY = { error: monaco.MarkerSeverity.Error, warning: monaco.MarkerSeverity.Warning, info: monaco.MarkerSeverity.Info };
const LIBRARY = "passnet-library";
const NAMES: Record<string, string> = { types: "pyrefly", lint: "ruff" };

let registered = false;

export function offerLanguage(): void {
  if (registered) return;
  registered = true;
  monaco.languages.registerCompletionItemProvider("python", { triggerCharacters: ["."], provideCompletionItems: complete });
  monaco.languages.registerHoverProvider("python", { provideHover: hover });
  monaco.languages.registerDefinitionProvider("python", { provideDefinition: define });
  monaco.languages.registerSignatureHelpProvider("python", {
    signatureHelpTriggerCharacters: ["(", ","], signatureHelpRetriggerCharacters: [")"], provideSignatureHelp: sign,
  });
  monaco.languages.registerDocumentFormattingEditProvider("python", { displayName: "ruff", provideDocumentFormattingEdits: format });
  monaco.editor.registerEditorOpener({ openCodeEditor: openPlace });
}

/** Keeps the marks of the file in view. Call it in an effect's place: it returns how to end it. */
export function markDiagnostics(active: () => string): () => void {
  return effect(() => {
    const model = modelOf(active());
    if (model === null) return;
    for (const server of Object.keys(NAMES)) {
      const list = found.value[server]?.[active()] ?? [];
      monaco.editor.setModelMarkers(model, server, list.map(({ range, severity, message, code }) => ({ ...range, severity: SEVERITY[severity], message, source: NAMES[server]!, ...(code === "" ? {} : { code }) })));
    }
  });
}

function place(position: monaco.Position): { position: { line: number; character: number } } {
  return { position: { line: position.lineNumber - 1, character: position.column - 1 } };
}

async function ask(model: Model, method: string, params: Record<string, unknown>, token: monaco.CancellationToken): Promise<unknown> {
  const file = fileOf(model);
  if (file === null) return null; // another author's text, a side of a diff, a file of the packages
  const result = await session.ask(`textDocument/${method}`, file, params);
  return token.isCancellationRequested ? null : result;
}

async function complete(model: Model, position: monaco.Position, _: unknown, token: monaco.CancellationToken): Promise<monaco.languages.CompletionList> {
  const { items, incomplete } = toCompletions(await ask(model, "completion", place(position), token));
  const word = model.getWordUntilPosition(position);
  const here = new monaco.Range(position.lineNumber, word.startColumn, position.lineNumber, word.endColumn);
  return { suggestions: items.map((item) => toSuggestion(item, here)), incomplete };
}

function toSuggestion(item: Completion, here: monaco.IRange): monaco.languages.CompletionItem {
  return {
    label: item.label, kind: KINDS[item.kind - 1] ?? Kind.Text, insertText: item.insert, range: item.replace ?? here, sortText: item.sort, filterText: item.filter,
    detail: item.detail, ...(item.documentation === "" ? {} : { documentation: { value: item.documentation } }),
    ...(item.deprecated ? { tags: [monaco.languages.CompletionItemTag.Deprecated] } : {}),
  };
}

async function hover(model: Model, position: monaco.Position, token: monaco.CancellationToken): Promise<monaco.languages.Hover | null> {
  const known = toHover(await ask(model, "hover", place(position), token));
  return known === null ? null : { contents: [{ value: known.markdown }], ...(known.range === null ? {} : { range: known.range }) };
}

async function sign(model: Model, position: monaco.Position, token: monaco.CancellationToken): Promise<monaco.languages.SignatureHelpResult | null> {
  const help = toSignatures(await ask(model, "signatureHelp", place(position), token));
  if (help === null) return null;
  const signatures = help.signatures.map(({ label, documentation, parameters, active }) => ({
    label, documentation: { value: documentation }, parameters: parameters.map((one) => ({ label: one })), activeParameter: active,
  }));
  const activeParameter = help.signatures[help.active]?.active ?? 0;
  return { value: { signatures, activeSignature: help.active, activeParameter }, dispose: () => undefined };
}

async function format(model: Model, options: monaco.languages.FormattingOptions, token: monaco.CancellationToken): Promise<monaco.languages.TextEdit[]> {
  return toEdits(await ask(model, "formatting", { options: { ...options } }, token));
}

async function define(model: Model, position: monaco.Position, token: monaco.CancellationToken): Promise<monaco.languages.Location[]> {
  const places = toDefinitions(await ask(model, "definition", place(position), token));
  const shown = await Promise.all(places.map(locate));
  return shown.filter((one) => one !== null);
}

/** Where a definition can be looked at: the author's file, or a copy of the packages' file. */
async function locate({ file, uri, range }: Definition): Promise<monaco.languages.Location | null> {
  if (file !== "") {
    const own = modelOf(file);
    return own === null ? null : { uri: own.uri, range };
  }
  const path = decodeURIComponent(new URL(uri).pathname);
  const within = path.split("/site-packages/").at(-1)!; // what the server's folders are called is nobody's business
  const address = monaco.Uri.from({ scheme: LIBRARY, path: within.startsWith("/") ? within : `/${within}` });
  if (monaco.editor.getModel(address) === null) {
    const source = (await session.source(uri)) as { text?: unknown } | null;
    if (typeof source?.text !== "string") return null;
    if (monaco.editor.getModel(address) === null) monaco.editor.createModel(source.text, "python", address);
  }
  return { uri: address, range };
}

/** Another file of the pass is opened as its tab; a file of the packages is looked at in place. */
function openPlace(editor: monaco.editor.ICodeEditor, uri: monaco.Uri, at?: monaco.IRange | monaco.IPosition): boolean {
  const name = fileOf(monaco.editor.getModel(uri));
  if (name !== null && Object.hasOwn(files.peek(), name)) {
    tell("revealPlace", { file: name, line: at === undefined ? 1 : "lineNumber" in at ? at.lineNumber : at.startLineNumber });
    return true;
  }
  if (uri.scheme !== LIBRARY) return false;
  editor.trigger("passnet", "editor.action.peekDefinition", {});
  return true;
}
