import { parse } from "yaml";
import { isObject } from "../../base/objects.ts";
import type { FactInput } from "../../client/client.ts";
import { factsOf, wordsOf } from "./fact-of.ts";
import type { ImportKind, Item } from "./import-kind.ts";
import { fileName } from "./source-names.ts";

/**
 * Matches an observation, `- [category] content #tag (context)`. Tasks, links and times in a
 * transcript are excluded.
 */
const OBSERVATION = /^\s*[-*+]\s+\[([^[\]()]+)\]\s+(\S.*)$/;
const TASK = /^([\s\p{P}\p{S}]|x|X|[\d:.,\s-]+)$/u;
/**
 * Matches a relation, `- relation_type [[Target]] (context)`. A type of several words is quoted.
 */
const RELATION = /^\s*[-*+]\s+(?:"([^"]+)"|'([^']+)'|([^\s"'[\]]+))\s+\[\[([^[\]]+)\]\]\s*(\([^()]*\))?\s*$/;
const FENCE = /^\s*(```|~~~)/;
const MAX_FRONT_LINES = 1000;
/** The maximum length of a line. A longer line is prose. */
const MAX_LINE_CHARS = 20_000;
const CATEGORIES: Readonly<Record<string, FactInput["category"]>> = {
  decision: "decision",
  preference: "preference",
  ...Object.fromEntries(["technique", "tech", "method", "technical"].map((name) => [name, "technical" as const])),
};

/**
 * A folder of Basic Memory. Notes become files; their observations and relations also become facts.
 */
export const basicMemory: ImportKind = {
  has: "notes (.md)",
  isZipped: false,
  keeps: (path) => path.endsWith(".md") && !path.split("/").some((segment) => segment.startsWith(".")),
  readKept: readNote,
};

function* readNote(text: string, path: string): Generator<Item> {
  const lines = text.split(/\r?\n/);
  const end = frontMatterEnd(lines);
  const front = readFront(lines.slice(1, Math.max(1, end - 1)));
  const title = front.title ?? fileName(path).replace(/\.md$/, "");
  let fence: string | undefined;
  for (let at = end; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const mark = FENCE.exec(line)?.[1];
    if (mark !== undefined && (fence === undefined || fence === mark)) fence = fence === undefined ? mark : undefined;
    else if (fence === undefined && line.length <= MAX_LINE_CHARS)
      yield* readLine(line, title, front.tags, path, at + 1);
  }
}

function* readLine(line: string, title: string, tags: string[], path: string, number: number): Generator<Item> {
  const source = { kind: "file", path, startLine: number, endLine: number } as const;
  const place = `${path}:${number}`;
  const [, double, single, word, target, context = ""] = RELATION.exec(line) ?? [];
  if (target !== undefined) {
    const text = `${title} ${wordsOf(double ?? single ?? word ?? "")} ${target.trim()} ${context}`.trim();
    yield* factsOf(text, place, { category: "entity", tags: ["relation", ...tags], source });
    return;
  }
  const [, category = "", content] = OBSERVATION.exec(line) ?? [];
  if (content === undefined || TASK.test(category)) return;
  const own = [...content.matchAll(/(?<=^|\s)#([^\s#]+)/g)].map(([, tag = ""]) => tag);
  const words = content
    .replace(/(?<=^|\s)#[^\s#]+/g, "")
    .replace(/\s+/g, " ")
    .trim();
  const kind = CATEGORIES[category.trim().toLowerCase()] ?? "fact";
  yield* factsOf(`${title}: ${words}`, place, { category: kind, tags: [category.trim(), ...own, ...tags], source });
}

/** Returns the index of the line after the YAML front matter; 0 if there is none. */
function frontMatterEnd(lines: readonly string[]): number {
  if (lines[0]?.trimEnd() !== "---") return 0;
  const end = lines.slice(1, MAX_FRONT_LINES).findIndex((line) => line.trimEnd() === "---");
  return end === -1 ? 0 : end + 2;
}

function readFront(lines: readonly string[]): { title?: string; tags: string[] } {
  let value: unknown;
  try {
    // The package limits the expansion of aliases. Nothing else in YAML can grow.
    value = parse(lines.join("\n"), { logLevel: "silent" });
  } catch {
    return { tags: [] };
  }
  if (!isObject(value)) return { tags: [] };
  const { title, tags } = value;
  const names = Array.isArray(tags) ? tags : typeof tags === "string" ? tags.split(",") : [];
  return {
    ...(typeof title === "string" && title.trim() !== "" ? { title: title.trim() } : {}),
    tags: names.flatMap((tag) => (typeof tag === "string" ? tag.trim().replace(/^#/, "") : [])),
  };
}
