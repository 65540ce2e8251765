/** The page's part of the palette. */

import { toggled } from "../catalogue/search";
import type { Command } from "../frame/command";
import { toggleTheme } from "../lib/theme";
import { fileAddress, isFiltered, nextSort, NOTHING } from "./address";
import { chosen, choose } from "./store";
import type { SlowerPage } from "./types";
import { contextName, reasonName, REASONS, way } from "./words";

export function slowerCommands(found: SlowerPage | null, focusSearch: () => void): Command[] {
  const { sort, values } = chosen.value;
  const file = (format: "csv" | "json"): Command => ({ id: `file:${format}`, title: `Download the figures as ${format.toUpperCase()}`, group: "Results", run: () => location.assign(fileAddress(chosen.value, format)) });
  return [
    { id: "find", title: "Search the graphs", group: "Catalogue", keys: "/", run: focusSearch },
    ...(isFiltered(chosen.value) ? [{ id: "clear", title: "Clear search and filters", group: "Catalogue", run: () => choose({ q: "", values: NOTHING }) } satisfies Command] : []),
    ...Object.keys(REASONS).map((key): Command => ({ id: `reason:${key}`, title: `${values.reason.includes(key) ? "Show not only" : "Show only"} graphs that are slower by reason: ${reasonName(key)}`, group: "Catalogue", run: () => choose({ values: { ...values, reason: toggled(values.reason, key) } }) })),
    ...(found?.shares ?? []).map((share): Command => ({ id: `sort:${share.way}`, title: `Sort by ${way(share.way).name}`, group: "Catalogue", run: () => choose({ sort: nextSort(sort, share.way) }) })),
    ...(found?.contexts ?? []).map((one): Command => ({ id: `context:${one.key}`, title: `Show ${contextName(one)}`, group: "Results", run: () => choose({ context: one.key }) })),
    ...(found?.context == null ? [] : [file("csv"), file("json")]),
    { id: "theme", title: "Switch between light and dark", group: "View", run: toggleTheme },
    { id: "catalogue", title: "Go to the catalogue", group: "Go to", run: () => location.assign("/") },
    { id: "api", title: "Description of the API", group: "Go to", run: () => location.assign("/api/docs") },
  ];
}

export function slowerPlaces(found: SlowerPage | null): Command[] {
  return (found?.rows ?? []).map((row): Command => ({ id: `graph:${row.identity}`, title: `Open the page of graph ${row.name}`, group: "Go to", run: () => location.assign(`/graphs/${row.identity}/`) }));
}
