/** Something fetched: it is on its way, here, or failed with a sentence to show. */

export type Load<T> =
  | { status: "loading" }
  | { status: "ready"; value: T }
  | { status: "failed"; message: string; code: string };

export const LOADING = { status: "loading" } as const;

export function ready<T>(value: T): Load<T> {
  return { status: "ready", value };
}

export function failed(problem: unknown): { status: "failed"; message: string; code: string } {
  const code = typeof (problem as { code?: unknown })?.code === "string" ? (problem as { code: string }).code : "unknown";
  return { status: "failed", message: problem instanceof Error ? problem.message : String(problem), code };
}

export function valueOf<T>(load: Load<T> | undefined): T | null {
  return load?.status === "ready" ? load.value : null;
}
