import { type FactOfChange, factsOfChanges, fileBeginnings, firstWords } from "../../db/agent/history/change-texts.ts";
import type { ChangeRow } from "../../db/agent/history/changes.ts";
import type { AgentReads } from "../../db/agent/schema/agent-transaction.ts";
import { factOfPath } from "../../settings/memory-path.ts";

/** The words of a change, for a sentence about it. */
export interface ChangeWords {
  /** The text that the change brought: a fact, the changed part of a file, or the first message. */
  text?: string | undefined;
  /** The text that was there before. */
  before?: string | undefined;
  /** The subject of a fact, and its key. */
  subject?: string | undefined;
  key?: string | undefined;
  /** The user of the fact's or the conversation's scope. */
  user?: string | undefined;
}

/** The most characters of a text in the feed. */
export const MAX_TEXT_CHARS = 400;

/**
 * Returns the words of each change. The text of a fact that was forgotten is returned nowhere, even
 * if a snapshot keeps it. Of a file, the first lines that differ are returned.
 */
export async function tellChanges(tx: AgentReads, rows: readonly ChangeRow[]): Promise<ChangeWords[]> {
  const files = rows.filter(({ kind }) => kind.startsWith("file."));
  const numbers = files.flatMap(({ version, number }) => [...(version === null ? [] : [version]), number]);
  const standing = files.flatMap(({ version, path }) => (version === null ? [path] : []));
  const texts =
    files.length === 0
      ? { versions: new Map<string, string>(), paths: new Map<string, string>() }
      : await fileBeginnings(tx, tx.schema, { versions: numbers, paths: standing });
  const facts = await factsOfChanges(
    tx,
    tx.schema,
    rows.flatMap(({ path, kind }) => (kind.startsWith("fact.") ? (factOfPath(path) ?? []) : [])),
  );
  const keys = rows.flatMap(({ path, kind }) => (kind.startsWith("session.") ? [path] : []));
  const sessions = await firstWords(tx, tx.schema, keys);
  return rows.map((row) => {
    const { kind, path, version, number } = row;
    if (kind.startsWith("session.")) {
      const said = sessions.get(path);
      return said ? { text: cut(said.text), user: said.user || undefined } : {};
    }
    if (kind.startsWith("fact.")) return wordsOfFact(kind, facts.get(factOfPath(path) ?? ""));
    if (kind === "file.deleted") return { before: cut(texts.versions.get(number)) };
    const written = version === null ? texts.paths.get(path) : texts.versions.get(version);
    return changedPart(kind === "file.created" ? undefined : texts.versions.get(number), written);
  });
}

function wordsOfFact(kind: string, fact: FactOfChange | undefined): ChangeWords {
  if (!fact) return {};
  const about = { subject: fact.subject ?? undefined, key: fact.key ?? undefined, user: fact.user || undefined };
  if (kind === "fact.superseded") return { text: cut(fact.next), before: cut(fact.text), ...about };
  if (kind === "fact.stored") return { text: cut(fact.text), before: cut(fact.previous), ...about };
  return { text: cut(fact.text), ...about };
}

/** Returns both texts from the first line on in which they differ. */
function changedPart(before: string | undefined, text: string | undefined): ChangeWords {
  if (before === undefined || text === undefined) return { text: cut(text), before: cut(before) };
  let same = 0;
  for (let n = 0; n < before.length && before[n] === text[n]; n++) if (before[n] === "\n") same = n + 1;
  return { text: cut(text.slice(same)), before: cut(before.slice(same)) };
}

function cut(text: string | null | undefined): string | undefined {
  if (text === null || text === undefined || text === "") return undefined;
  return text.length <= MAX_TEXT_CHARS ? text : `${text.slice(0, MAX_TEXT_CHARS - 1).toWellFormed()}…`;
}
