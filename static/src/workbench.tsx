/** Entry of the workbench page. */

import "./tokens.css";
import "./styles/base.css";
import "./styles/controls.css";
import "./styles/frame.css";
import "./styles/graph.css";
import "./styles/pass.css";
import "./styles/verdict.css";
import "./styles/details.css";
import "./styles/match.css";
import "./styles/speed.css";
import "./styles/charts.css";
import "./styles/integrity.css";
import "./styles/dock.css";
import "./styles/overlay.css";
import "./draft/draft.css";
import "./assistant/assistant.css";
import { render } from "preact";
import { onGlobalKey } from "./frame/commands";
import { layout, lendLayout } from "./frame/frame";
import { decodeLayout } from "./frame/layout";
import { select } from "./graph/selection";
import { watchServer } from "./lib/reach";
import { startTheme } from "./lib/theme";
import { App } from "./workbench/App";
import { followAddress, readAddress } from "./workbench/address";
import { flushDraft, openDraft } from "./workbench/draft";
import { followChecks } from "./workbench/checks";
import { followLanguage } from "./language/state";
import { followMatches } from "./match/live";
import { followDevices, resume, wake } from "./workbench/runs";
import { followReturn } from "./workbench/recover";
import { openTask, showSide } from "./workbench/session";
import { openPins } from "./run/pins";
import { openLinkedRow } from "./verdict/rows";
import { Topbar } from "./workbench/Topbar";

function start(mount: HTMLElement, slug: string): void {
  startTheme();
  mount.replaceChildren();
  mount.removeAttribute("aria-busy");
  render(<App />, mount);
  const slot = document.getElementById("topbar-slot");
  if (slot !== null) {
    slot.replaceChildren();
    render(<Topbar />, slot);
  }
  const wanted = readAddress(location.search);
  openLinkedRow(wanted.row);
  openPins(wanted.pins);
  const lent = decodeLayout(wanted.layout);
  if (lent !== null) lendLayout(lent);
  window.addEventListener("keydown", onGlobalKey, true);
  window.addEventListener("online", wake);
  document.addEventListener("visibilitychange", () => {
    void flushDraft(); // hidden: before the tab may be dropped; back: perhaps after logging in again
    if (!document.hidden) wake();
  });
  window.addEventListener("pagehide", () => void flushDraft());
  void openTask(slug, wanted).then(() => {
    void resume(wanted.run).then((runs) => {
      if (runs === 0 && lent === null) layout.value = { ...layout.value, dockTab: "about" };
    });
    select(wanted.nodes);
    if (wanted.side === "after") showSide("after", wanted.step);
    followAddress();
  });
  void openDraft();
  void followDevices();
  watchServer(false); // the devices are asked about all the time
  followReturn();
  followChecks();
  followMatches();
  followLanguage();
}

const mount = document.getElementById("workbench");
if (mount?.dataset["slug"] !== undefined) start(mount, mount.dataset["slug"]);
