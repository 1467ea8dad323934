import { createHash } from "node:crypto";
import pg from "pg";
import type { Database, ExecuteOptions, SqlExecutor, TransactionOptions } from "./database.ts";
import { type Connection, type Connections, openConnections, type PreparedStatements } from "./pg-connections.ts";
import { isConnectionLost, isRoleRefused, SQLSTATE, sqlState, translateDatabaseError } from "./pg-error.ts";

export interface PgOptions {
  connectionString: string;
  /** The server itself, for what a pooler of transactions cannot pass on: LISTEN. The same when absent. */
  directConnectionString?: string | undefined;
  /** Most connections this process opens for requests and jobs together. */
  maxConnections: number;
  onIdleError: (error: Error) => void;
  /** A prepared statement was not where it was prepared; its connection prepares none any more. */
  onStatementLost?: () => void;
}

/** A Database on a Postgres server, through a connection pool. */
export function openPostgres(options: PgOptions): Database {
  const server: Server = {
    connections: openConnections(
      {
        connectionString: options.connectionString,
        max: options.maxConnections,
        application_name: "recollect",
        // Without it a connection that a firewall dropped in silence, as some do after four minutes, is waited for until the
        // kernel gives up, after many more; without the delay it is first asked for after two hours.
        keepAlive: true,
        keepAliveInitialDelayMillis: 30_000,
        // Lets a transaction send statements without waiting for those before them.
        pipeline: true,
      },
      options.onIdleError,
    ),
    // A pooler of transactions gives each one another connection, which does not know what was prepared on the last.
    prepares: options.directConnectionString === undefined,
    onStatementLost: options.onStatementLost ?? (() => undefined),
  };
  return {
    kind: "postgres",
    executeSql: (text, values, executeOptions) => runAlone(server, text, values, executeOptions),
    transaction: (fn, transactionOptions) => runTransaction(server, fn, transactionOptions),
    listen: (channel, onNotification, onReconnect) =>
      listenOn(
        options.directConnectionString ?? options.connectionString,
        ...([channel, onNotification, onReconnect, options.onIdleError] as const),
      ),
    pool: () => server.connections.stats(),
    close: () => server.connections.close(),
  };
}

interface Server {
  readonly connections: Connections;
  /** Whether a connection knows later what was prepared on it; without, each statement is planned each time. */
  readonly prepares: boolean;
  onStatementLost(): void;
}

function nameOf({ names }: PreparedStatements, text: string): string {
  const known = names.get(text);
  if (known !== undefined) return known;
  const name = statementName(text);
  names.set(text, name);
  return name;
}

/**
 * The same in every process: behind a pooler that nobody told us of, a connection may know what another process prepared on it,
 * and a name that was that one's for something else would run that, with our values.
 */
export function statementName(text: string): string {
  return `recollect_${createHash("sha256").update(text).digest("hex").slice(0, 32)}`;
}

/** Whether the server's side of a connection is not the one that it was: there is a pooler of transactions between. */
function isStatementLost(error: unknown): boolean {
  const state = sqlState(error);
  return state === SQLSTATE.unknownStatement || state === SQLSTATE.duplicateStatement;
}

/** Concerns this connection alone: the others may know all of theirs, and find out by themselves when they do not. */
function noteLost(server: Server, { statements }: Connection): void {
  statements.areLost = true;
  server.onStatementLost();
}

/** A connection, for as long as it takes. */
async function take(server: Server, agent?: string): Promise<Connection> {
  return server.connections.take(agent).catch((error: unknown) => {
    throw translateDatabaseError(error);
  });
}

/** One statement, or several without values, outside a transaction. */
async function runAlone<R>(
  server: Server,
  text: string,
  values?: readonly unknown[],
  options: ExecuteOptions = {},
): Promise<{ rows: R[] }> {
  const connection = await take(server);
  const { prepare, ...others } = options;
  try {
    const answer = await run<R>(server, connection, text, values, options);
    connection.release();
    return answer;
  } catch (error) {
    // What is not the statement's fault is the connection's.
    connection.release(isConnectionLost(error) ? (error as Error) : undefined);
    // Nothing was run: it is the name that is refused.
    if (!isStatementLost(error) || !prepare) throw error;
    noteLost(server, connection);
    return runAlone<R>(server, text, values, others);
  }
}

async function run<R>(
  server: Server,
  connection: Connection,
  text: string,
  values?: readonly unknown[],
  options?: ExecuteOptions & { readOnly?: true | undefined },
): Promise<{ rows: R[] }> {
  const { client, statements } = connection;
  sendTogether(client);
  try {
    if (!values?.length && !options?.prepare) {
      const config = { text, ...(options?.rowMode ? { rowMode: options.rowMode } : {}) };
      const results = (await client.query(config as pg.QueryConfig)) as unknown as pg.QueryResult | pg.QueryResult[];
      const rows = Array.isArray(results) ? results.flatMap((result) => result.rows) : results.rows;
      return { rows: rows as R[] };
    }
    const mayPrepare = options?.prepare && server.prepares && !statements.areLost;
    const name = mayPrepare ? nameOf(statements, text) : undefined;
    const config = {
      ...{ text, values: (values ?? []) as unknown[] },
      ...(name === undefined ? {} : { name }),
      ...(options?.rowMode ? { rowMode: options.rowMode } : {}),
    };
    return { rows: (await client.query(config as pg.QueryConfig)).rows as R[] };
  } catch (error) {
    // A connection that ended between two statements said why then; the driver only knows that it has ended.
    const cause = sqlState(error) === undefined ? (connection.lost() ?? error) : error;
    throw translateDatabaseError(cause, options?.readOnly);
  }
}

