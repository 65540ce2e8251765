/** Entry of the page that takes graphs and modules in. */

import "./tokens.css";
import "./styles/base.css";
import "./styles/controls.css";
import "./styles/upload.css";
import "./styles/overlay.css";
import { render } from "preact";
import { PageTopbar } from "./frame/PageTopbar";
import { onReturn, watchServer } from "./lib/reach";
import { startTheme } from "./lib/theme";
import { loadUploads } from "./upload/store";
import { Upload } from "./upload/Upload";

const mount = document.getElementById("upload");
if (mount !== null) {
  startTheme();
  mount.replaceChildren();
  mount.removeAttribute("aria-busy");
  render(<Upload />, mount);
  const slot = document.getElementById("topbar-slot");
  if (slot !== null) render(<PageTopbar />, slot);
  watchServer(true);
  onReturn(() => void loadUploads());
}
