/** A border that can be dragged, or moved with the arrow keys. */

interface Props {
  direction: "column" | "row";
  label: string;
  /** Position in per cent, for screen readers. */
  value: number;
  /** Moves by a share (0 to 1) of the container's size. */
  onMove(by: number): void;
  onReset(): void;
}

const KEY_STEP = 0.02;

export function Resizer({ direction, label, value, onMove, onReset }: Props) {
  const drag = (event: PointerEvent): void => {
    const handle = event.currentTarget as HTMLElement;
    const box = handle.parentElement!.getBoundingClientRect();
    let last = direction === "column" ? event.clientX : event.clientY;
    handle.setPointerCapture(event.pointerId);
    const move = (next: PointerEvent): void => {
      const at = direction === "column" ? next.clientX : next.clientY;
      onMove((at - last) / (direction === "column" ? box.width : box.height));
      last = at;
    };
    const stop = (): void => {
      handle.removeEventListener("pointermove", move);
      handle.removeEventListener("pointerup", stop);
      handle.removeEventListener("pointercancel", stop);
    };
    handle.addEventListener("pointermove", move);
    handle.addEventListener("pointerup", stop);
    handle.addEventListener("pointercancel", stop);
    event.preventDefault();
  };
  const key = (event: KeyboardEvent): void => {
    const sign = event.key === "ArrowRight" || event.key === "ArrowDown" ? 1 : event.key === "ArrowLeft" || event.key === "ArrowUp" ? -1 : 0;
    if (sign === 0) return;
    event.preventDefault();
    onMove(sign * KEY_STEP);
  };
  return (
    <div
      class={`resizer ${direction}`} role="separator" tabIndex={0} aria-label={label} aria-orientation={direction === "column" ? "vertical" : "horizontal"}
      aria-valuenow={Math.round(value)} aria-valuemin={0} aria-valuemax={100} title={`${label} (double-click resets)`}
      onPointerDown={drag} onKeyDown={key} onDblClick={onReset}
    />
  );
}
