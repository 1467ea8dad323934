import type pg from "pg";
import { beginOnCluster, END_ROLE_ON_CLUSTER, MARK_COMMIT } from "./citus/acting.ts";
import { AwayNodes } from "./citus/away-nodes.ts";
import { citusVersion } from "./citus/inspect-cluster.ts";
import type { Database, ExecuteOptions, TransactionExecutor, TransactionOptions } from "./database.ts";
import { type Connection, type Connections, openConnections } from "./pg-connections.ts";
import { isConnectionLost, isRoleRefused, SQLSTATE, sqlState, translateDatabaseError } from "./pg-error.ts";
import { listenOn } from "./pg-listen.ts";
import { sendTogether } from "./send-together.ts";

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
    isPooled: options.directConnectionString !== undefined,
    away: new AwayNodes({ executeSql: (text, values) => runAlone(server, text, values) }),
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
    close: () => {
      server.away.close();
      return server.connections.close();
    },
  };
}

interface Server {
  readonly connections: Connections;
  /** Whether it is the coordinator of a Citus cluster; undefined: not asked yet. A process asks once. */
  isCluster?: boolean;
  readonly away: AwayNodes;
  /**
   * A pooler of transactions gives each one another connection, which does not know what was prepared on the last; each statement is
   * planned each time.
   */
  readonly isPooled: boolean;
  onStatementLost(): void;
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
  const settings = server.isPooled ? [] : (options.settings ?? []);
  try {
    for (const setting of settings) await run(server, connection, `SET ${setting}`);
    const answer = await run<R>(server, connection, text, values, options);
    // The next one must not have them.
    connection.release(settings.length > 0 ? new Error("A session with settings of its own.") : undefined);
    return answer;
  } catch (error) {
    // What is not the statement's fault is the connection's.
    connection.release(isConnectionLost(error) || settings.length > 0 ? (error as Error) : undefined);
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
    const name = options?.prepare && !server.isPooled ? statements.nameOf(text) : undefined;
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

async function runTransaction<T>(
  server: Server,
  fn: (tx: TransactionExecutor) => Promise<T>,
  options: TransactionOptions = {},
): Promise<T> {
  const { readOnly } = options;
  if (options.role !== undefined) server.isCluster ??= await isCluster(server);
  if (server.isCluster && options.agent !== undefined) await server.away.admit(options.agent);
  const connection = await take(server, options.agent);
  const { begun, executeSql, endRole, commit, rollBack, causeOf } = beginOn(server, connection, options);
  try {
    const result = await fn({ executeSql, endRole, isCluster: server.isCluster && options.role !== undefined });
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
    if (server.isCluster) server.away.note(cause);
    const lost = await rollBack().then(
      // Its server process would go on refusing.
      () => (isRoleRefused(cause) || sqlState(cause) === SQLSTATE.readOnly ? (cause as Error) : undefined),
      (failure: Error) => failure,
    );
    connection.release(lost);
    throw cause;
  }
}

/** Citus makes itself known as an extension of the database. */
async function isCluster(server: Server): Promise<boolean> {
  return (await citusVersion({ executeSql: (text, values) => runAlone(server, text, values) })) !== undefined;
}

/** The messages that a transaction begins with. */
function beginning(server: Server, { role, setup = [], readOnly }: TransactionOptions): [string, ...string[]] {
  const begin = readOnly ? "BEGIN READ ONLY" : "BEGIN";
  if (role !== undefined && server.isCluster) return [begin, ...beginOnCluster(role, setup)];
  return [[begin, ...setup, ...(role === undefined ? [] : [`SET LOCAL ROLE ${role}`])].join("; ")];
}

/** The statements of a transaction, of which none is sent once its end has been. */
function beginOn(server: Server, connection: Connection, options: TransactionOptions) {
  const { readOnly, prepares, role } = options;
  let isActing = role !== undefined;
  let failed: { error: unknown } | undefined;
  let isOver = false;
  let ended: Promise<unknown> | undefined;
  const send = <R>(text: string, values?: readonly unknown[], execute: ExecuteOptions = {}) => {
    const { prepare, ...others } = execute;
    const answer = run<R>(server, connection, text, values, { ...(prepares ? execute : others), readOnly });
    // Heard of here as well: when another has failed nobody may be left who waits for it, which would end the process.
    answer.catch((error: unknown) => {
      failed ??= { error };
    });
    return answer;
  };
  const sendAll = (texts: readonly string[]) => {
    const answers = Promise.all(texts.map((text) => send(text)));
    // As above: nobody may wait for the end of a transaction that has failed.
    answers.catch(() => undefined);
    return answers;
  };
  const begun = sendAll(beginning(server, options));
  const commit = () => {
    isOver = true;
    // What only reads is not committed in two phases.
    const asLogin = isActing && server.isCluster && !readOnly ? END_ROLE_ON_CLUSTER : [];
    ended ??= sendAll([...asLogin, "COMMIT"]);
    return ended;
  };
  return {
    begun,
    commit,
    endRole: async (last: string) => {
      isActing = false;
      await sendAll(server.isCluster ? [last, ...END_ROLE_ON_CLUSTER, MARK_COMMIT] : [`${last}; SET LOCAL ROLE NONE`]);
    },
    executeSql: async <R>(text: string, values?: readonly unknown[], execute?: ExecuteOptions) => {
      // It would run as the service's own role, or in the transaction of whoever has the client by then.
      if (isOver) throw new Error("The transaction of this statement has ended.");
      const answer = send<R>(text, values, execute);
      if (execute?.last) void commit();
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
