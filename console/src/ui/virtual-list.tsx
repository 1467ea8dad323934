import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useEffect, useRef } from "react";
import { walkRows } from "../lib/arrow-keys.ts";
import { cn } from "../lib/cn.ts";

interface VirtualListProps<T> {
  rows: readonly T[];
  label: string;
  /** The height of a row in pixels before the row is measured. */
  height: number;
  keyOf: (row: T) => string;
  render: (row: T, at: number) => ReactNode;
  /** Called when one of the last ten rows is rendered, whether or not there is another page. */
  onEnd?: (() => void) | undefined;
  /** The row that must be visible, by its key. */
  showing?: string | undefined;
  className?: string;
}

/** Shows a list of any length. Only the visible rows and a few around them are in the page. */
export function VirtualList<T>({ rows, label, height, keyOf, render, onEnd, showing, className }: VirtualListProps<T>) {
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
  const shown = showing === undefined ? -1 : rows.findIndex((row) => keyOf(row) === showing);
  useEffect(() => {
    if (shown >= 0) list.scrollToIndex(shown, { align: "auto" });
  }, [shown, list]);
  return (
    <section
      ref={box}
      className={cn("virtual min-h-0 grow overflow-auto", className)}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
      tabIndex={0}
      aria-label={label}
      onKeyDown={walkRows}
    >
      <ul className="relative" style={{ height: list.getTotalSize() }}>
        {items.map((item) => (
          <li
            key={item.key}
            ref={list.measureElement}
            data-index={item.index}
            className="absolute inset-x-0 top-0"
            style={{ transform: `translateY(${item.start}px)` }}
          >
            {render(rows[item.index] as T, item.index)}
          </li>
        ))}
      </ul>
    </section>
  );
}
