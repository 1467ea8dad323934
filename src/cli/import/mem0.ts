import { isObject } from "../../base/objects.ts";
import { readTime } from "../../service/sessions/message-schemas.ts";
import { factsOf, wordsOf } from "./fact-of.ts";
import type { ImportKind, Item, SourceFile } from "./import-kind.ts";
import { readElements } from "./json-elements.ts";
import { placeOf } from "./source-names.ts";

type Fields = Readonly<Record<string, unknown>>;

/**
 * The JSON answer of mem0's `get_all`: a list of memories, or `results` with `relations` beside
 * them.
 */
export const mem0: ImportKind = {
  has: "a .json file",
  isZipped: false,
  reads: (path) => path.endsWith(".json"),
  read: readMemories,
};

async function* readMemories(file: SourceFile): AsyncGenerator<Item> {
  for await (const element of readElements(await file.open(), ["results", "memories", "relations"])) {
    const place = placeOf(file, element);
    if ("bad" in element) yield { bad: element.bad, place };
    else if (!isObject(element.value)) yield { bad: "not an object", place };
    else yield* element.list === "relations" ? readRelation(element.value, place) : readMemory(element.value, place);
  }
}

function* readMemory(value: Fields, place: string): Generator<Item> {
  const { memory, user_id, agent_id, run_id, categories, created_at, expiration_date } = value;
  if (typeof memory !== "string" || memory.trim() === "") {
    yield { bad: "no memory", place };
    return;
  }
  if (isObject(value.metadata) && Object.keys(value.metadata).length > 0) yield { left: "metadata" };
  const validFrom = readTime(created_at);
  const expiresAt = readTime(expiration_date);
  if (expiresAt !== undefined && expiresAt <= (validFrom ?? new Date().toISOString())) {
    yield { bad: "it expires before it begins to hold", place };
    return;
  }
  yield* factsOf(memory, place, {
    tags: Array.isArray(categories) ? categories.filter((one) => typeof one === "string") : [],
    scope: { user: textOf(user_id), agent: textOf(agent_id), session: textOf(run_id) },
    ...(validFrom !== undefined && { validFrom }),
    ...(expiresAt !== undefined && { expiresAt }),
  });
}

function* readRelation({ source, relationship, target, destination }: Fields, place: string): Generator<Item> {
  const parts = [source, relationship, target ?? destination];
  if (parts.every((part) => typeof part === "string" && part.trim() !== ""))
    yield* factsOf(parts.map((part) => wordsOf(String(part))).join(" "), place, {
      category: "entity",
      tags: ["relation"],
    });
  else yield { bad: "a relation without source, relationship or target", place };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
