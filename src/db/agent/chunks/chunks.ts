import type { SqlExecutor } from "../../database.ts";
import { FACT_COLUMNS, type FactJson, type FactRow, factOfJson, factPath } from "../facts/facts.ts";
import { originalSql } from "../files/original.ts";
import type { SchemaName } from "../schema/schema-name.ts";
import { sameScopeSql } from "../schema/scope.ts";
import { includesFacts, SOURCE_NUMBER } from "../schema/source-number.ts";

/**
 * A chunk's position in its document. A session's chunk also has the numbers of its messages; a
 * file's chunk has null there.
 */
export interface ChunkPlace {
  ordinal: number;
  startLine: number;
  endLine: number;
  firstMessage: number | null;
  lastMessage: number | null;
}

/** The history of a fact: the text that it replaced, and its author. */
interface FactPast {
  readonly replaced: string | null;
  /** The texts of the earlier facts of its scope and subject with its key, the latest first, at most 8. */
  readonly former: readonly string[];
  /**
   * The class or role of the message that the fact comes from. A writer may name any source, so the
   * message counts only if it contains the fact's words.
   */
  readonly author: string | null;
}

/** The file, session or fact that a chunk belongs to. */
export type ChunkOwner = { readonly fileId: string } | { readonly sessionId: string } | { readonly factId: string };

export interface StoredChunk extends ChunkPlace {
  id: string;
  /** The id of the file or session. */
  ownerId: string;
  hash: string;
}

const PLACE = `id, ordinal, start_line AS "startLine", end_line AS "endLine", first_message AS "firstMessage",
  last_message AS "lastMessage", hash`;

/** Returns the chunks of these files, in order. */
export async function chunksOfFiles(
  sql: SqlExecutor,
  schema: SchemaName,
  generationId: number,
  fileIds: readonly string[],
): Promise<StoredChunk[]> {
  if (fileIds.length === 0) return [];
  const { rows } = await sql.executeSql<StoredChunk>(
    `SELECT file_id AS "ownerId", ${PLACE}
       FROM ${schema}.chunks_${generationId}
      WHERE file_id = ANY($1::bigint[])
      ORDER BY file_id, ordinal`,
    [fileIds],
    { prepare: true },
  );
  return rows;
}

/** Returns the texts of chunks below their headings, in no particular order. */
export async function textsOfChunks(
  sql: SqlExecutor,
  schema: SchemaName,
  generationId: number,
  ids: readonly string[],
): Promise<{ id: string; text: string }[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql.executeSql<{ id: string; text: string }>(
    `SELECT id, concat_ws(E'\\n', heading, text) AS text FROM ${schema}.chunks_${generationId} WHERE id = ANY($1::bigint[])`,
    [ids],
    { prepare: true },
  );
  return rows;
}

/** Returns the chunks of a range of windows of each session, in order. */
export async function chunksOfWindows(
  sql: SqlExecutor,
  schema: SchemaName,
  generationId: number,
  sessions: readonly { id: string; from: number; to: number }[],
): Promise<StoredChunk[]> {
  const { rows } = await sql.executeSql<StoredChunk>(
    `SELECT c.session_id AS "ownerId", ${PLACE}
       FROM unnest($1::bigint[], $2::int[], $3::int[]) AS s (owner, lowest, highest)
       JOIN ${schema}.chunks_${generationId} c ON c.session_id = s.owner
          AND c.ordinal BETWEEN s.lowest AND s.highest
      ORDER BY c.session_id, c.ordinal, c.id`,
    [sessions.map((one) => one.id), sessions.map((one) => one.from), sessions.map((one) => one.to)],
  );
  return rows;
}

export async function deleteChunks(
  sql: SqlExecutor,
  schema: SchemaName,
  generationId: number,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  await sql.executeSql(`DELETE FROM ${schema}.chunks_${generationId} WHERE id = ANY($1::bigint[])`, [ids]);
}

