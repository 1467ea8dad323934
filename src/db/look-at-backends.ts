import pg from "pg";
import { createCoalescer } from "../base/coalesce-requests.ts";
import type { Asked, IsRunning } from "./answer-watch.ts";
import type { PgLimits } from "./pg-limits.ts";

/** How long a connection may take to end by itself. */
const CLOSE_MS = 5000;

interface Backend {
  pid: number;
  text: string;
}

/**
 * Returns a function that asks the server whether a statement still runs, on a connection that it
 * opens and closes for this. A server process that waits for its client to read an answer counts as
 * not running: the client has received nothing.
 */
export function createLook(connectionString: string, { connectMs, tryMs }: PgLimits): IsRunning {
  const coalesce = createCoalescer<undefined, readonly Backend[] | undefined>();
  const look = () => readBackends(connectionString, connectMs, tryMs).catch(() => undefined);
  return async ({ pid, text }: Asked) => {
    const backends = await coalesce("look", undefined, look);
    return backends?.some((one) => (pid === undefined ? one.text === text : one.pid === pid));
  };
}

/**
 * The time that the coordinator gets to report whether the node answered, in addition to the time
 * that the node gets to answer.
 */
const COORDINATOR_MS = 2000;

/**
 * Returns whether the coordinator of a cluster can connect to a node; true for a node that is no
 * longer in the cluster, as nothing needs to wait for it. The coordinator is asked on a connection
 * of its own, since all connections of the pool may be waiting for the node.
 *
 * @throws Error when the coordinator does not answer in time
 */
export async function nodeAnswers(
  connectionString: string,
  host: string,
  port: number,
  withinMs: number,
): Promise<boolean> {
  return withConnection(connectionString, withinMs, withinMs + COORDINATOR_MS, async (client) => {
    // Otherwise each question leaves a process on the coordinator for as long as Citus waits by
    // default, half a minute.
    await client.query(`SET citus.node_connection_timeout TO ${Math.trunc(withinMs)}`);
    const sql = `SELECT CASE WHEN EXISTS (SELECT FROM pg_dist_node WHERE nodename = $1 AND nodeport = $2)
                             THEN citus_check_connection_to_node($1, $2) ELSE true END AS does`;
    return (await client.query<{ does: boolean }>(sql, [host, port])).rows[0]?.does === true;
  });
}

async function readBackends(connectionString: string, connectMs: number, tryMs: number): Promise<Backend[]> {
  return withConnection(connectionString, connectMs, connectMs + tryMs, async (client) => {
    const { rows } = await client.query<Backend>(
      `SELECT pid, query AS text
         FROM pg_stat_activity
        WHERE datname = current_database()
          AND pid <> pg_backend_pid()
          AND wait_event IS DISTINCT FROM 'ClientWrite'
          AND coalesce(state, '') NOT IN ('idle', 'idle in transaction', 'idle in transaction (aborted)')`,
    );
    return rows;
  });
}

/**
 * Opens a connection, runs `ask` on it, and closes it.
 *
 * @param withinMs how long connecting and asking may take together
 */
async function withConnection<T>(
  connectionString: string,
  connectMs: number,
  withinMs: number,
  ask: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const options = { connectionString, connectionTimeoutMillis: connectMs, application_name: "recollect-look" };
  const client = new pg.Client(options);
  // The promise of the connection or of the answer rejects with this error.
  client.on("error", () => undefined);
  const timer = setTimeout(() => client.connection.stream.destroy(new Error("timeout expired")), withinMs);
  try {
    await client.connect();
    return await ask(client);
  } finally {
    clearTimeout(timer);
    void client.end().catch(() => undefined);
    setTimeout(() => client.connection.stream.destroy(), CLOSE_MS).unref();
  }
}
