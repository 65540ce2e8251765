/** A drafted pass among the files of a draft: put in under a free name, and taken out again. Pure. */

import type { Files } from "../api";
import { freeName, ORDER_FILE, parseOrder, writeOrder } from "../editor/order";

export interface Drafted {
  /** What the drafter would call the file. */
  name: string;
  text: string;
  /** "original": the graph's own operators, to be replaced by hand. */
  kind: "kernel" | "views" | "original";
  outputs: string[];
  /** Outputs that the selection itself uses, too. */
  leaks: string[];
  notes: string[];
}

const stem = (file: string): string => file.replace(/\.py$/, "");

/** The files with the pass added and put last in the order, and its name among them. */
export function withDraft(files: Files, made: Pick<Drafted, "name" | "text">): { files: Files; name: string } {
  const name = freeName(Object.keys(files), stem(made.name));
  const names = parseOrder(files[ORDER_FILE]).names ?? (files[ORDER_FILE] === undefined ? [] : null);
  const order = names === null ? {} : { [ORDER_FILE]: writeOrder([...names.filter((entry) => entry !== stem(name)), stem(name)]) };
  return { files: { ...files, [name]: made.text, ...order }, name };
}

/** The files without the pass; null where it has been edited since, so that taking it out would lose something. */
export function withoutDraft(files: Files, name: string, text: string): Files | null {
  if (files[name] !== text) return null;
  const { [name]: _, ...rest } = files;
  const names = parseOrder(files[ORDER_FILE]).names;
  return names === null ? rest : { ...rest, [ORDER_FILE]: writeOrder(names.filter((entry) => entry !== stem(name))) };
}
