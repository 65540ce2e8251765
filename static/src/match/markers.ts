/** Where the text in the editor keeps it from being matched, as a marker. */

import { computed } from "@preact/signals";
import type { Marker } from "../editor/annotations";
import { placeInMessage } from "../run/locate";
import { files } from "../workbench/draft";
import { askedFiles, live } from "./live";

export const liveMarkers = computed<Marker[]>(() => {
  const { problem } = live.value;
  const place = problem === null ? null : placeInMessage(problem.message, files.value);
  if (place === null || askedFiles.value[place.file] !== files.value[place.file]) return [];
  return [{ ...place, severity: "error", message: problem!.message }];
});