/** Gives unchanged chunks their new positions; text, keyword vector and embedding stay. */
export async function moveChunks(
  sql: SqlExecutor,
  schema: SchemaName,
  generationId: number,
  moved: readonly (ChunkPlace & { id: string })[],
): Promise<void> {
  if (moved.length === 0) return;
  await sql.executeSql(
    `UPDATE ${schema}.chunks_${generationId} c
        SET ordinal = m.ordinal, start_line = m.start_line, end_line = m.end_line,
            first_message = m.first_message, last_message = m.last_message
       FROM unnest($1::bigint[], $2::int[], $3::int[], $4::int[], $5::int[], $6::int[])
         AS m (id, ordinal, start_line, end_line, first_message, last_message)
      WHERE c.id = m.id`,
    [moved.map((m) => m.id), ...placeValues(moved)],
  );
}

/** Returns the columns of positions as parameters of a statement. */
export function placeValues(places: readonly ChunkPlace[]): unknown[] {
  return [
    places.map((place) => place.ordinal),
    places.map((place) => place.startLine),
    places.map((place) => place.endLine),
    places.map((place) => place.firstMessage),
    places.map((place) => place.lastMessage),
  ];
}

export interface ChunkHit {
  id: string;
  path: string;
  startLine: number;
  endLine: number;
  heading: string;
  text: string;
  source: number;
  /**
   * For a session's chunk: the session, its range of messages, and their roles, authors and times. The
   * author of a message is its origin class, or else its role.
   */
  session: {
    key: string;
    firstMessage: number;
    lastMessage: number;
    roles: string[];
    authors: string[];
    from: Date;
    to: Date;
  } | null;
  /** For a session's chunk: the session's scope. */
  scope?: { user: string; agent: string; session: string } | undefined;
  /** For a session's chunk: the messages in it, before it and after it. */
  around?: MessageAround[] | undefined;
  /** For a session's chunk: the times of its messages that are too long for `around`, in order. */
  longAt?: readonly Date[] | undefined;
  /**
   * For a fact's chunk: the fact. `replaced` is the text of the earlier fact in the same scope that
   * it replaced.
   */
  fact: (FactRow & FactPast) | null;
  /** For a document's chunk: the line on which each page of the document begins. */
  pages?: readonly number[] | null;
  /** For a file's chunk: the day that the file is about, as YYYY-MM-DD, and its last change. */
  day?: string | null;
  changedAt?: Date | null;
}

/** A message and its lines in the transcript. */
export interface MessageAround {
  seq: number;
  firstLine: number;
  lineCount: number;
  role: string;
  speaker: string;
  author: string;
  at: Date;
  /** The stored text, which does not name the speaker. */
  text: string;
  /** Whether the message is neither indexed nor shown; a search finds that out. */
  isHidden?: boolean | undefined;
}

/** A row of `readChunks`; columns of sources that were not asked for are missing. */
type ChunkHitRow = Omit<ChunkHit, "path" | "session" | "scope" | "fact" | "around"> & {
  around?: (Omit<MessageAround, "at" | "text"> & { at: string; text: string | null })[] | null;
  fact?: (FactJson & FactPast) | null;
  path?: string | null;
  key?: string | null;
  scopeParts?: [user: string, agent: string, session: string] | null;
  firstMessage: number;
  lastMessage: number;
  roles: string[];
  authors: string[];
  from: Date;
  to: Date;
};

/**
 * Returns the chunks with these ids, in no particular order. It is the last statement of a search.
 *
 * @param of `sources` of the chunks, so that nothing else is joined; `sessionPath`, the path of a
 * session by its key
 */
export async function readChunks(
  sql: SqlExecutor,
  { schema, generationId }: { schema: SchemaName; generationId: number },
  ids: readonly string[],
  { sources, sessionPath }: { sources: readonly number[]; sessionPath: (key: string) => string },
): Promise<ChunkHit[]> {
  if (ids.length === 0) return [];
  const isAsked = (source: number) =>
    source === SOURCE_NUMBER.facts ? includesFacts(sources) : sources.includes(source);
  const owners = ownersOf(schema).filter(({ source }) => isAsked(source));
  const { rows } = await sql.executeSql<ChunkHitRow>(
    `SELECT c.id, c.start_line AS "startLine", c.end_line AS "endLine", c.heading, c.text, c.source,
            c.first_message AS "firstMessage",
            c.last_message AS "lastMessage"${owners.map(({ columns }) => columns).join("")}
       FROM ${schema}.chunks_${generationId} c ${owners.map(({ join }) => join).join(" ")}
      WHERE c.id = ANY($1::bigint[])`,
    [ids],
    { prepare: true, last: true },
  );
  return rows.map(
    ({ key, scopeParts, firstMessage, lastMessage, roles, authors, from, to, path, around, fact: json, ...chunk }) => {
      const fact = json
        ? { ...factOfJson(json), replaced: json.replaced, former: json.former ?? [], author: json.author }
        : null;
      if (!key) return { ...chunk, path: fact ? factPath(fact.id) : (path ?? ""), session: null, fact };
      const session = { key, firstMessage, lastMessage, roles, authors, from, to };
      const [user = "", agent = "", part = ""] = scopeParts ?? [];
      const scope = { user, agent, session: part };
      return { ...chunk, path: sessionPath(key), session, scope, ...messagesOf(around ?? []), fact };
    },
  );
}

