import pg from "pg";

/** A connection that is one caller's until it is given back. */
export interface Connection {
  readonly client: pg.PoolClient;
  readonly statements: PreparedStatements;
  /** Gives it back. One that is lost, or has a transaction open still, is closed and replaced. */
  release(lost?: Error): void;
}

/** What is prepared on one connection. */
export interface PreparedStatements {
  /** Names by texts. */
  readonly names: Map<string, string>;
  /** A statement was not there any more, or was there already: others share the server's side of this connection. */
  areLost: boolean;
}

export interface Connections {
  /** @throws Error when none is free for ten seconds, or the server does not answer in as long */
  take(): Promise<Connection>;
  stats(): { busy: number; idle: number; waiting: number };
  close(): Promise<void>;
}

/**
 * Statements prepared on one connection, each some 30 kB of its server process. With so many a connection is replaced: nothing
 * else makes its server process forget them, or what it remembers of tables.
 */
const MAX_PREPARED = 3000;
const ACQUIRE_TIMEOUT_MS = 10_000;
/** A new connection has nothing prepared, and has met no agent's tables. */
const IDLE_MS = 300_000;

/** @param options of each connection; `max` of them are opened at most */
export function openConnections(
  options: pg.PoolConfig & { max: number },
  onIdleError: (error: Error) => void,
): Connections {
  const pool = new pg.Pool({ ...options, connectionTimeoutMillis: ACQUIRE_TIMEOUT_MS, idleTimeoutMillis: IDLE_MS });
  // Without a listener an idle connection that the server closes would end the process.
  pool.on("error", onIdleError);
  const prepared = new WeakMap<pg.PoolClient, PreparedStatements>();
  pool.on("connect", (client) => prepared.set(client, { names: new Map(), areLost: false }));
  return {
    take: async () => {
      const client = await pool.connect();
      let lost: Error | undefined;
      // The pool listens to idle clients only: without this one a backend that ends in mid-transaction would end the process.
      const onError = (error: Error) => {
        lost = error;
      };
      client.on("error", onError);
      const statements = prepared.get(client) ?? { names: new Map(), areLost: false };
      const release = (error?: Error) => {
        client.removeListener("error", onError);
        client.release(error ?? lost ?? statements.names.size >= MAX_PREPARED);
      };
      return { client, statements, release };
    },
    stats: () => ({
      busy: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    close: () => pool.end(),
  };
}