/**
 * Sends what is written to a connection in one turn of the event loop at once. A statement is a system call otherwise, and with
 * several sent together those took a third of a search's processor time.
 */
function sendTogether({ connection: { stream } }: pg.PoolClient): void {
  if (stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}

async function runTransaction<T>(
  server: Server,
  fn: (tx: SqlExecutor) => Promise<T>,
  options: TransactionOptions = {},
): Promise<T> {
  const { readOnly } = options;
  const connection = await take(server, options.agent);
  const { begun, executeSql, commit, rollBack, causeOf } = beginOn(server, connection, options);
  try {
    const result = await fn({ executeSql });
    await begun;
    const ended = commit();
    if (!readOnly) await ended;
    void ended.then(
      () => connection.release(),
      // It must not go back with its transaction open.
      (error: Error) => connection.release(error),
    );
    return result;
  } catch (error) {
    const cause = causeOf(error);
    if (isStatementLost(cause)) noteLost(server, connection);
    const lost = await rollBack().then(
      // Its server process would go on refusing.
      () => (isRoleRefused(cause) || sqlState(cause) === SQLSTATE.readOnly ? (cause as Error) : undefined),
      (failure: Error) => failure,
    );
    connection.release(lost);
    throw cause;
  }
}

/** The statements of a transaction, of which none is sent once its end has been. */
function beginOn(server: Server, connection: Connection, { setup, readOnly, prepares }: TransactionOptions) {
  let failed: { error: unknown } | undefined;
  let isOver = false;
  let ended: Promise<unknown> | undefined;
  const send = <R>(text: string, values?: readonly unknown[], options: ExecuteOptions = {}) => {
    const { prepare, ...others } = options;
    const answer = run<R>(server, connection, text, values, { ...(prepares ? options : others), readOnly });
    // Heard of here as well: when another has failed nobody may be left who waits for it, which would end the process.
    answer.catch((error: unknown) => {
      failed ??= { error };
    });
    return answer;
  };
  const begin = readOnly ? "BEGIN READ ONLY" : "BEGIN";
  const begun = send(setup ? `${begin}; ${setup}` : begin);
  const commit = () => {
    isOver = true;
    ended ??= send("COMMIT");
    return ended;
  };
  return {
    begun,
    commit,
    executeSql: async <R>(text: string, values?: readonly unknown[], options?: ExecuteOptions) => {
      // It would run as the service's own role, or in the transaction of whoever has the client by then.
      if (isOver) throw new Error("The transaction of this statement has ended.");
      const answer = send<R>(text, values, options);
      if (options?.last) void commit();
      return after(begun, answer);
    },
    rollBack: () => {
      isOver = true;
      return connection.client.query("ROLLBACK");
    },
    // What was sent behind a statement that fails does too, and which of them is heard of first is chance.
    causeOf: (error: unknown) => (failed && isConsequence(error) ? failed.error : error),
  };
}

/** Whether a statement may have failed only because one before it in its transaction did: then it was not even prepared. */
function isConsequence(error: unknown): boolean {
  const state = sqlState(error);
  return state === SQLSTATE.abortedTransaction || state === SQLSTATE.unknownStatement;
}

/** What a statement answers, once what was sent before it has succeeded. */
async function after<T>(begun: Promise<unknown>, answer: Promise<T>): Promise<T> {
  await Promise.all([begun, answer]);
  return answer;
}

/** LISTEN on a connection of its own, opened again a second after it is lost. */
async function listenOn(
  connectionString: string,
  channel: string,
  onNotification: (payload: string) => void,
  onReconnect: () => void,
  onError: (error: Error) => void,
) {
  let closed = false;
  let client: pg.Client | undefined;
  let retry: NodeJS.Timeout | undefined;
  const open = async (): Promise<void> => {
    const next = new pg.Client({ connectionString, application_name: "recollect-listen", keepAlive: true });
    client = next;
    next.on("notification", (message) => onNotification(message.payload ?? ""));
    next.on("error", onError);
    next.on("end", () => {
      if (!closed) retry = setTimeout(() => void open().catch(onError), 1_000);
    });
    await next.connect();
    await next.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
    onReconnect();
  };
  try {
    await open();
  } catch (error) {
    // Nobody holds what could close it.
    closed = true;
    clearTimeout(retry);
    throw error;
  }
  return {
    close: async () => {
      closed = true;
      clearTimeout(retry);
      await client?.end();
    },
  };
}
