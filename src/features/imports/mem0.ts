import { isObject } from "../../base/objects.ts";
import { factsOf, wordsOf } from "./fact-of.ts";
import { ENDS_TOO_EARLY, type Fields, textOf, textsOf, validity } from "./fields.ts";
import type { ImportKind, Item, SourceFile } from "./import-kind.ts";
import { readObjects } from "./read-objects.ts";
import { fileName, isExportFile } from "./source-names.ts";

/** The lists of mem0's answers and of OpenMemory's backup. `user` is an object of the backup. */
const LISTS = ["user", "apps", "categories", "results", "memories", "relations"];

/**
 * Memories of mem0: the JSON answer of `get_all`, which is a list of memories, or `results` with
 * `relations` beside them; and the backup of OpenMemory, mem0's server for one person. The backup is
 * a ZIP archive with the same memories in two files, `memories.json` and `memories.jsonl.gz`. Only the
 * first file is read.
 */
export const mem0: ImportKind = {
  has: "a .json file, or the ZIP of OpenMemory",
  isZipped: true,
  reads: (path) => isExportFile(path) && (path.endsWith(".json") || fileName(path) === "memories.jsonl"),
  read: readMemories,
};

/** The names of the user, the apps and the categories, which memories of a backup refer to by ids. */
interface Names {
  user?: string | undefined;
  byId: Map<string, string>;
  /** The users of the memories that have been read. */
  users: Set<string>;
}

async function* readMemories(file: SourceFile): AsyncGenerator<Item> {
  const names: Names = { byId: new Map(), users: new Set() };
  // A relation may stand before the memories that tell whose it is.
  const relations: { value: Fields; place: string }[] = [];
  for await (const element of readObjects(file, LISTS)) {
    if ("bad" in element) {
      yield element;
      continue;
    }
    const { list, value, place } = element;
    if (list === "relations") relations.push({ value, place });
    else if (["user", "apps", "categories"].includes(list)) readName(list, value, names);
    else yield* readMemory(value, names, place);
  }
  for (const { value, place } of relations) yield* readRelation(value, names, place);
}

function readName(list: string, { id, user_id, name }: Fields, names: Names): void {
  if (list === "user") names.user = textOf(user_id);
  if (typeof id === "string" && typeof name === "string") names.byId.set(id, name);
}

function* readMemory(value: Fields, { user, byId, users }: Names, place: string): Generator<Item> {
  const text = textOf(value.memory) ?? textOf(value.content);
  if (text === undefined) {
    yield { bad: "no memory", place };
    return;
  }
  // An answer of mem0 to a new memory tells also which other memories it has deleted.
  const state = value.event === "DELETE" ? "deleted" : value.state;
  if (state === "deleted" || state === "paused") {
    yield { left: `${state} memories` };
    return;
  }
  if (isObject(value.metadata) && Object.keys(value.metadata).length > 0) yield { left: "metadata" };
  const times = validity([value.created_at], value.expiration_date ?? value.archived_at);
  if (times === undefined) {
    yield { bad: ENDS_TOO_EARLY, place };
    return;
  }
  const nameOf = (id: string) => byId.get(id) ?? [];
  const its = user ?? textOf(value.user_id);
  users.add(its ?? "");
  yield* factsOf(text, place, {
    tags: [...textsOf(value.categories), ...textsOf(value.category_ids).flatMap(nameOf)],
    scope: { user: its, agent: textOf(value.agent_id), session: textOf(value.run_id) },
    ...times,
  });
}

/**
 * Reads a relation for the user, agent and run that it names. Without a user it is of the one user of the
 * memories; among memories of several users it is left out, because it would be everybody's.
 */
function* readRelation(value: Fields, { user, users }: Names, place: string): Generator<Item> {
  const parts = [value.source, value.relationship, value.target ?? value.destination];
  if (!parts.every((part) => typeof part === "string" && part.trim() !== "")) {
    yield { bad: "a relation without source, relationship or target", place };
    return;
  }
  const named = user ?? textOf(value.user_id);
  const [only, another] = users;
  if (named === undefined && another !== undefined) {
    yield { bad: "a relation without a user, among memories of several users", place };
    return;
  }
  yield* factsOf(parts.map((part) => wordsOf(String(part))).join(" "), place, {
    category: "entity",
    tags: ["relation"],
    scope: { user: named ?? (only || undefined), agent: textOf(value.agent_id), session: textOf(value.run_id) },
  });
}
