/** The patterns on the page of an imported submission, loaded after the page is there. */

import "../styles/frame.css";
import "../styles/graph.css";
import "../styles/compare.css";
import { render } from "preact";
import { Patterns } from "./Patterns";

export function mount(place: HTMLElement): void {
  render(
    <section aria-label="Pattern">
      <h2>Pattern <span class="faint">drawn from its text: nothing was executed</span></h2>
      <div class="compare-drawing alone"><Patterns submission={Number(place.dataset.submission)} /></div>
    </section>,
    place,
  );
}
