import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useEffect, useRef } from "react";
import { walkButtons } from "../lib/arrow-keys.ts";

interface VirtualListProps<T> {
  rows: readonly T[];
  label: string;
  /** The height of a row in pixels before the row is measured. */
  height: number;
  keyOf: (row: T) => string;
  render: (row: T) => ReactNode;
  /** Called when one of the last ten rows is rendered, whether or not there is another page. */
  onEnd?: (() => void) | undefined;
}

/** Shows a list of any length. Only the visible rows and a few around them are in the page. */
export function VirtualList<T>({ rows, label, height, keyOf, render, onEnd }: VirtualListProps<T>) {
  const box = useRef<HTMLElement>(null);
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => height,
    overscan: 8,
    getItemKey: (at) => keyOf(rows[at] as T),
  });
  const items = list.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (last >= rows.length - 10) onEnd?.();
  }, [last, rows.length, onEnd]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
    <section ref={box} className="virtual" tabIndex={0} aria-label={label} onKeyDown={walkButtons}>
      <ul style={{ height: list.getTotalSize() }}>
        {items.map((item) => (
          <li
            key={item.key}
            ref={list.measureElement}
            data-index={item.index}
            style={{ transform: `translateY(${item.start}px)` }}
          >
            {render(rows[item.index] as T)}
          </li>
        ))}
      </ul>
    </section>
  );
}