/** Returns the messages around a chunk, if any, and the times of those that are too long to be read. */
function messagesOf(rows: NonNullable<ChunkHitRow["around"]>): Pick<ChunkHit, "around" | "longAt"> {
  const around = rows.flatMap(({ text, at, ...one }) => (text === null ? [] : { ...one, text, at: new Date(at) }));
  const longAt = rows.flatMap(({ text, at }) => (text === null ? new Date(at) : []));
  return { around: around.length === 0 ? undefined : around, longAt };
}

/**
 * How many messages before and after a session's chunk are read with it, and how long each may be.
 * A hit can be extended by these messages. Of a longer message in the chunk only the time is read.
 */
const AROUND = 10;
const MAX_AROUND_BYTES = 2000;

function ownersOf(schema: SchemaName): { source: number; columns: string; join: string }[] {
  return [
    {
      source: SOURCE_NUMBER.memory,
      columns: `, f.path, f.day::text AS day, f.mtime AS "changedAt", ${originalSql("f.")}->'pages' AS pages`,
      join: `LEFT JOIN ${schema}.files f ON f.id = c.file_id`,
    },
    {
      source: SOURCE_NUMBER.sessions,
      columns: `, s.key, ARRAY[s.scope_user, s.scope_agent, s.scope_session] AS "scopeParts", m.roles, m.authors, m.earliest AS "from", m.latest AS "to", near.around`,
      join: `LEFT JOIN ${schema}.sessions s ON s.id = c.session_id
       LEFT JOIN LATERAL (
         SELECT array_agg(DISTINCT role ORDER BY role) AS roles,
                array_agg(DISTINCT coalesce(origin_class, role)) AS authors,
                min(at) AS earliest, max(at) AS latest
           FROM ${schema}.messages
          WHERE session_id = c.session_id
            AND seq BETWEEN c.first_message AND c.last_message) AS m ON c.session_id IS NOT NULL
       LEFT JOIN LATERAL (
         SELECT json_agg(json_build_object('seq', seq, 'firstLine', first_line, 'lineCount', line_count,
                                           'role', role, 'at', at,
                                           'speaker', coalesce(name, role),
                                           'author', coalesce(origin_class, role),
                                           'text', CASE WHEN size_bytes <= ${MAX_AROUND_BYTES} THEN text END)
                         ORDER BY seq) AS around
           FROM ${schema}.messages
          WHERE session_id = c.session_id
            AND seq BETWEEN c.first_message - ${AROUND} AND c.last_message + ${AROUND}
            AND (size_bytes <= ${MAX_AROUND_BYTES} OR seq BETWEEN c.first_message AND c.last_message)) AS near ON c.session_id IS NOT NULL`,
    },
    {
      source: SOURCE_NUMBER.facts,
      columns: `,
            (
              SELECT to_jsonb(fact)
                FROM (
                  SELECT ${FACT_COLUMNS},
                         (
                           SELECT old.text
                             FROM ${schema}.facts old
                            WHERE old.superseded_by = f.id
                              AND ${sameScopeSql("old", "f")}
                            ORDER BY old.valid_to DESC, old.id DESC
                            LIMIT 1) AS replaced,
                         (
                           SELECT json_agg(past.text)
                             FROM (
                               SELECT old.text
                                 FROM ${schema}.facts old
                                WHERE old.key = f.key
                                  AND old.valid_to <= f.valid_from
                                  AND ${sameScopeSql("old", "f")}
                                  AND old.subject_folded IS NOT DISTINCT FROM f.subject_folded
                                ORDER BY old.valid_to DESC, old.id DESC
                                LIMIT 8) AS past) AS former,
                         (
                           SELECT coalesce(m.origin_class, m.role)
                             FROM ${schema}.sessions s
                             JOIN ${schema}.messages m ON m.session_id = s.id
                            WHERE s.key = f.source->>'session'
                              AND m.seq = (f.source->>'message')::bigint
                              AND strpos(lower(m.text), lower(f.text)) > 0) AS author
                    FROM ${schema}.facts f
                   WHERE id = c.fact_id) AS fact) AS fact`,
      join: "",
    },
  ];
}

