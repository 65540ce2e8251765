/** Entry of the page of graphs that get slower under a compiler. */

import "./tokens.css";
import "./styles/base.css";
import "./styles/controls.css";
import "./styles/catalogue.css";
import "./styles/charts.css";
import "./styles/slower.css";
import "./styles/overlay.css";
import { render } from "preact";
import { PageTopbar } from "./frame/PageTopbar";
import { onReturn, watchServer } from "./lib/reach";
import { startTheme } from "./lib/theme";
import { Slower } from "./slower/Slower";
import { recover } from "./slower/store";

const mount = document.getElementById("slower");
if (mount !== null) {
  startTheme();
  mount.replaceChildren();
  mount.removeAttribute("aria-busy");
  render(<Slower />, mount);
  const slot = document.getElementById("topbar-slot");
  if (slot !== null) render(<PageTopbar />, slot);
  watchServer(true);
  onReturn(recover);
}
