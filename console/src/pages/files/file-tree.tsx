import { defaultRangeExtractor, useVirtualizer } from "@tanstack/react-virtual";
import { ChevronDown, ChevronRight, FileText, Folder, FolderOpen } from "lucide-react";
import { type KeyboardEvent, type RefObject, useEffect, useMemo, useRef, useState } from "react";
import { cn } from "../../lib/cn.ts";
import type { TreeRow } from "../../lib/file-tree.ts";
import { bytes, counted } from "../../lib/format.ts";
import { treeTarget } from "../../lib/tree-keys.ts";
import { texts } from "../../texts/texts.ts";

interface FileTreeProps {
  rows: readonly TreeRow[];
  /** The path of the file that is shown. */
  chosen: string | undefined;
  onChoose: (path: string) => void;
  onToggle: (folder: string) => void;
  onMore: (folder: string, cursor: string) => void;
}

const ROW_HEIGHT = 32;
/** The milliseconds within which the next letter continues a typed name. */
const TYPING_MS = 600;

/**
 * Shows a tree as WAI-ARIA describes it: Tab reaches one line, and keys move from there to the
 * others. Only the visible lines, some lines around them and the line with the focus are in the
 * page.
 */
export function FileTree({ rows, chosen, onChoose, onToggle, onMore }: FileTreeProps) {
  const box = useRef<HTMLDivElement>(null);
  const { current, focus, setFocused } = useFocusedLine(rows, chosen, box);
  const typedWith = useTyping();
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 12,
    getItemKey: (at) => rows[at]?.key ?? at,
    rangeExtractor: (range) => [...new Set([current, ...defaultRangeExtractor(range)])].sort((a, b) => a - b),
  });
  const items = list.getVirtualItems();
  useEffect(() => {
    for (const { index } of items) {
      const row = rows[index];
      if (row?.kind === "more" && row.cursor !== undefined) onMore(row.folder, row.cursor);
    }
  }, [items, rows, onMore]);
  const act = (row: TreeRow) => {
    setFocused(row.key);
    if (row.kind === "folder") onToggle(row.key);
    if (row.kind === "file") onChoose(row.key);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const row = rows[current];
    if (!row || event.ctrlKey || event.metaKey || event.altKey) return;
    const target = treeTarget(rows, current, event.key, typedWith(event));
    if (target === undefined) return;
    event.preventDefault();
    if (target === "act") return act(row);
    focus(target);
    list.scrollToIndex(target, { align: "auto" });
  };
  return (
    <div
      ref={box}
      className="virtual min-h-0 grow overflow-auto py-2 text-sm"
      role="tree"
      aria-label={texts.files.tree}
      onKeyDown={onKeyDown}
    >
      <div role="none" className="relative" style={{ height: list.getTotalSize() }}>
        {items.map(({ key, index, start }) => {
          const row = rows[index] as TreeRow;
          const place = { transform: `translateY(${start}px)`, paddingInlineStart: `${row.level * 1.1 - 0.1}rem` };
          return (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the tree takes the keys of all its lines.
            <div
              key={key}
              ref={list.measureElement}
              data-index={index}
              role="treeitem"
              tabIndex={index === current ? 0 : -1}
              {...stateOf(row, chosen)}
              style={place}
              className={cn(
                "absolute inset-x-0 top-0 flex min-h-8 cursor-pointer items-center gap-1.5 pe-4 focus-visible:outline-2 focus-visible:-outline-offset-2 focus-visible:outline-accent max-md:min-h-10",
                row.key === chosen ? "bg-selected shadow-[inset_2px_0_0_var(--color-accent)]" : "hover:bg-hover",
              )}
              onClick={() => act(row)}
            >
              <Line row={row} />
            </div>
          );
        })}
      </div>
    </div>
  );
}

/**
 * Tracks the line that Tab reaches: first the chosen file, then the line to which a key or a click
 * has moved.
 */
function useFocusedLine(rows: readonly TreeRow[], chosen: string | undefined, box: RefObject<HTMLElement | null>) {
  const wantsFocus = useRef(false);
  const [focused, setFocused] = useState<string | undefined>(chosen);
  const at = useMemo(() => rows.findIndex(({ key }) => key === focused), [rows, focused]);
  const current = Math.max(0, at);
  // This runs after each render, because the line may have entered the page only now.
  useEffect(() => {
    const line = box.current?.querySelector<HTMLElement>(`[data-index="${current}"]`);
    if (!wantsFocus.current || !line) return;
    wantsFocus.current = false;
    line.focus({ preventScroll: true });
  });
  const focus = (target: number) => {
    wantsFocus.current = true;
    setFocused(rows[target]?.key);
  };
  return { current, focus, setFocused };
}

/**
 * Joins letters that are typed in quick succession.
 *
 * @returns a function that takes a key event and returns the name so far, or "" for a key that
 * types no letter
 */
function useTyping() {
  const typed = useRef({ text: "", at: 0 });
  return ({ key, timeStamp }: KeyboardEvent): string => {
    if (key.length !== 1 || key === " ") return "";
    const before = timeStamp - typed.current.at < TYPING_MS ? typed.current.text : "";
    typed.current = { text: before + key, at: timeStamp };
    return typed.current.text;
  };
}

/** Returns the ARIA attributes of a line, which screen readers announce. */
function stateOf(row: TreeRow, chosen: string | undefined) {
  if (row.kind === "more") return { "aria-level": row.level, "aria-disabled": true };
  const place = { "aria-level": row.level, "aria-posinset": row.position, "aria-setsize": row.of };
  if (row.kind === "folder") return { ...place, "aria-expanded": row.isOpen };
  return { ...place, "aria-selected": row.key === chosen };
}

function Line({ row }: { row: TreeRow }) {
  if (row.kind === "more") return <span className="text-fg-2">{texts.files.more}</span>;
  if (row.kind === "folder") {
    const [Arrow, Icon] = row.isOpen ? [ChevronDown, FolderOpen] : [ChevronRight, Folder];
    return (
      <>
        <Arrow aria-hidden="true" className="size-3.5 shrink-0 text-fg-3" />
        <Icon aria-hidden="true" className="size-4 shrink-0 text-fg-2" />
        <bdi className="truncate">{row.name}</bdi>
      </>
    );
  }
  return (
    <>
      <FileText aria-hidden="true" className="ms-5 size-4 shrink-0 text-file" />
      <bdi className="truncate">{row.name}</bdi>{" "}
      <span className="tabular ms-auto shrink-0 text-xs text-fg-2">
        {bytes(row.file.size)}
        <span className="sr-only"> · {counted(row.file.chunks, texts.nouns.chunk)}</span>
      </span>
    </>
  );
}
