/** A task's description as paragraphs, and where its graphs come from, in words. Pure. */

import type { Task, TaskGraph } from "../api";

export interface Paragraph {
  /** "Hints" of "Hints: in_0 holds …"; null for a plain one. */
  label: string | null;
  text: string;
}

/** Paragraphs stand between blank lines; a short word and a colon in front becomes its label. */
export function paragraphs(description: string): Paragraph[] {
  return description.split(/\n\s*\n/).map((text) => text.trim().replace(/\s*\n\s*/g, " ")).filter(Boolean).map((text) => {
    const label = /^([A-Z][a-z]{2,11}):\s+/.exec(text);
    return label === null ? { label: null, text } : { label: label[1]!, text: text.slice(label[0].length) };
  });
}

/** "Shipped with the workbench. Model sentence_encoder; written for PassNet Workbench." */
export function originSentence({ origin, graphs }: Pick<Task, "origin" | "graphs">): string {
  const first = ORIGINS[origin] ?? "Imported into this installation.";
  const models = distinct(graphs, (graph) => graph.model);
  const sources = distinct(graphs, (graph) => graph.source);
  const said = [models === "" ? "" : `${models.includes(",") ? "models" : "model"} ${models}`, sources].filter(Boolean).join("; ");
  return said === "" ? first : `${first} ${said[0]!.toUpperCase()}${said.slice(1)}.`;
}

const ORIGINS: Record<string, string> = {
  shipped: "Shipped with the workbench.",
  captured: "Captured from real models; shipped with the workbench.",
};
const SHOWN = 4;

function distinct(graphs: readonly TaskGraph[], pick: (graph: TaskGraph) => string | null): string {
  const found = [...new Set(graphs.flatMap((graph) => pick(graph) ?? []))];
  const more = found.length - SHOWN;
  return found.slice(0, SHOWN).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
