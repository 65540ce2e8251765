/** The header of the catalogue and of a graph's page. */

import { keyLabel } from "../lib/keys";
import { openDialog } from "../workbench/dialogs";
import { Reach } from "./Reach";

export function PageTopbar() {
  return (
    <>
      <Reach />
      <span class="spring" />
      <button class="plain topbar-button" title="Everything that can be done here" onClick={() => openDialog({ kind: "palette" })}>Commands <kbd>{keyLabel("mod+k")}</kbd></button>
    </>
  );
}
