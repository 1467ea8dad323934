import { ClusterNodes } from "./citus/cluster-nodes.ts";
import { citusVersion } from "./citus/inspect-cluster.ts";
import type { Database, ExecuteOptions } from "./database.ts";
import { createLook, nodeAnswers } from "./look-at-backends.ts";
import { openConnections } from "./pg-connections.ts";
import { isConnectionLost } from "./pg-error.ts";
import { PG_LIMITS, type PgLimits, statementLimit } from "./pg-limits.ts";
import { listenOn } from "./pg-listen.ts";
import { afterCommit, isStatementLost, noteLost, runOn, type Server, takeConnection } from "./pg-statement.ts";
import { runTransaction } from "./pg-transaction.ts";

export interface PgOptions {
  connectionString: string;
  /**
   * The address of the server itself, for LISTEN, which a transaction pooler cannot pass on.
   * Default: `connectionString`.
   */
  directConnectionString?: string | undefined;
  /** The most connections that this process opens for requests and jobs together. */
  maxConnections: number;
  onIdleError: (error: Error) => void;
  /**
   * Called when a prepared statement was missing on its connection, which prepares no more
   * statements from then on.
   */
  onStatementLost?: () => void;
  /** Called when the server did not answer in time and a connection was closed. */
  onNoAnswer?: () => void;
  /** Default: `PG_LIMITS`. */
  limits?: Partial<PgLimits>;
}

/** Opens a Database on a Postgres server, through a connection pool. */
export function openPostgres(options: PgOptions): Database {
  const direct = options.directConnectionString ?? options.connectionString;
  const limits = { ...PG_LIMITS, ...options.limits };
  const isPooled = options.directConnectionString !== undefined;
  const pool = {
    connectionString: options.connectionString,
    max: options.maxConnections,
    application_name: "recollect",
    // Some firewalls silently drop an idle connection after four minutes. Without keep-alive, the
    // process would wait for such a connection until the kernel gives up, many minutes later.
    // Without the initial delay, the kernel sends its first probe after two hours.
    keepAlive: true,
    keepAliveInitialDelayMillis: 30_000,
    // Lets a transaction send statements without waiting for the answers to earlier ones.
    pipeline: true,
  };
  const { onIdleError, onNoAnswer = () => undefined } = options;
  const isRunning = createLook(direct, limits);
  const server: Server = {
    connections: openConnections({ pool, isPooled, limits, isRunning, onIdleError, onNoAnswer }),
    limits,
    isPooled,
    nodes: new ClusterNodes({ executeSql: (text, values) => runAlone(server, text, values) }, (...of) =>
      nodeAnswers(direct, ...of),
    ),
    // Citus is recognised by its extension in the database.
    askCluster: async () =>
      (await citusVersion({ executeSql: (text, values) => runAlone(server, text, values) })) !== undefined,
    onStatementLost: options.onStatementLost ?? (() => undefined),
  };
  return {
    kind: "postgres",
    executeSql: (text, values, executeOptions) => runAlone(server, text, values, executeOptions),
    transaction: (fn, transactionOptions) => runTransaction(server, fn, transactionOptions),
    listen: (channel, onNotification, onReconnect) =>
      listenOn(direct, limits, ...([channel, onNotification, onReconnect, onIdleError] as const)),
    afterCommit,
    pool: () => server.connections.stats(),
    close: () => {
      server.nodes.close();
      return server.connections.close();
    },
  };
}

/** Runs one statement, or several without values, outside a transaction. */
async function runAlone<R>(
  server: Server,
  text: string,
  values?: readonly unknown[],
  options: ExecuteOptions = {},
): Promise<{ rows: R[] }> {
  const { prepare, settings: wanted = [], limitMs, isAlone, ...others } = options;
  // Behind a pooler the next statement may run on another connection, and another client would get
  // the settings that were made on this one.
  if (server.isPooled && !isAlone)
    return runTransaction(server, (tx) => tx.executeSql<R>(text, values, { ...others, last: true }), {
      isRepeatable: true,
      limitMs,
    });
  const connection = await takeConnection(server);
  const settings = server.isPooled ? [] : wanted;
  const run = { ...options, limitMs: limitMs ?? statementLimit(server.limits, "readMs").limitMs };
  try {
    for (const setting of settings) await runOn(server, connection, `SET ${setting}`, [], run);
    if (!server.isPooled && connection.session.limitMs !== run.limitMs) {
      connection.session.limitMs = run.limitMs;
      // Sent together with the statement, which fails as well when this fails.
      const lockMs = run.limitMs > server.limits.readMs ? 0 : server.limits.lockMs;
      const both = `SET statement_timeout = ${run.limitMs}; SET lock_timeout = ${lockMs}`;
      // A prepared statement cannot hold two commands.
      runOn(server, connection, both, [], { limitMs: run.limitMs }).catch(() => undefined);
    }
    const answer = await runOn<R>(server, connection, text, values, run);
    // The next caller must not get this connection with its settings.
    connection.release(settings.length > 0 ? new Error("A session with settings of its own.") : undefined);
    return answer;
  } catch (error) {
    // Closes the connection if the connection caused the failure, and not the statement. A text with
    // a transaction of its own, as pg-boss sends it, has left the connection inside that transaction.
    const isUnfit = isConnectionLost(error) || settings.length > 0 || /^\s*BEGIN\b/.test(text);
    connection.release(isUnfit ? (error as Error) : undefined);
    // The server refused the name of the prepared statement, so nothing was run.
    if (!isStatementLost(error) || !prepare) throw error;
    noteLost(server, connection);
    return runAlone<R>(server, text, values, { ...others, settings: wanted, limitMs, isAlone });
  }
}
