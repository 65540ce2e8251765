/** Everything that can be done on the page, with its key: the palette lists it, the overlay explains it. */

import type { Command } from "../frame/command";
import { possible } from "../frame/command";
import { toggleTheme } from "../lib/theme";
import { openDialog } from "../workbench/dialogs";
import { change, decide, makeCase, runAgain, undo } from "./acts";
import { choose, chosen, clear, counts, go, mark, mayReview, openCluster, openId, showView } from "./store";
import { valueOf } from "../lib/load";
import { DECISIONS } from "./words";

const focus = (selector: string): void => document.querySelector<HTMLElement>(selector)?.focus();

const COMMANDS: readonly Command[] = [
  { id: "next", title: "Next", group: "Go to", keys: "j", run: () => go(1) },
  { id: "previous", title: "Previous", group: "Go to", keys: "k", run: () => go(-1) },
  { id: "find", title: "Search the queue", group: "Go to", keys: "/", run: () => focus(".review-filters input") },
  { id: "view", title: "Causes or submissions", group: "View", keys: "v", run: () => showView(chosen.value.view === "list" ? "clusters" : "list") },
  { id: "one-by-one", title: "Submissions of this cause one by one", group: "View", keys: "enter", enabled: () => openCluster.value !== null, run: () => showView("list", { signature: openCluster.value!.signature }) },
  ...DECISIONS.map((one): Command => ({ id: one.key, title: `${one.word}. ${one.means}`, group: "Results", keys: one.keys, enabled: () => mayReview.value, run: () => void decide(one.key) })),
  { id: "undo", title: "Undo your newest step", group: "Results", keys: "u", enabled: () => mayReview.value, run: () => void undo() },
  { id: "reason", title: "Give a reason", group: "Results", keys: "e", enabled: () => mayReview.value, run: () => focus("#review-reason") },
  { id: "mark", title: "Mark it, for what is done to many", group: "Results", keys: "x", enabled: () => mayReview.value && chosen.value.view === "list" && openId.value !== null, run: () => mark(openId.value!) },
  { id: "assign", title: "Assign to yourself", group: "Results", keys: "a", enabled: () => mayReview.value, run: () => void change({ what: "assign", value: "me" }) },
  { id: "label", title: "Label", group: "Results", keys: "l", enabled: () => mayReview.value, run: () => focus("#review-label") },
  { id: "note", title: "Write a note for reviewers", group: "Results", keys: "n", enabled: () => mayReview.value, run: () => focus("#review-note") },
  { id: "comment", title: "Comment", group: "Results", keys: "m", run: () => focus("#review-comment") },
  { id: "rerun", title: "Run its files again", group: "Run", keys: "r", enabled: () => mayReview.value && (valueOf(counts.value)?.devices.length ?? 0) > 0, run: () => void runAgain(document.querySelector<HTMLSelectElement>(".review-bar select[aria-label='Device']")?.value ?? "cpu") },
  { id: "case", title: "Make a regression case of it", group: "Run", enabled: () => mayReview.value, run: () => void makeCase() },
  { id: "mine", title: "Show what is assigned to you", group: "View", run: () => choose({ assignee: "me" }) },
  { id: "mentions", title: "Show where you are mentioned", group: "View", run: () => choose({ mentions: "me", state: "any" }) },
  { id: "clear", title: "Clear the filters", group: "View", run: clear },
  { id: "palette", title: "Command palette", group: "View", keys: "mod+k", run: () => openDialog({ kind: "palette" }) },
  { id: "shortcuts", title: "Keyboard shortcuts", group: "View", keys: "?", run: () => openDialog({ kind: "shortcuts" }) },
  { id: "theme", title: "Switch between light and dark", group: "View", run: toggleTheme },
  { id: "boards", title: "Go to the leaderboard", group: "Go to", run: () => location.assign("/boards/") },
  { id: "catalogue", title: "Go to the catalogue", group: "Go to", run: () => location.assign("/") },
];

export const commands = (): Command[] => possible(COMMANDS);
export const withKeys = (): Command[] => COMMANDS.filter((command) => command.keys !== undefined);
