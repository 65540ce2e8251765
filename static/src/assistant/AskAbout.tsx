/** Below a graph's story: what the assistant can be asked about it. */

import { tell } from "../lib/hub";
import { openAssistant, provider, say } from "./store";

export interface Asked {
  name: string;
  matches: number | null;
  phase: string;
  status: string | null;
}

/** The questions that fit: the prompt's name, and the words on the button. */
export function questionsFor({ matches, phase, status }: Asked): [string, string][] {
  if (phase !== "done") return [];
  if (status !== "rejected" && (matches === 0 || status === "no_match")) return [["why_no_match", "why no match?"]];
  if (status === "correct") return [["why_slower", "why slower?"], ["optimise", "make it faster"]];
  return [["fix", "find what is wrong"]];
}

export function AskAbout({ graph }: { graph: Asked }) {
  const questions = questionsFor(graph);
  if (questions.length === 0) return null;
  return (
    <p class="row-ask">
      <span class="faint">Ask the assistant:</span>{" "}
      {questions.map(([command, label]) => <button key={command} class="link" onClick={() => void ask(command, graph.name)}>{label}</button>)}
    </p>
  );
}

async function ask(command: string, graph: string): Promise<void> {
  tell("focusPane", { pane: "assistant" });
  await openAssistant();
  // Without a model the pane says how to set one up, and what the drafter does.
  if (provider() !== null) await say("", command, graph);
}
