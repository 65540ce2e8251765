/** Entry of the catalogue page. */

import "./tokens.css";
import "./styles/base.css";
import "./styles/controls.css";
import "./styles/catalogue.css";
import "./styles/overlay.css";
import { render } from "preact";
import { Catalogue } from "./catalogue/Catalogue";
import { PageTopbar } from "./frame/PageTopbar";
import { watchServer } from "./lib/reach";
import { startTheme } from "./lib/theme";

const mount = document.getElementById("catalogue");
if (mount !== null) {
  startTheme();
  mount.replaceChildren();
  mount.removeAttribute("aria-busy");
  render(<Catalogue />, mount);
  const slot = document.getElementById("topbar-slot");
  if (slot !== null) render(<PageTopbar />, slot);
  watchServer(true);
}
