/** Collects what arrives between two frames, so that a flood costs one update of the page per frame. */

export function batched<T>(deliver: (items: T[]) => void): (items: T[]) => void {
  let waiting: T[] = [];
  let scheduled = false;
  const flush = (): void => {
    scheduled = false;
    const items = waiting;
    waiting = [];
    deliver(items);
  };
  return (items) => {
    waiting.push(...items);
    if (scheduled) return;
    scheduled = true;
    // A hidden page gets no frames, but its title and its live region should still move on.
    if (document.hidden) setTimeout(flush, 50);
    else requestAnimationFrame(flush);
  };
}
