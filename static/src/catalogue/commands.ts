/** The catalogue's part of the palette. */

import type { TaskRow } from "../api";
import type { Command } from "../frame/command";
import { toggleTheme } from "../lib/theme";
import { naming } from "./SavedSearches";
import { deleteSearch, searches } from "./searches";
import type { Column } from "./search";
import { COLUMNS } from "./search";
import type { SavedSearch } from "../api";

export interface Doing {
  filtered: boolean;
  open(search: SavedSearch): void;
  clear(): void;
  sort(by: Column): void;
  focusSearch(): void;
}

export function catalogueCommands({ filtered, open, clear, sort, focusSearch }: Doing): Command[] {
  const always: Command[] = [
    { id: "find", title: "Search the tasks", group: "Catalogue", keys: "/", run: focusSearch },
    ...(filtered ? [
      { id: "keep", title: "Save this search under a name", group: "Catalogue", run: () => (naming.value = true) } satisfies Command,
      { id: "clear", title: "Clear search and filters", group: "Catalogue", run: clear } satisfies Command,
    ] : []),
    ...COLUMNS.map((by): Command => ({ id: `sort:${by}`, title: `Sort by ${by}`, group: "Catalogue", run: () => sort(by) })),
    { id: "theme", title: "Switch between light and dark", group: "View", run: toggleTheme },
    { id: "slower", title: "Go to the graphs that get slower under the compiler", group: "Go to", run: () => location.assign("/slower/") },
    { id: "boards", title: "Go to the leaderboard", group: "Go to", run: () => location.assign("/boards/") },
    { id: "batches", title: "Go to batches: the drafter or a model over many tasks", group: "Go to", run: () => location.assign("/batches/") },
    { id: "attempts", title: "Go to what models have tried for you", group: "Go to", run: () => location.assign("/attempts/") },
    { id: "authors", title: "Go to what iteration brings you", group: "Go to", run: () => location.assign("/authors/") },
    { id: "upload", title: "Upload graphs or a module", group: "Go to", run: () => location.assign("/upload/") },
    { id: "account", title: "Your account: password and API tokens", group: "Go to", run: () => location.assign("/account/") },
    { id: "api", title: "Description of the API", group: "Go to", run: () => location.assign("/api/docs") },
  ];
  const saved = searches.value.flatMap((one): Command[] => [
    { id: `search:${one.id}`, title: `Saved search: ${one.name}`, group: "Catalogue", run: () => open(one) },
    { id: `delete:${one.id}`, title: `Delete the saved search ${one.name}`, group: "Catalogue", run: () => void deleteSearch(one) },
  ]);
  return [...saved, ...always];
}

export function taskPlaces(tasks: readonly TaskRow[]): Command[] {
  return tasks.flatMap((task): Command[] => [
    { id: `task:${task.slug}`, title: `Go to task ${task.title}`, group: "Go to", run: () => location.assign(`/tasks/${encodeURIComponent(task.slug)}/`) },
    ...(task.graph === null ? [] : [{ id: `graph:${task.slug}`, title: `Open the graph page of ${task.title}`, group: "Go to", run: () => location.assign(`/graphs/${task.graph!}/`) } satisfies Command]),
  ]);
}
