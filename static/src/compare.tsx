/** Entry of the page that lays submissions on one task beside each other. */

import "./tokens.css";
import "./styles/base.css";
import "./styles/controls.css";
import "./styles/frame.css";
import "./styles/graph.css";
import "./styles/details.css";
import "./styles/charts.css";
import "./styles/pass.css";
import "./styles/overlay.css";
import "./styles/compare.css";
import { render } from "preact";
import { ComparePage } from "./compare/ComparePage";
import { open, recover } from "./compare/store";
import { PageTopbar } from "./frame/PageTopbar";
import { onReturn, watchServer } from "./lib/reach";
import { startTheme } from "./lib/theme";

const mount = document.getElementById("compare");
if (mount !== null) {
  startTheme();
  mount.replaceChildren();
  mount.removeAttribute("aria-busy");
  open(location.search);
  render(<ComparePage />, mount);
  const slot = document.getElementById("topbar-slot");
  if (slot !== null) render(<PageTopbar />, slot);
  watchServer(true);
  onReturn(recover);
}
