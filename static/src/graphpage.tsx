/** Entry of the page of one graph. */

import "./tokens.css";
import "./styles/base.css";
import "./styles/controls.css";
import "./styles/frame.css";
import "./styles/graph.css";
import "./styles/pass.css";
import "./styles/graphpage.css";
import "./styles/overlay.css";
import { render } from "preact";
import { GraphPage } from "./graphpage/GraphPage";
import { PageTopbar } from "./frame/PageTopbar";
import { openGraph, recover } from "./graphpage/store";
import { onReturn, watchServer } from "./lib/reach";
import { startTheme } from "./lib/theme";

const mount = document.getElementById("graphpage");
if (mount?.dataset["graph"] !== undefined) {
  startTheme();
  mount.replaceChildren();
  mount.removeAttribute("aria-busy");
  render(<GraphPage />, mount);
  const slot = document.getElementById("topbar-slot");
  if (slot !== null) render(<PageTopbar />, slot);
  watchServer(true);
  onReturn(recover);
  void openGraph(mount.dataset["graph"]);
}
