/** In the page's header while the server does not answer; it has its place there, so that nothing moves. */

import { clock } from "../format";
import { useNow } from "../lib/now";
import { silentSince } from "../lib/reach";

/** A server that restarts is back before this; a word that flashes up helps nobody. */
const PATIENCE_MS = 1500;

export function Reach({ kept = "" }: { kept?: string }) {
  const since = silentSince.value;
  const now = useNow(since !== null);
  if (since === null || now - since < PATIENCE_MS) return <span class="reach" role="status" />;
  const title = `The server has not answered since ${new Date(since).toLocaleTimeString()}. It may be restarting, or the network is gone.${kept === "" ? "" : ` ${kept}`} What is shown is as it was then; the page asks again every two seconds and goes on by itself.`;
  return (
    <span class="reach warn" role="status" title={title}>
      <span aria-hidden="true">▲ </span>offline <span class="number" aria-hidden="true">{clock((now - since) / 1000)}</span>
      <span class="reach-more">: what you see is as of {new Date(since).toLocaleTimeString()}, trying again</span>
    </span>
  );
}
