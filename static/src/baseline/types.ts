/** What `/api/tasks/{slug}/baselines` says. Times are µs; every text comes from outside. */

export interface BaselineRow {
  graph: string;
  device: string;
  /** What the machine is, in its system's words. */
  hardware: string;
  backend: string;
  /** What both were called through: "direct" | "compiled". */
  entry: string;
  method: string;
  threads: number | null;
  eager_us: number;
  median_us: number;
  /** eager / compiler, with its 95 % interval. */
  ratio: { value: number; low: number; high: number };
  word: string;
  /** Of one call, by the compiler's own metrics. */
  kernels: number | null;
  eager_kernels: number | null;
  /** Whether the compiler's outputs were compared with eager's. */
  compared: boolean;
  /** Smallest t at which they are right; null: at none, or not compared. */
  first_t: number | null;
  versions: Record<string, string>;
  measured_at: string;
  /** The file it was imported from; "": measured by this installation. */
  origin: string;
}

export interface Measuring {
  /** null: another author's. */
  run: string | null;
  state: string;
  device: string;
  total: number;
  done: number;
  jobs_ahead: number | null;
  message: string | null;
  finished_at: string | null;
  problems: { graph: string; message: string }[];
}

export interface BaselinesOf {
  rows: BaselineRow[];
  measuring: Measuring | null;
}
