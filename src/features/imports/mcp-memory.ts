import { jsonOf } from "../../base/json-text.ts";
import { isObject } from "../../base/objects.ts";
import { readLines, START } from "../../cli/shell/read-lines.ts";
import { factsOf, wordsOf } from "./fact-of.ts";
import type { ImportKind, Item, SourceFile } from "./import-kind.ts";
import { readPlaced } from "./read-objects.ts";
import { fileName } from "./source-names.ts";

const NEITHER = "neither an entity nor a relation";

/**
 * The knowledge graph of the reference MCP memory server. Each line is a JSON object: an entity
 * with observations, or a relation. The answer of its tool `read_graph`, saved as a file, has the same
 * objects in two lists.
 */
export const mcpMemory: ImportKind = {
  has: "memory.jsonl",
  isZipped: false,
  // Earlier versions called the file memory.json, with the same content.
  reads: (path) => /^memory\.jsonl?$/.test(fileName(path)),
  read: readGraph,
};

async function* readGraph(file: SourceFile): AsyncGenerator<Item> {
  const { path, absolute = "", advance } = file;
  if (!(await hasLines(absolute))) {
    yield* readAnswer(file);
    return;
  }
  let read = 0;
  for await (const { text, problem, number, cursor } of readLines(absolute, START)) {
    advance(cursor.offset - read);
    read = cursor.offset;
    const place = `${path}:${number}`;
    if (text === undefined) yield { bad: problem ?? "unreadable", place };
    else if (text.trim() !== "") yield* readLine(text, place);
  }
}

/** Returns whether the first line of a file is an entity, a relation, or broken like the line of neither. */
async function hasLines(absolute: string): Promise<boolean> {
  for await (const { text = "" } of readLines(absolute, START)) {
    if (text.trim() === "") continue;
    const first = jsonOf(text);
    return first === undefined ? text.trim() !== "{" : !isObject(first) || Object.hasOwn(first, "type");
  }
  return true;
}

async function* readAnswer(file: SourceFile): AsyncGenerator<Item> {
  for await (const element of readPlaced(file, ["entities", "relations"])) {
    const { list, place } = element;
    if ("bad" in element) yield { bad: element.bad, place };
    else if (!isObject(element.value)) yield { bad: NEITHER, place };
    else if (list === "entities") yield* readEntity(element.value, place);
    else yield* readRelation(element.value, place);
  }
}

function* readLine(text: string, place: string): Generator<Item> {
  const value = jsonOf(text);
  if (value === undefined) yield { bad: "not JSON", place };
  else if (isObject(value) && value.type === "entity") yield* readEntity(value, place);
  else if (isObject(value) && value.type === "relation") yield* readRelation(value, place);
  else yield { bad: NEITHER, place };
}

function* readEntity({ name, entityType, observations }: Record<string, unknown>, place: string): Generator<Item> {
  if (typeof name !== "string" || name.trim() === "" || !Array.isArray(observations)) {
    yield { bad: "an entity without a name or observations", place };
    return;
  }
  const type = typeof entityType === "string" ? entityType : "";
  const about = { category: "entity" as const, tags: [type] };
  // An entity without observations has only its type.
  if (observations.length === 0 && type !== "") yield* factsOf(`${name}: ${type}`, place, about);
  for (const [index, observation] of observations.entries())
    if (typeof observation === "string" && observation.trim() !== "")
      yield* factsOf(`${name}: ${observation}`, place, about);
    else yield { bad: "an observation that is no text", place: `${place} observations[${index}]` };
}

function* readRelation({ from, to, relationType }: Record<string, unknown>, place: string): Generator<Item> {
  if ([from, to, relationType].every((part) => typeof part === "string" && part.trim() !== ""))
    yield* factsOf(`${from} ${wordsOf(String(relationType))} ${to}`, place, { category: "entity", tags: ["relation"] });
  else yield { bad: "a relation without from, to or relationType", place };
}
