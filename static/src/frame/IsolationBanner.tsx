/** Across the page while a device judges without isolation; the server writes the same words when it knows at once. */

import { devices } from "../workbench/runs";

export function IsolationBanner() {
  const open = devices.value?.filter((device) => device.isolated === false) ?? [];
  if (open.length === 0 || document.querySelector("body > .banner") !== null) return null;
  return (
    <p class="banner" role="alert">
      <strong>Without isolation:</strong> submissions on {open.map((device) => device.device).join(", ")} run with the rights of the evaluator on this machine. Judge only code that you trust; <code>make doctor</code> says how to enable isolation.
    </p>
  );
}
