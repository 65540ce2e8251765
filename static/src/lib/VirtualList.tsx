/** Rows of one height, of which only those in sight exist. */

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

interface Props {
  count: number;
  rowHeight: number;
  row(index: number): ComponentChildren;
  label: string;
  role?: "log" | "list";
  /** Keeps the last row in sight while the reader is at the end. */
  follow?: boolean;
}

const SPARE = 10;

export function VirtualList({ count, rowHeight, row, label, role = "list", follow = false }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(400);
  const atEnd = useRef(true);
  const last = useRef(0);
  useEffect(() => {
    const watch = new ResizeObserver(([entry]) => setHeight(entry!.contentRect.height));
    watch.observe(box.current!);
    return () => watch.disconnect();
  }, []);
  useEffect(() => {
    if (follow && atEnd.current && box.current) box.current.scrollTop = count * rowHeight;
  }, [count, follow, height]);
  const scrolled = (event: Event): void => {
    const element = event.currentTarget as HTMLElement;
    // Rows that arrive between a jump to the end and its event are no sign that the reader left the end.
    if (element.scrollTop + element.clientHeight >= element.scrollHeight - rowHeight) atEnd.current = true;
    else if (element.scrollTop < last.current) atEnd.current = false;
    last.current = element.scrollTop;
    setTop(element.scrollTop);
  };
  const first = Math.max(0, Math.floor(top / rowHeight) - SPARE);
  const end = Math.min(count, Math.ceil((top + height) / rowHeight) + SPARE);
  return (
    <div ref={box} class="virtual" role={role} aria-label={label} aria-live="off" tabIndex={0} onScroll={scrolled}>
      <div style={{ height: `${count * rowHeight}px`, position: "relative" }}>
        <div style={{ transform: `translateY(${first * rowHeight}px)` }}>
          {Array.from({ length: Math.max(0, end - first) }, (_, index) => row(first + index))}
        </div>
      </div>
    </div>
  );
}
