import { AppError } from "../../base/errors.ts";
import type { FactRow } from "../../db/agent/facts/facts.ts";
import type { SnapshotRow } from "../../db/agent/history/snapshots.ts";
import type { AgentReads } from "../../db/agent/schema/agent-transaction.ts";
import { activeGeneration, type Generation } from "../../db/agent/schema/generations.ts";
import type { ScopeColumns } from "../../db/agent/schema/scope.ts";
import {
  type ArchiveCounts,
  MAX_LINKS,
  MAX_MESSAGES,
  MAX_VECTORS,
  NO_COUNTS,
  VERSION_WITH,
  type WrittenLine,
} from "./archive-format.ts";
import { factStateOf } from "./fact-state.ts";
import type { FrozenState } from "./frozen-state.ts";
import { factChangesForArchive, versionsForArchive } from "./sql/archive-history.ts";
import {
  type ArchivedFileRow,
  type ArchivedState,
  factsForArchive,
  filesForArchive,
  messagesForArchive,
  supersessionsForArchive,
  vectorsForArchive,
} from "./sql/archive-read.ts";

const PAGE = { limit: 100, maxBytes: 4_000_000 };
const PAGE_ROWS = 500;

export type Lines = AsyncGenerator<WrittenLine>;
/**
 * Reads a page in its own transaction, so that no transaction stays open while a slow client reads.
 */
export type Read = <T>(fn: (tx: AgentReads) => Promise<T>) => Promise<T>;

/** The input of an export. */
export interface Exported {
  read: Read;
  state: FrozenState;
  /** The version of the format. An older version cannot hold every kind of line. */
  version: number;
  /** The generation whose vectors are exported, if any. */
  generation: Generation | undefined;
  /** The match conditions of the routing rules that lead to the agent. */
  bindings: readonly Record<string, unknown>[];
}

/**
 * Yields all lines of an archive after its header. Reads them page by page, as they were when
 * `state` was frozen.
 */
export async function* archiveLines({ read, state, version, generation, bindings }: Exported): Lines {
  const counts: ArchiveCounts = { ...NO_COUNTS };
  const past = version >= VERSION_WITH.history ? { read, state, bindings } : undefined;
  yield* files(read, state, counts);
  if (past) yield* versions(read, state, counts);
  yield* sessions(read, state, counts);
  yield* facts(read, state, counts);
  if (past) yield* pastOfFacts(past);
  if (generation) yield* vectors(read, counts, generation);
  yield endLine(counts, version);
}

/** Returns the last line. */
export function endLine({ versions, ...counts }: ArchiveCounts, version: number): WrittenLine {
  return { type: "end", ...counts, ...(version >= VERSION_WITH.history ? { versions } : {}) };
}

/**
 * Yields the changes of facts, the snapshots, the hashes of ingested pieces, and the bindings.
 */
async function* pastOfFacts({ read, state, bindings }: Pick<Exported, "read" | "state" | "bindings">): Lines {
  yield* factChanges(read, state);
  for (const one of state.snapshots) yield writtenSnapshot(one);
  for (let at = 0; at < state.pieces.length; at += MAX_LINKS)
    yield { type: "ingested", pieces: state.pieces.slice(at, at + MAX_LINKS) };
  for (const match of bindings) yield { type: "binding", match };
}

async function* files(read: Read, state: ArchivedState, counts: ArchiveCounts): Lines {
  for (let after = ""; ; ) {
    const page = await read((tx) => filesForArchive(tx, tx.schema, state, after, PAGE));
    for (const { path, content, mtime, ...row } of page)
      yield { type: "file", path, content, mtime: mtime.toISOString(), ...aboutFile(row) };
    counts.files += page.length;
    const last = page.at(-1);
    if (!last) return;
    after = last.path;
  }
}

function aboutFile({ origin, original, seq, born, writtenAt, writtenBy }: AboutFile) {
  return {
    ...(origin === null ? {} : { origin }),
    ...(original ? { original } : {}),
    seq,
    born,
    writtenAt: writtenAt.toISOString(),
    ...(writtenBy === null ? {} : { writtenBy }),
  };
}

type AboutFile = Omit<ArchivedFileRow, "path" | "content" | "mtime">;

async function* versions(read: Read, { seq: before }: ArchivedState, counts: ArchiveCounts): Lines {
  for (let after = 0; ; ) {
    const page = await read((tx) => versionsForArchive(tx, tx.schema, { after, before }, PAGE));
    for (const { origin, original, mtime, writtenAt, endedAt, ...row } of page) {
      const from = { ...(origin === null ? {} : { origin }), ...(original ? { original } : {}) };
      const times = {
        mtime: mtime.toISOString(),
        writtenAt: writtenAt.toISOString(),
        endedAt: endedAt.toISOString(),
      };
      yield { type: "version", ...row, ...from, ...times };
    }
    counts.versions += page.length;
    const last = page.at(-1);
    if (!last) return;
    after = last.version;
  }
}

