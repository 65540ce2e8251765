/** Moments that panes tell each other about. Lasting facts live in the stores; this is for "do it now". */

export interface Moments {
  /** Bring a node of the graph in view into sight. */
  revealNode: { node: string };
  /** Show a place of the pass files. */
  revealPlace: { file: string; line: number };
  focusPane: { pane: string };
  fitGraph: undefined;
  searchGraph: undefined;
  exportGraph: { format: "svg" | "png" | "dot" };
  newFile: undefined;
  formatFile: undefined;
  explainName: undefined;
  exportBundle: undefined;
  importResults: undefined;
}

type Listener<K extends keyof Moments> = (moment: Moments[K]) => void;

const listeners: { [K in keyof Moments]?: Set<Listener<K>> } = {};

export function on<K extends keyof Moments>(kind: K, listener: Listener<K>): () => void {
  const set = (listeners[kind] ??= new Set<never>() as never) as Set<Listener<K>>;
  set.add(listener);
  return () => void set.delete(listener);
}

export function tell<K extends keyof Moments>(kind: K, moment: Moments[K]): void {
  for (const listener of (listeners[kind] as Set<Listener<K>> | undefined) ?? []) listener(moment);
}