/** Returns the first chunk of each file, for a hit by exact path or file name. */
export async function firstChunks(
  sql: SqlExecutor,
  schema: SchemaName,
  generationId: number,
  fileIds: readonly string[],
): Promise<{ id: string; fileId: string }[]> {
  if (fileIds.length === 0) return [];
  const { rows } = await sql.executeSql<{ id: string; fileId: string }>(
    `SELECT id, file_id AS "fileId"
       FROM ${schema}.chunks_${generationId}
      WHERE file_id = ANY($1::bigint[])
        AND ordinal = 0`,
    [fileIds],
  );
  return rows;
}

/**
 * Returns how many chunks wait for their embedding, and how many the provider has refused. A
 * partial index holds only these chunks.
 */
export async function countPending(
  sql: SqlExecutor,
  schema: SchemaName,
  generation: { id: number; dimensions: number | null },
): Promise<{ pendingEmbeddings: number; rejectedChunks: number }> {
  if (generation.dimensions === null) return { pendingEmbeddings: 0, rejectedChunks: 0 };
  const { rows } = await sql.executeSql<{ pendingEmbeddings: number; rejectedChunks: number }>(
    `SELECT count(*) FILTER (WHERE rejected IS NULL)::int AS "pendingEmbeddings",
            count(*) FILTER (WHERE rejected IS NOT NULL)::int AS "rejectedChunks"
       FROM ${schema}.vectors_${generation.id}
      WHERE embedding IS NULL`,
  );
  return rows[0] ?? { pendingEmbeddings: 0, rejectedChunks: 0 };
}

/**
 * Counts an index's chunks one by one, for an index that is being built. The chunks of the active
 * index are counted in `usage`.
 */
export async function countChunks(sql: SqlExecutor, schema: SchemaName, generationId: number): Promise<number> {
  const { rows } = await sql.executeSql<{ chunks: number }>(
    `SELECT count(*)::int AS chunks FROM ${schema}.chunks_${generationId}`,
  );
  return rows[0]?.chunks ?? 0;
}

/** Returns when a file was last written; undefined when there is none. */
export async function lastFileWrite(sql: SqlExecutor, schema: SchemaName): Promise<Date | undefined> {
  const { rows } = await sql.executeSql<{ at: Date | null }>(`SELECT max(updated_at) AS at FROM ${schema}.files`);
  return rows[0]?.at ?? undefined;
}

/** Returns the beginnings of the texts that were indexed last. */
export async function newestTexts(
  sql: SqlExecutor,
  schema: SchemaName,
  generationId: number,
  limit: number,
): Promise<string[]> {
  const { rows } = await sql.executeSql<{ text: string }>(
    `SELECT left(text, 1000) AS text
       FROM ${schema}.chunks_${generationId}
      ORDER BY id DESC
      LIMIT $1`,
    [limit],
  );
  return rows.map((row) => row.text);
}

/**
 * Returns the hashes of all chunks in pages, in the order of the chunks' ids. A hash occurs once
 * for each chunk that has it.
 */
export async function* hashesOfChunks(
  sql: SqlExecutor,
  schema: SchemaName,
  generationId: number,
  pageSize: number,
): AsyncGenerator<string[]> {
  let after = "0";
  for (;;) {
    const { rows } = await sql.executeSql<{ id: string; hash: string }>(
      `SELECT id::text AS id, hash
         FROM ${schema}.chunks_${generationId} AS c
        WHERE c.id > $1::bigint
        ORDER BY c.id
        LIMIT $2`,
      [after, pageSize],
    );
    const last = rows.at(-1);
    if (!last) return;
    yield rows.map((row) => row.hash);
    after = last.id;
  }
}
