import { createMarkdownLines } from "./document-text.ts";

/**
 * The most lists and quotations that are indented. Deeper blocks get the indent of the deepest of
 * these, so that indents stay short.
 */
const MAX_INDENTS = 8;

/** An open list or quotation. */
interface Container {
  tag: string;
  /** The number of the last item, in an ordered list. */
  count: number;
  /** The marker of a list's item; once written, spaces of the same length. */
  marker: string;
}

/** Writes blocks of Markdown inside the open lists and quotations. */
export interface HtmlBlocks {
  readonly lines: readonly string[];
  /**
   * Adds a block.
   *
   * @throws UnreadableDocument `too large`
   */
  write(lines: readonly string[]): void;
  /**
   * Begins a list or quotation.
   *
   * @param start the number of the first item of an ordered list
   */
  enter(tag: string, start: string | undefined): void;
  leave(tag: string): void;
  /** Begins an item of the open list, if there is one. */
  item(): void;
}

/** Returns whether a tag begins a list or quotation. */
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
