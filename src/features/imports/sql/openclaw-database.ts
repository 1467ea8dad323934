import type { DatabaseSync } from "node:sqlite";
import { zstdDecompressSync } from "node:zlib";
import { requesterOf, type SessionEntry } from "../../../cli/sessions/openclaw-requester.ts";
import { parseTranscriptLine } from "../../../cli/sessions/transcript-line.ts";
import type { Entry, Item, SourceFile } from "../import-kind.ts";
import { type ColdTranscript, coldEvents } from "../openclaw-cold.ts";
import { ownerOf } from "../openclaw-scope.ts";

/** OpenClaw's own limit for an entry of a transcript. */
const MAX_ENTRY_BYTES = 4_194_304;
/** How long a read waits for OpenClaw, which may be writing. */
const BUSY_MS = 10_000;
/** The rows of one read. OpenClaw must not wait long for a reader to let go of its log. */
const PAGE_ROWS = 50;

/** One transcript of a conversation. A conversation gets a new one with each reset. */
interface Window {
  sessionId: string;
  entry: SessionEntry;
}

/**
 * Reads the conversations of OpenClaw's database of an agent, read-only, also while OpenClaw runs.
 * Each conversation is yielded once, with the transcripts before its resets. Sessions of jobs and
 * of subagents are left out: no person speaks in them.
 *
 * @throws Error when the file is no database of OpenClaw
 */
export async function* readOpenClawDatabase(file: SourceFile): AsyncGenerator<Item> {
  const windows = await withDatabase(file, windowsOf);
  const sessions = new Map(windows.map(({ entry }) => [entry.sessionKey, entry]));
  const known = { user: "", mainKey: "main", entryOf: (key: string) => sessions.get(key) };
  for (const session of sessions.keys()) {
    const requester = requesterOf(session, known);
    if (!requester.isKept) {
      yield { left: "conversations of jobs and subagents" };
      continue;
    }
    const own = windows.filter(({ entry }) => entry.sessionKey === session).map(({ sessionId }) => sessionId);
    const place = `${file.path} ${session}`;
    yield { conversation: { session, place, scopeOf: ownerOf(requester), entries: entriesOf(file, own) } };
  }
}

/**
 * Opens the database for one look. OpenClaw must not wait for a reader that waits for the network.
 */
async function withDatabase<T>({ path, absolute = path }: SourceFile, look: (database: DatabaseSync) => T): Promise<T> {
  // Most commands do not need this module, and Node.js 22 warns about it.
  const { DatabaseSync } = await import("node:sqlite");
  const database = new DatabaseSync(absolute, { readOnly: true, timeout: BUSY_MS });
  try {
    return look(database);
  } finally {
    database.close();
  }
}

/** Returns the transcripts, in the order in which they were begun. */
function windowsOf(database: DatabaseSync): Window[] {
  const tables = new Set(
    database
      .prepare("SELECT name FROM sqlite_master WHERE type = 'table'")
      .all()
      .map(({ name }) => String(name)),
  );
  if (!tables.has("transcript_events")) throw new Error("the database has no table transcript_events");
  if (!tables.has("session_windows") || !tables.has("session_nodes")) {
    const ids = database.prepare("SELECT DISTINCT session_id FROM transcript_events ORDER BY session_id").all();
    return ids.map(({ session_id: id }) => ({
      sessionId: String(id),
      entry: { sessionKey: `transcript:${String(id)}` },
    }));
  }
  const rows = database
    .prepare(
      `SELECT w.session_id, w.session_key, w.chat_type, coalesce(n.spawned_by, w.spawned_by) AS spawned_by
         FROM session_windows w
         LEFT JOIN session_nodes n ON n.session_key = w.session_key
        ORDER BY w.created_at, w.session_id`,
    )
    .all();
  return rows.map((row) => ({
    sessionId: String(row.session_id),
    entry: {
      sessionKey: String(row.session_key),
      chatType: row.chat_type === null ? undefined : String(row.chat_type),
      spawnedBy: row.spawned_by === null ? undefined : String(row.spawned_by),
    },
  }));
}

