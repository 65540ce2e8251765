/** What the assistant's API says. */

export interface Provider {
  id: number;
  name: string;
  kind: "openai" | "anthropic";
  base_url: string;
  model: string;
  has_key: boolean;
  /** For everybody here, set up by an admin. */
  site: boolean;
  may_change: boolean;
  currency: string;
  /** Of a million tokens; null: not known. */
  price_input: string | null;
  price_output: string | null;
}

export interface Check {
  name: string;
  /** null: it could not be told, and need not matter. */
  ok: boolean | null;
  message: string;
}

export interface Conversation {
  id: string;
  task: string;
  provider: number | null;
  title: string;
  state: string;
  seq: number;
  changed_at: string;
}

export interface ChatEvent {
  seq: number;
  kind: string;
  payload: Record<string, unknown>;
  at: string;
}

export interface Hunk {
  number: number;
  /** Lines of the old text from 0; `last` is not included. */
  first: number;
  last: number;
  old: string[];
  new: string[];
  decision: "accepted" | "rejected" | null;
}

export interface Proposal {
  id: number;
  name: string;
  /** Why it can not be accepted; "" when it can. */
  problem: string;
  is_new: boolean;
  is_removed: boolean;
  hunks: Hunk[];
}
