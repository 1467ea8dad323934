import { createMarkdownLines } from "./document-text.ts";

/** Lists and quotations that are indented; what is deeper stands at the last of them, so that a line's indent stays short. */
const MAX_INDENTS = 8;

/** A list or quotation that is open. */
interface Container {
  tag: string;
  /** Of an ordered list: the number of the last item. */
  count: number;
  /** Of a list: the item's marker, and once that is written spaces in its place. */
  marker: string;
}

/** Blocks of Markdown within the lists and quotations that are open. */
export interface HtmlBlocks {
  readonly lines: readonly string[];
  /** Adds a block. @throws UnreadableDocument `too large` */
  write(lines: readonly string[]): void;
  /** Begins a list or quotation. @param start of an ordered list, the number of its first item */
  enter(tag: string, start: string | undefined): void;
  leave(tag: string): void;
  /** Begins an item of the list that is open, if one is. */
  item(): void;
}

/** Whether a tag begins a list or quotation. */
export function isContainer(tag: string): boolean {
  return tag === "ul" || tag === "ol" || tag === "blockquote";
}

export function createHtmlBlocks(): HtmlBlocks {
  const out = createMarkdownLines();
  const containers: Container[] = [];
  let isTight = false;
  const indent = (one: Container, isFirst: boolean) => {
    if (one.tag === "blockquote") return "> ";
    const { marker } = one;
    if (isFirst) one.marker = " ".repeat(marker.length);
    return marker;
  };
  const endOutside = () => {
    if (containers.length === 0) isTight = false;
  };
  return {
    lines: out.lines,
    write: (lines) => {
      const shown = containers.slice(0, MAX_INDENTS);
      const added = lines.map((line, at) => (shown.map((one) => indent(one, at === 0)).join("") + line).trimEnd());
      if (isTight) out.more(added);
      else out.block(added);
      isTight = containers.length > 0;
    },
    enter: (tag, start) => {
      endOutside();
      containers.push({ tag, count: Number.parseInt(start ?? "1", 10) - 1 || 0, marker: "" });
    },
    leave: (tag) => {
      if (containers.at(-1)?.tag === tag) containers.pop();
      endOutside();
    },
    item: () => {
      const list = containers.at(-1);
      if (list && list.tag !== "blockquote") list.marker = list.tag === "ol" ? `${++list.count}. ` : "- ";
    },
  };
}
