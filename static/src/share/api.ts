/** Calls about shares, and about the draft as a folder for the published harness. */

import type { Files } from "../api";
import { ask, call, read } from "../api";

export interface Share {
  id: number;
  /** The first characters of the link's secret: all that is known of it after it was shown. */
  hint: string;
  title: string;
  visible_to: "anybody" | "accounts";
  /** null: files without a run, or a run that is gone. */
  run: string | null;
  created_at: string;
  revoked_at: string | null;
}

export interface Shares {
  shares: Share[];
  /** Whether this workbench shows anything to people without an account. */
  public_allowed: boolean;
}

export interface PortabilityFinding {
  rule: string;
  level: "fails" | "differs" | "note";
  /** "read" in the harness's source, or "inferred" from it. */
  basis: string;
  file: string;
  line: number | null;
  found: string;
  theirs: string;
  instead: string;
}

interface WhatToShare {
  run?: string;
  files?: Files;
  device?: string;
  graph: string;
  public: boolean;
}

const task = (slug: string): string => `/api/tasks/${encodeURIComponent(slug)}`;

export const listShares = (slug: string): Promise<Shares> => call("GET", `/api/shares?task=${encodeURIComponent(slug)}`);
export const makeShare = (slug: string, what: WhatToShare): Promise<Share & { path: string }> => call("POST", `${task(slug)}/shares`, what);
export const revokeShare = (id: number): Promise<unknown> => call("POST", `/api/shares/${id}/revoke`);
export const portability = (slug: string, files: Files): Promise<{ findings: PortabilityFinding[]; problem: string }> =>
  call("POST", `${task(slug)}/portability`, { files });

/** A zip of pass_dir. */
export async function passDir(slug: string, files: Files): Promise<Blob> {
  const path = `${task(slug)}/pass_dir`;
  const reply = await ask("POST", path, { files });
  return reply.ok ? reply.blob() : read<Blob>(reply, `POST ${path}`);
}
