/** What the drawing is coloured by, and what the shown run measured for it. */

import { computed, effect, signal } from "@preact/signals";
import { remember, remembered } from "../lib/storage";
import { overlays } from "../run/overlay";
import { side } from "../workbench/session";
import type { ColourBy } from "./colouring";
import { COLOUR_BY } from "./colouring";
import { runOfGraph } from "./drawing";

const isColourBy = (value: unknown): value is ColourBy => COLOUR_BY.includes(value as ColourBy);

export const colourBy = signal<ColourBy>(remembered("colourBy", "operator", isColourBy));
effect(() => remember("colourBy", colourBy.value));

export const measured = computed(() => (runOfGraph.value === null ? null : overlays(runOfGraph.value, side.value)));
