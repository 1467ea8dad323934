import { isObject } from "../../base/objects.ts";
import { factsOf, wordsOf } from "./fact-of.ts";
import { ENDS_TOO_EARLY, type Fields, textOf, textsOf, validity } from "./fields.ts";
import type { ImportKind, Item, SourceFile } from "./import-kind.ts";
import { readObjects } from "./read-objects.ts";
import { isJsonExport } from "./source-names.ts";

const LISTS = ["items", "memories", "store"];
/** The fields of a value that hold its statement, in the order of preference. */
const STATEMENTS = ["content", "text", "memory", "data"];
/** The limits of a value without such a field that is written as `name: value` pairs. */
const MAX_DEPTH = 4;
const MAX_PAIRS = 100;

/**
 * Items of a LangGraph store, such as LangMem fills: `namespace`, `key`, `value` and times, as
 * `Item.dict()` returns them, or as rows of the table `store`, which has the namespace in `prefix`.
 * Each item becomes a fact. The parts of its namespace become tags, because no part says whether it
 * names a user.
 */
export const langgraph: ImportKind = {
  has: "a .json or .jsonl file with items of a store",
  isZipped: true,
  reads: isJsonExport,
  read: readStore,
};

async function* readStore(file: SourceFile): AsyncGenerator<Item> {
  for await (const element of readObjects(file, LISTS)) {
    if ("bad" in element) yield element;
    else yield* readItem(element.value, element.place);
  }
}

function* readItem(item: Fields, place: string): Generator<Item> {
  const { value, namespace, prefix } = item;
  const text = statementOf(value);
  if (text === undefined) {
    yield { bad: "no item of a store: it has no value with a text", place };
    return;
  }
  const times = validity([item.updated_at, item.created_at], item.expires_at);
  if (times === undefined) {
    yield { bad: ENDS_TOO_EARLY, place };
    return;
  }
  const parts = typeof prefix === "string" ? prefix.split(".") : textsOf(namespace);
  const kind = isObject(value) && value.kind !== "Memory" ? textOf(value.kind) : undefined;
  yield* factsOf(text, place, { tags: [...parts, kind ?? ""], ...times });
}

/**
 * Returns the statement of a value: its text under one of the usual names, also inside `content`, as
 * LangMem writes it; otherwise its fields as `name: value` pairs.
 */
function statementOf(value: unknown, depth = 0): string | undefined {
  if (textOf(value) !== undefined || !isObject(value)) return textOf(value);
  for (const name of STATEMENTS) {
    const inner = value[name];
    if (textOf(inner) !== undefined) return textOf(inner);
    if (isObject(inner) && depth < MAX_DEPTH) return statementOf(inner, depth + 1);
  }
  const pairs = pairsOf(value, "", 0).slice(0, MAX_PAIRS);
  return pairs.length === 0 ? undefined : pairs.join("; ");
}

function pairsOf(value: Fields, above: string, depth: number): string[] {
  if (depth > MAX_DEPTH) return [];
  return Object.entries(value).flatMap(([key, one]) => {
    const name = `${above}${wordsOf(key)}`;
    if (isObject(one)) return pairsOf(one, `${name} `, depth + 1);
    if (Array.isArray(one)) {
      const texts = one.filter((part) => ["string", "number"].includes(typeof part));
      return texts.length === 0 ? [] : [`${name}: ${texts.join(", ")}`];
    }
    return one === null || one === undefined || one === "" || key === "kind" ? [] : [`${name}: ${String(one)}`];
  });
}
