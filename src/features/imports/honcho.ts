import { isObject } from "../../base/objects.ts";
import { factsOf } from "./fact-of.ts";
import { type Fields, textOf, validity } from "./fields.ts";
import { createSessionGroups, roleOfName, type SessionGroups } from "./group-sessions.ts";
import type { ImportKind, Item, SourceFile } from "./import-kind.ts";
import { readPlaced } from "./read-objects.ts";
import { fileName, isJsonExport } from "./source-names.ts";

/** The lists in answers of Honcho's API. A page has `items`. */
const LISTS = ["items", "messages", "conclusions", "peer_card"];

/**
 * Messages and conclusions of Honcho as JSON, as its command line prints them with `--json` and its
 * API returns them. A conclusion becomes a fact about the peer whom it observes. Messages become a
 * conversation for each session; a list of messages that do not name their session gets the name of
 * the file.
 */
export const honcho: ImportKind = {
  has: "a .json or .jsonl file with messages or conclusions",
  isZipped: true,
  reads: isJsonExport,
  read: readAnswers,
};

async function* readAnswers(file: SourceFile): AsyncGenerator<Item> {
  const groups = createSessionGroups(file.path);
  for await (const element of readPlaced(file, LISTS)) {
    const { place } = element;
    const value = "value" in element ? element.value : undefined;
    if ("bad" in element) yield { bad: element.bad, place };
    else if (element.list === "peer_card" && textOf(value) !== undefined) yield* factsOf(String(value), place);
    else if (!isObject(value)) yield { bad: "not an object", place };
    else if (textOf(value.content) === undefined) yield { bad: "neither a message nor a conclusion", place };
    else if (value.peer_id !== undefined) yield* readMessageOf(value, groups, file, place);
    else yield* readConclusion(value, place);
  }
  yield* groups.conversations();
}

function* readConclusion(conclusion: Fields, place: string): Generator<Item> {
  const subject = textOf(conclusion.observed_id) ?? textOf(conclusion.observed);
  const observer = textOf(conclusion.observer_id) ?? textOf(conclusion.observer);
  const level = textOf(conclusion.level);
  yield* factsOf(String(conclusion.content), place, {
    ...(subject !== undefined && { subject }),
    tags: [level ?? "", observer === undefined || observer === subject ? "" : `observed by ${observer}`],
    ...validity([conclusion.created_at], undefined),
  });
}

function readMessageOf(message: Fields, groups: SessionGroups, file: SourceFile, place: string): Generator<Item> {
  const session = textOf(message.session_id) ?? fileName(file.path).replace(/\.\w+$/, "");
  const peer = String(message.peer_id);
  const metadata = isObject(message.metadata) ? message.metadata : {};
  const role = textOf(metadata.role) ?? roleOfName(peer);
  const fields = { role, name: peer, text: message.content, at: message.created_at, id: message.id };
  return groups.add(`honcho:${session}`, fields, place);
}
