import { once } from "node:events";
import pg from "pg";
import { AppError } from "../base/errors.ts";
import { type SchemaName, unquoted } from "./agent/schema/schema-name.ts";
import type { SqlExecutor } from "./database.ts";

const LINE_FEED = 10;
/** The most bytes of a table that are sent at once. */
const CHUNK_BYTES = 64 * 1024;
const END_OF_DATA = "\\.";

/**
 * The lines of `pg_dump` that are skipped: psql commands, CREATE SCHEMA (the schema exists
 * already), and settings that older servers do not know.
 */
const LEFT_OUT = /^(\\|CREATE SCHEMA |SET (transaction_timeout|idle_in_transaction_session_timeout|lock_timeout) )/;
const COPY = /^COPY (\S+) .*FROM stdin;$/;
/** The comment that `pg_dump` and `pg_restore` write last, so that a text that was cut off lacks it. */
const LAST_LINE = "-- PostgreSQL database dump complete";
/** The comment near the start of the text. */
const FIRST_LINE = "-- PostgreSQL database dump";
/** A line that may follow the last comment. */
const NOTHING = /^(--.*|\s*)$/;
/** Finds the schema of the table or sequence that a statement creates or fills. */
const MADE =
  /^(?:COPY|INSERT INTO|CREATE (?:UNLOGGED )?TABLE|CREATE SEQUENCE|ALTER TABLE(?: ONLY)?) ("(?:[^"]|"")+"|\w+)\./;

/** One connection outside the pool, whose settings the script of a dump may change. */
export interface DumpConnection extends SqlExecutor {
  /**
   * Runs the SQL of a dump in the connection's transaction, then resets the settings that the
   * script changed.
   */
  load(sql: AsyncIterable<Uint8Array>, schema: SchemaName): Promise<void>;
  close(): Promise<void>;
}

/** Opens a connection for a dump; rejects with the driver's error. */
export async function openDumpConnection(connectionString: string): Promise<DumpConnection> {
  const client = new pg.Client({ connectionString, application_name: "recollect-restore" });
  // Each statement reports a lost connection itself.
  client.on("error", () => undefined);
  await client.connect();
  return {
    executeSql: async (text, values, { rowMode } = {}) => {
      const given = { text, ...(values?.length ? { values: [...values] } : {}), ...(rowMode ? { rowMode } : {}) };
      const result = await client.query(given);
      return { rows: [result].flat().flatMap(({ rows }) => rows) };
    },
    load: async (sql, schema) => {
      await loadDump(client, sql, schema);
      await client.query("RESET ALL");
    },
    close: () => client.end(),
  };
}

/**
 * Runs the SQL of a dump on one connection, within its transaction. The SQL is the text that
 * `pg_dump` writes in the format "plain", or that `pg_restore` makes of the other formats.
 *
 * @param schema the only schema that the dump may fill
 * @throws AppError `invalid_request` for a dump that has more than the schema, a text that is none,
 *   and one that was cut off
 */
async function loadDump(client: pg.Client, sql: AsyncIterable<Uint8Array>, schema: SchemaName): Promise<void> {
  const lines = linesOf(sql);
  let isEmpty = true;
  let hasBegun = false;
  let isComplete = false;
  let statements: string[] = [];
  const flush = async () => {
    const text = statements.join("\n");
    statements = [];
    if (/\S/.test(text)) await client.query(text);
  };
  for (let next = await lines.next(); !next.done; next = await lines.next()) {
    const line = next.value.toString("utf8");
    const saysNothing = NOTHING.test(line) || LEFT_OUT.test(line);
    isEmpty = false;
    hasBegun ||= line.trimEnd() === FIRST_LINE;
    if (!hasBegun && !saysNothing) throw noDump();
    isComplete = line.trimEnd() === LAST_LINE || (isComplete && saysNothing);
    if (LEFT_OUT.test(line)) continue;
    const [, made] = MADE.exec(line) ?? [];
    if (made !== undefined && made.replaceAll('"', "") !== unquoted(schema)) throw notThisAgent(made, schema);
    if (COPY.test(line)) {
      await flush();
      await copy(client, line, lines);
    } else statements.push(line);
  }
  if (isEmpty)
    throw new AppError(
      "invalid_request",
      "The dump is empty. If a command before | should have written it, look at its message.",
    );
  if (!hasBegun) throw noDump();
  if (!isComplete)
    throw new AppError(
      "invalid_request",
      `The dump was cut off: it does not end with the comment "${LAST_LINE}", with which pg_dump and pg_restore end theirs. Nothing was changed; make the text again.`,
    );
  await flush();
}

function noDump(): AppError {
  return new AppError(
    "invalid_request",
    "This is no dump of pg_dump. Give a file in its custom format, or the text that pg_dump or pg_restore --file - writes.",
  );
}

function notThisAgent(made: string, schema: SchemaName): AppError {
  return new AppError(
    "invalid_request",
    `The dump has more than this agent: also the schema ${made}. Give a file in pg_dump's custom format, or only the agent's part: pg_restore --schema ${unquoted(schema)} --file - FILE.`,
  );
}

/** Splits the text at line feeds only: any other character may be in the data of a table. */
async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, undefined> {
  let rest: Buffer[] = [];
  for await (const bytes of chunks) {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      yield Buffer.concat([...rest, chunk.subarray(start, end)]);
      rest = [];
      start = end + 1;
    }
    if (start < chunk.length) rest.push(chunk.subarray(start));
  }
  if (rest.length > 0) yield Buffer.concat(rest);
  return undefined;
}

/** The parts of the driver's connection that COPY needs. The driver's types leave them out. */
interface CopyConnection {
  stream: NodeJS.WritableStream & { writableNeedDrain?: boolean };
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
  sendCopyFail(message: string): void;
}

/**
 * Sends the lines up to the end-of-data mark as the rows of a table. The driver has no COPY of its
 * own.
 */
function copy(client: pg.Client, statement: string, lines: AsyncGenerator<Buffer, undefined>): Promise<void> {
  return new Promise((resolve, reject) => {
    const query = new pg.Query(statement, (error: Error | undefined) => (error ? reject(error) : resolve()));
    const handle = (connection: CopyConnection) => {
      void sendRows(connection, lines).catch((error: Error) => {
        reject(error);
        connection.sendCopyFail("The dump cannot be read.");
      });
    };
    client.query(Object.assign(query, { handleCopyInResponse: handle }));
  });
}

async function sendRows(connection: CopyConnection, lines: AsyncGenerator<Buffer, undefined>): Promise<void> {
  let rows: Buffer[] = [];
  let bytes = 0;
  const send = async () => {
    if (bytes > 0) connection.sendCopyFromChunk(Buffer.concat(rows));
    rows = [];
    bytes = 0;
    if (connection.stream.writableNeedDrain) await once(connection.stream, "drain");
  };
  for (;;) {
    const { value: line } = await lines.next();
    if (line === undefined) throw new AppError("invalid_request", "The dump ends in the middle of a table.");
    if (line.length === END_OF_DATA.length && line.toString() === END_OF_DATA) break;
    rows.push(line, Buffer.of(LINE_FEED));
    bytes += line.length + 1;
    if (bytes >= CHUNK_BYTES) await send();
  }
  await send();
  connection.endCopyFrom();
}
