/** A comment's text in pieces: plain words, people, lines of files, graphs. Pure; what is made of them is text or a link. */

export type Piece =
  | { kind: "text"; text: string }
  | { kind: "person"; text: string }
  | { kind: "line"; text: string; file: string; line: number }
  | { kind: "graph"; text: string; graph: string };

const FORMS = /(?<![\w@.])@[a-z0-9][a-z0-9_.-]{0,39}|(?<![\w./-])[\w-]+\.(?:py|json):\d{1,6}\b|(?<!\w)graph:[\w.-]+/g;

export function pieces(text: string, files: Readonly<Record<string, string>>, graphs: readonly string[]): Piece[] {
  const found: Piece[] = [];
  let at = 0;
  for (const match of text.matchAll(FORMS)) {
    const piece = pieceOf(match[0], files, graphs);
    if (piece === null) continue;
    if (match.index > at) found.push({ kind: "text", text: text.slice(at, match.index) });
    found.push(piece);
    at = match.index + piece.text.length;
  }
  if (at < text.length) found.push({ kind: "text", text: text.slice(at) });
  return found;
}

function pieceOf(text: string, files: Readonly<Record<string, string>>, graphs: readonly string[]): Piece | null {
  if (text.startsWith("@")) return { kind: "person", text: text.replace(/\.+$/, "") };
  if (text.startsWith("graph:")) {
    const name = graphs.find((one) => text === `graph:${one}` || text === `graph:${one}.`);
    return name === undefined ? null : { kind: "graph", text: `graph:${name}`, graph: name };
  }
  const [file, line] = text.split(":") as [string, string];
  return Object.hasOwn(files, file) ? { kind: "line", text, file, line: Number(line) } : null;
}