async function* sessions(read: Read, { sessions: known }: FrozenState, counts: ArchiveCounts): Lines {
  for (const { key, lastSeq, lastLine, removed, ...of } of known)
    yield { type: "session", key, lastSeq, lastLine, removed, ...writtenScope(of) };
  counts.sessions = known.length;
  const lastSeqs = new Map(known.map(({ id, lastSeq }) => [id, lastSeq]));
  // Excludes messages of sessions that were created after the freeze.
  const lastSession = known.reduce((last, { id }) => (BigInt(id) > last ? BigInt(id) : last), 0n);
  const range = { afterSession: "0", afterSeq: 0, lastSession: String(lastSession) };
  for (;;) {
    const page = await read((tx) => messagesForArchive(tx, tx.schema, range, { ...PAGE, limit: MAX_MESSAGES }));
    const then = page.filter(({ sessionId, seq }) => seq <= (lastSeqs.get(sessionId) ?? 0));
    for (const messages of Map.groupBy(then, (row) => row.session).values()) {
      const [{ session } = { session: "" }] = messages;
      yield { type: "messages", session, messages: messages.map(writtenMessage) };
    }
    counts.messages += then.length;
    const last = page.at(-1);
    if (!last) return;
    [range.afterSession, range.afterSeq] = [last.sessionId, last.seq];
  }
}

function writtenScope({ scopeUser: user, scopeAgent: agent, scopeSession: session }: ScopeColumns) {
  return user || agent || session ? { scope: { user, agent, session } } : {};
}

type ArchivedMessage = Awaited<ReturnType<typeof messagesForArchive>>[number];

function writtenMessage({ sessionId: _, session: __, originClass, ...row }: ArchivedMessage) {
  const by = originClass === null ? {} : { originClass };
  return { ...row, at: row.at.toISOString(), storedAt: row.storedAt.toISOString(), ...by };
}

async function* facts(read: Read, state: ArchivedState, counts: ArchiveCounts): Lines {
  for (let afterId = "0"; ; ) {
    const page = await read((tx) => factsForArchive(tx, tx.schema, state, afterId, PAGE_ROWS));
    for (const row of page) yield writtenFact(row);
    counts.facts += page.length;
    const last = page.at(-1);
    if (!last) break;
    afterId = last.id;
  }
  for (let afterId = "0"; ; ) {
    const links = await read((tx) => supersessionsForArchive(tx, tx.schema, state, afterId, MAX_LINKS));
    const last = links.at(-1);
    if (!last) return;
    yield { type: "supersessions", links };
    afterId = last.id;
  }
}

function writtenFact({ user, agent, session, subject, supersededBy: _, ...row }: FactRow): WrittenLine {
  return {
    type: "fact",
    ...row,
    ...(subject === null ? {} : { subject }),
    scope: { user, agent, session },
    tags: [...row.tags],
    validFrom: row.validFrom.toISOString(),
    validTo: row.validTo?.toISOString() ?? null,
    expiresAt: row.expiresAt?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    confirmedAt: row.confirmedAt.toISOString(),
  };
}

async function* factChanges(read: Read, { seq: before }: ArchivedState): Lines {
  for (let after = 0; ; ) {
    const page = await read((tx) => factChangesForArchive(tx, tx.schema, { after, before }, PAGE_ROWS));
    for (const { at, before: row, ...one } of page) {
      const was = row === null ? {} : { before: factStateOf(row) };
      yield { type: "factChange", ...one, at: at.toISOString(), ...was };
    }
    const last = page.at(-1);
    if (!last) return;
    after = last.seq;
  }
}

function writtenSnapshot({ seq, takenAt, expiresAt, ...one }: SnapshotRow): WrittenLine {
  const times = { takenAt: takenAt.toISOString(), expiresAt: expiresAt?.toISOString() ?? null };
  return { type: "snapshot", ...one, seq: Number(seq), ...times };
}

async function* vectors(read: Read, counts: ArchiveCounts, generation: Generation): Lines {
  for (let afterId = "0"; ; ) {
    const page = await read(async (tx) => {
      // The archive must not mix vectors of two models.
      if ((await activeGeneration(tx, tx.schema))?.id !== generation.id)
        throw new AppError(
          "database_unavailable",
          "The agent's index was replaced during the export. Export it again.",
        );
      return vectorsForArchive(tx, tx.schema, generation.id, afterId, MAX_VECTORS);
    });
    const last = page.at(-1);
    if (!last) return;
    const embeddings = page.map(({ hash, embedding }) => ({ hash, embedding: littleEndian(embedding) }));
    yield { type: "vectors", vectors: embeddings };
    counts.vectors += page.length;
    afterId = last.id;
  }
}

/**
 * Returns the base64 of 32-bit floats, least significant byte first, as most languages read them.
 */
function littleEndian(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [at, value] of vector.entries()) bytes.writeFloatLE(value, at * 4);
  return bytes.toString("base64");
}
