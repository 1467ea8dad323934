import { isObject } from "../../../base/objects.ts";
import { decodeText } from "./decode-text.ts";
import { createMarkdownLines, type DocumentText, UnreadableDocument } from "./document-text.ts";

/** A card of a canvas: a text, a file, a link, or a group around others. */
interface Card {
  id: string;
  type: string;
  /** The place of its upper left corner, and its size. */
  x: number;
  y: number;
  width: number;
  height: number;
  /** The text that stands for the card. */
  text: string;
}

/** The most characters of a card's text where a connection names it. */
const MAX_NAME = 100;
/** The most groups whose cards are told apart. Each card is compared with each of them. */
const MAX_GROUPS = 200;

/**
 * Reads a canvas as Markdown. A canvas is a file in the format JSON Canvas, such as Obsidian writes. The
 * cards come in their order from top to bottom, the cards of a group below its name, and then the
 * connections.
 *
 * @throws UnreadableDocument `damaged`, `no text`, `too large`
 */
export function canvasToMarkdown(bytes: Uint8Array): DocumentText {
  const canvas = parse(decodeText(bytes));
  const cards = listOf(canvas.nodes).flatMap(cardOf);
  const lines = createMarkdownLines();
  const groups = cards.filter(({ type }) => type === "group").slice(0, MAX_GROUPS);
  const ofGroup = Map.groupBy(
    cards.filter((card) => card.type !== "group" && card.text !== ""),
    (card) => smallestAround(groups, card),
  );
  const show = (shown: readonly Card[] = []) => {
    for (const { text } of shown.toSorted((a, b) => a.y - b.y || a.x - b.x)) lines.block(text.split(/\r?\n/));
  };
  show(ofGroup.get(undefined));
  for (const group of groups) {
    if (group.text !== "") lines.block([`## ${nameOf(group)}`]);
    show(ofGroup.get(group));
  }
  const byId = new Map(cards.map((card) => [card.id, card]));
  const edges = listOf(canvas.edges).flatMap((edge) => {
    const [from, to] = [byId.get(String(edge.fromNode)), byId.get(String(edge.toNode))];
    const label = typeof edge.label === "string" && edge.label.trim() !== "" ? `: ${onOneLine(edge.label)}` : "";
    return from && to && from.text !== "" && to.text !== "" ? [`- ${nameOf(from)} → ${nameOf(to)}${label}`] : [];
  });
  if (edges.length > 0) lines.block(["## Connections", "", ...edges]);
  if (lines.lines.length === 0) throw new UnreadableDocument("no text");
  return { content: `${lines.lines.join("\n")}\n` };
}

function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text.trim() === "" ? "{}" : text);
    if (isObject(value)) return value;
  } catch (cause) {
    throw new UnreadableDocument("damaged", cause);
  }
  throw new UnreadableDocument("damaged");
}

function listOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function cardOf(node: Record<string, unknown>): Card[] {
  const { id, type } = node;
  if (typeof id !== "string" || typeof type !== "string") return [];
  const textOf = (field: string) => (typeof node[field] === "string" ? node[field].trim() : "");
  const number = (field: string) => (typeof node[field] === "number" ? node[field] : 0);
  const file = textOf("file") === "" ? "" : `[[${textOf("file")}${textOf("subpath")}]]`;
  const texts = new Map([
    ["text", textOf("text")],
    ["file", file],
    ["link", textOf("url")],
    ["group", textOf("label")],
  ]);
  // Other programs have types of their own, and a file of somebody else may name `constructor`.
  const text = texts.get(type) ?? (textOf("text") || textOf("label"));
  return [{ id, type, x: number("x"), y: number("y"), width: number("width"), height: number("height"), text }];
}

/** Returns the smallest group in which a card's upper left corner is. */
function smallestAround(groups: readonly Card[], { x, y }: Card): Card | undefined {
  const isInside = (group: Card) =>
    x >= group.x && y >= group.y && x < group.x + group.width && y < group.y + group.height;
  const size = ({ width, height }: Card) => width * height;
  return groups.reduce<Card | undefined>(
    (best, group) => (isInside(group) && (!best || size(group) < size(best)) ? group : best),
    undefined,
  );
}

/** Returns the first line of a card's text, without the mark of a heading. */
function nameOf({ text }: Card): string {
  // A card with a long text may have many connections.
  const beginning = text.slice(0, 4 * MAX_NAME);
  const name = onOneLine(beginning.split(/\r?\n/, 1)[0] ?? "").replace(/^#+ /, "");
  return name.length > MAX_NAME ? `${name.slice(0, MAX_NAME).toWellFormed()}…` : name;
}

function onOneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
