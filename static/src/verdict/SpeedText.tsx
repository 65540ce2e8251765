/** A speed-up as it is set everywhere: glyph and word, the ratio, its interval in a lighter tone. */

import type { Speed } from "../run/speed";

export function SpeedText({ speed }: { speed: Speed }) {
  const { word, value, interval, title } = speed;
  return (
    <span class="speed-text" title={title}>
      {word !== null && <span class={`speed-word ${word.tone}`}><span class="glyph" aria-hidden="true">{word.glyph}</span> <span class="word">{word.text}</span></span>}{" "}
      <b>{value}</b>{interval !== "" && <span class="interval"> {interval}</span>}
    </span>
  );
}
