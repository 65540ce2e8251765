/** Entry of the review queue. */

import "./tokens.css";
import "./styles/base.css";
import "./styles/controls.css";
import "./styles/catalogue.css";
import "./styles/details.css";
import "./styles/pass.css";
import "./styles/overlay.css";
import "./styles/review.css";
import { render } from "preact";
import { PageTopbar } from "./frame/PageTopbar";
import { onReturn, watchServer } from "./lib/reach";
import { startTheme } from "./lib/theme";
import { ReviewPage } from "./review/ReviewPage";
import { flushAll } from "./review/drafts";
import { recover } from "./review/store";

const mount = document.getElementById("review");
if (mount !== null) {
  startTheme();
  mount.replaceChildren();
  mount.removeAttribute("aria-busy");
  render(<ReviewPage />, mount);
  const slot = document.getElementById("topbar-slot");
  if (slot !== null) render(<PageTopbar />, slot);
  watchServer(true);
  onReturn(recover);
  flushAll();
}
