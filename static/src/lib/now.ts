/** The clock of what goes on: whoever asks renders again on each tick. */

import { useEffect, useState } from "preact/hooks";

const TICK_MS = 100;

/** Milliseconds since the epoch; stands still unless `running`. */
export function useNow(running: boolean): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (!running) return undefined;
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [running]);
  return now;
}
