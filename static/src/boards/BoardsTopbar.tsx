/** The header of the boards' pages, with the palette. */

import { useEffect } from "preact/hooks";
import { PageTopbar } from "../frame/PageTopbar";
import { Palette } from "../frame/Palette";
import { comboOf, inTextField } from "../lib/keys";
import { dialog, openDialog } from "../workbench/dialogs";
import { boardCommands } from "./commands";

export function BoardsTopbar() {
  useEffect(() => {
    const key = (event: KeyboardEvent): void => {
      if (comboOf(event) === "mod+k") openDialog({ kind: "palette" });
      else if (event.key === "/" && !inTextField(event.target) && !event.ctrlKey && !event.metaKey) document.querySelector<HTMLInputElement>(".boards input[type=search]")?.select();
      else return;
      event.preventDefault();
    };
    window.addEventListener("keydown", key);
    return () => window.removeEventListener("keydown", key);
  }, []);
  return (
    <>
      <PageTopbar />
      {dialog.value?.kind === "palette" && <Palette commands={boardCommands(document)} places={[]} />}
    </>
  );
}