/** Reads the lines of transcripts, page by page. OpenClaw packs a transcript that is not used for long. */
async function* entriesOf(file: SourceFile, sessionIds: readonly string[]): AsyncGenerator<Entry> {
  for (const sessionId of sessionIds) {
    const cold = await withDatabase(file, (database) => coldTranscriptOf(database, sessionId));
    if (cold) {
      yield* coldEntriesOf(file, sessionId, cold);
      continue;
    }
    for (let after = -1; ; ) {
      const rows = await withDatabase(file, (database) => pageOf(database, sessionId, after));
      for (const row of rows) {
        after = Number(row.seq);
        yield entryOf(row, { place: `${file.path} ${sessionId}:${after}`, advance: file.advance });
      }
      if (rows.length < PAGE_ROWS) break;
    }
  }
}

/** Returns the packed transcript of a session; undefined if its events are in the database. */
function coldTranscriptOf(database: DatabaseSync, sessionId: string): ColdTranscript | undefined {
  const columns = database.prepare("SELECT name FROM pragma_table_info('session_transcript_cold_archives')").all();
  if (columns.length === 0) return undefined;
  const blob = columns.some(({ name }) => name === "archive_blob") ? "archive_blob" : "NULL AS archive_blob";
  const row = database
    .prepare(`SELECT archive_name, archive_sha256, ${blob} FROM session_transcript_cold_archives WHERE session_id = ?`)
    .get(sessionId);
  if (!row) return undefined;
  return {
    name: String(row.archive_name),
    sha256: String(row.archive_sha256),
    blob: row.archive_blob instanceof Uint8Array ? row.archive_blob : undefined,
  };
}

/** Reads the lines of a transcript that OpenClaw has packed. */
async function* coldEntriesOf(file: SourceFile, sessionId: string, cold: ColdTranscript): AsyncGenerator<Entry> {
  const place = `${file.path} ${sessionId}`;
  try {
    for await (const { seq, event_json } of coldEvents(file.absolute ?? file.path, cold))
      yield entryOf({ seq, event_json }, { place: `${place}:${seq}`, advance: () => undefined });
  } catch (error) {
    yield { bad: (error as Error).message, place };
  }
}

/** Returns the rows of a transcript after a row, without abandoned branches. */
function pageOf(database: DatabaseSync, sessionId: string, after: number): Record<string, unknown>[] {
  const has = (table: string, column: string) =>
    database.prepare("SELECT 1 FROM pragma_table_info(?) WHERE name = ?").get(table, column) !== undefined;
  const active = "FROM session_transcript_active_events a WHERE a.session_id = e.session_id";
  const isActive = has("session_transcript_active_events", "event_seq")
    ? `AND (NOT EXISTS (SELECT 1 ${active}) OR EXISTS (SELECT 1 ${active} AND a.event_seq = e.seq))`
    : "";
  return database
    .prepare(
      `SELECT e.seq, e.event_json, ${has("transcript_events", "event_zstd") ? "e.event_zstd" : "NULL AS event_zstd"}
         FROM transcript_events e
        WHERE e.session_id = ? AND e.seq > ? ${isActive}
        ORDER BY e.seq
        LIMIT ${PAGE_ROWS}`,
    )
    .all(sessionId, after);
}

function entryOf(
  row: Record<string, unknown>,
  { place, advance }: { place: string; advance(bytes: number): void },
): Entry {
  const line = lineOf(row);
  if (line === undefined) return { bad: "a compressed line that cannot be read", place };
  advance(line.length);
  const parsed = parseTranscriptLine(line, Number(row.seq));
  if ("message" in parsed) return { message: parsed.message, place };
  return "bad" in parsed ? { bad: parsed.bad, place } : { left: "lines without words" };
}

function lineOf({ event_json: json, event_zstd: zstd }: Record<string, unknown>): string | undefined {
  if (typeof json === "string") return json;
  if (!(zstd instanceof Uint8Array)) return undefined;
  try {
    return zstdDecompressSync(zstd, { maxOutputLength: MAX_ENTRY_BYTES }).toString("utf8");
  } catch {
    return undefined;
  }
}
