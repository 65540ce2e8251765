/** Bringing in graphs: a folder or an archive that is read, a module that is captured in isolation. */

import { useEffect } from "preact/hooks";
import { Notices } from "../frame/Notices";
import { Palette } from "../frame/Palette";
import { comboOf } from "../lib/keys";
import { toggleTheme } from "../lib/theme";
import { dialog, openDialog } from "../workbench/dialogs";
import { Folders } from "./Folders";
import { List } from "./List";
import { Module } from "./Module";
import { loadUploads, sendModule, sending } from "./store";

export function Upload() {
  useEffect(() => {
    void loadUploads();
    const key = (event: KeyboardEvent): void => {
      const combo = comboOf(event);
      if (combo === "mod+k") openDialog({ kind: "palette" });
      else if (combo === "mod+enter" && dialog.value === null) void sendModule();
      else return;
      event.preventDefault();
    };
    window.addEventListener("keydown", key);
    return () => window.removeEventListener("keydown", key);
  }, []);
  return (
    <div class="upload">
      <Folders />
      <Module />
      <section class="upload-list" aria-label="Your uploads">
        <header><h2>Your uploads</h2>{sending.value !== "" && <span class="faint" role="status">Sending {sending.value} …</span>}</header>
        <List />
      </section>
      {dialog.value?.kind === "palette" && <Palette commands={COMMANDS} />}
      <Notices />
    </div>
  );
}

const COMMANDS = [
  { id: "capture", title: "Capture the module", group: "Run" as const, keys: "mod+enter", run: () => void sendModule() },
  { id: "archive", title: "Choose an archive", group: "Files" as const, run: () => document.getElementById("choose-archive")?.click() },
  { id: "folder", title: "Choose a folder", group: "Files" as const, run: () => document.getElementById("choose-folder")?.click() },
  { id: "theme", title: "Switch between light and dark", group: "View" as const, run: toggleTheme },
  { id: "catalogue", title: "Go to the catalogue", group: "Go to" as const, run: () => location.assign("/") },
];
