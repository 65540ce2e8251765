/** A word in the pane's foot while there is no completion; nothing while there is. */

import { language } from "./state";

export function LanguageLine() {
  const state = language.value;
  if (state.kind !== "off" || state.again === "typing") return null;
  return <span class="language-line faint" role="status" title={`completion is off: ${state.message}`}>completion is off: {state.message}</span>;
}
