import { escapeLine, inline, tableLines } from "./document-text.ts";
import { linesOf, type TextPiece, textOf } from "./pdf-lines.ts";

/** An element of a tagged PDF, or a reference to its text. */
export interface TagNode {
  role?: string;
  children?: readonly TagNode[];
  type?: string;
  id?: string;
}

/**
 * The least share of a page's characters that must have tags. Below it the tags are incomplete, and
 * the page is read by its appearance.
 */
const LEAST_SHARE = 0.9;
const HEADING = /^(?:H([1-6])?|Title)$/;
const HOLDS_BLOCKS = /^(?:H[1-6]?|P|Table|L|Sect|Div|Part|Art|Document)$/;
/** The deepest nesting that is read. The PDF reader itself stops earlier. */
const MAX_DEPTH = 100;

/** Reads the text under tags. Each piece of content is read once, however many tags name it. */
interface TagReader {
  /**
   * Returns all text under a node on one line, in reading order.
   *
   * @param without lists in it that are read separately
   */
  line(node: TagNode, without?: ReadonlySet<TagNode>): string;
  /** The ids of the content that was read. */
  readonly used: ReadonlySet<string>;
}

function createTagReader(marked: ReadonlyMap<string, readonly TextPiece[]>): TagReader {
  const used = new Set<string>();
  const under = (node: TagNode, without: ReadonlySet<TagNode>, depth: number): string => {
    if (depth > MAX_DEPTH || without.has(node)) return "";
    if (node.children) return node.children.map((child) => under(child, without, depth + 1)).join(" ");
    if (node.type !== "content" || node.id === undefined || used.has(node.id)) return "";
    used.add(node.id);
    const lines = linesOf(marked.get(node.id) ?? []);
    return lines.map(textOf).join(" ");
  };
  return { used, line: (node, without = new Set()) => inline(under(node, without, 0)) };
}

/**
 * Reads a page as blocks of Markdown by its tags.
 *
 * @param marked the text under each id that the tags name
 * @param pieces all text of the page
 * @returns undefined when much of the text has no tag
 */
export function readTaggedPage(
  tree: TagNode,
  marked: ReadonlyMap<string, readonly TextPiece[]>,
  pieces: readonly TextPiece[],
): string[][] | undefined {
  const reader = createTagReader(marked);
  const blocks = blocksOf(reader, tree, 0).filter((lines) => lines.some((line) => line !== ""));
  const charsOf = (all: readonly TextPiece[]) => all.reduce((sum, { text }) => sum + text.trim().length, 0);
  const tagged = [...reader.used].reduce((sum, id) => sum + charsOf(marked.get(id) ?? []), 0);
  return tagged > 0 && tagged >= charsOf(pieces) * LEAST_SHARE ? blocks : undefined;
}

function blocksOf(reader: TagReader, node: TagNode, depth: number): string[][] {
  const { role = "", children = [] } = node;
  const [heading, level = "1"] = HEADING.exec(role) ?? [];
  if (depth > MAX_DEPTH) return [];
  if (heading !== undefined) return [prefixed(`${"#".repeat(Number(level))} `, reader.line(node))];
  if (role === "Table") return [tableLines(rowsOf(reader, node, depth))];
  if (role === "L") return [listLines(reader, node, "", depth)];
  const isBlock = children.some((child) => HOLDS_BLOCKS.test(child.role ?? ""));
  return isBlock ? children.flatMap((child) => blocksOf(reader, child, depth + 1)) : [[escapeLine(reader.line(node))]];
}

function prefixed(prefix: string, line: string): string[] {
  return line === "" ? [] : [prefix + line];
}

function rowsOf(reader: TagReader, node: TagNode, depth: number): string[][] {
  if (depth > MAX_DEPTH) return [];
  return (node.children ?? []).flatMap((child) =>
    child.role === "TR" ? [(child.children ?? []).map((cell) => reader.line(cell))] : rowsOf(reader, child, depth + 1),
  );
}

function listLines(reader: TagReader, list: TagNode, indent: string, depth: number): string[] {
  if (depth > MAX_DEPTH) return [];
  return (list.children ?? []).flatMap((item) => {
    const inner = listsIn(item, 0);
    const own = reader.line(item, new Set(inner));
    const deeper = own === "" ? indent : `${indent}  `;
    return [
      ...prefixed(indent, own === "" ? "" : asItem(own)),
      ...inner.flatMap((one) => listLines(reader, one, deeper, depth + 1)),
    ];
  });
}

/** Returns the lists directly within an item. */
function listsIn(node: TagNode, depth: number): TagNode[] {
  if (node.role === "L") return [node];
  return depth > 3 ? [] : (node.children ?? []).flatMap((child) => listsIn(child, depth + 1));
}

/**
 * Formats a list item with a Markdown marker: its own number, or a dash instead of any other
 * marker.
 */
function asItem(text: string): string {
  if (/^\d{1,9}[.)]\s/.test(text)) return text;
  return `- ${text.replace(/^[^\p{L}\p{N}\s"'([]\s*(?=\S)/u, "")}`;
}
