/** What `/api/slower` says. Times are µs; ratios are eager / compiler, below 1 where the compiler is slower. */

export interface Context {
  key: string;
  device: string;
  /** What the machine is, in its system's words. */
  hardware: string;
  torch: string;
  harness: string;
  backend: string;
  /** Of both, on a CPU; 0 where that means nothing. */
  threads: number;
  /** The file it was imported from; "": measured by this installation. */
  origin: string;
  graphs: number;
  figures: number;
  measured_at: string;
}

export interface Figure {
  eager_us: number;
  median_us: number;
  ratio: number;
  /** Of the 95 % interval. */
  low: number;
  high: number;
  word: string;
}

export interface GraphRow {
  identity: string;
  name: string;
  model: string;
  kind: string;
  family: string;
  domain: string;
  operators: { label: string; kind: string }[];
  dtypes: string[];
  node_count: number;
  /** Launches of one call; null: not counted. */
  eager_kernels: number | null;
  kernels: number | null;
  reason: string;
  why: string;
  /** By way: method-entry. */
  figures: Record<string, Figure>;
  measured_at: string;
}

/** One way over all graphs that fit. */
export interface Share {
  way: string;
  measured: number;
  slower: number;
  faster: number;
  same: number;
  inconclusive: number;
  /** Graphs whose ratio is below 1, whatever its interval. */
  below_one: number;
  median: number | null;
  /** (ratio, share of graphs at or below it), ascending. */
  curve: [number, number][];
}

export interface FacetValue {
  value: string;
  count: number;
}

export interface SlowerPage {
  contexts: Context[];
  /** null: nothing was measured yet. */
  context: Context | null;
  /** In the context. */
  graphs: number;
  /** That fit. */
  total: number;
  shares: Share[];
  facets: Partial<Record<string, FacetValue[]>>;
  rows: GraphRow[];
}
