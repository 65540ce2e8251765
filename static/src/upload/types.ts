/** What `/api/uploads` says. Every text comes from outside. */

export interface Uploaded {
  id: string;
  /** "archive" | "module" */
  kind: string;
  title: string;
  /** "queued" | "running" | "done" | "failed" */
  state: string;
  problem: string;
  /** Where the problem is, when that is known. */
  file: string;
  line: number | null;
  /** Folders left out, warnings, graph breaks. */
  said: string[];
  tasks: { slug: string; title: string }[];
  /** Tasks that had been here before. */
  known: string[];
  created_at: string;
  finished_at: string | null;
}
