/**
 * A row as the driver returns it. bigint and numeric arrive as strings, timestamps as Date, on both
 * drivers.
 */
export type Row = Record<string, unknown>;

export interface ExecuteOptions {
  /** Rows as arrays in select order; Drizzle maps columns by position. */
  rowMode?: "array";
  /**
   * Prepares the statement on its connection: Postgres parses it once, and soon runs it with a
   * generic plan, which does not depend on the values. For statements that run often, and whose
   * text and best plan do not depend on the values. A transaction must allow it (`prepares`).
   */
  prepare?: true;
  /**
   * No statement follows in this transaction, so COMMIT is sent with it. For read-only
   * transactions.
   */
  last?: true;
  /**
   * Settings as `name = value` for a statement outside transactions. They have no effect behind a
   * pooler, where other clients would get them.
   */
  settings?: readonly string[];
  /**
   * How long the statement may take, instead of the usual limit of its kind. Only for a statement
   * outside transactions.
   */
  limitMs?: number | undefined;
  /**
   * Whether Postgres runs the statement only outside transactions, such as CREATE INDEX
   * CONCURRENTLY.
   */
  isAlone?: true | undefined;
}

/**
 * The seam: runs one statement with `$n` values, or several statements when there are no values.
 */
export interface SqlExecutor {
  /** Whether this is a transaction of an agent on a Citus cluster. */
  readonly isCluster?: boolean | undefined;
  executeSql<R = Row>(text: string, values?: readonly unknown[], options?: ExecuteOptions): Promise<{ rows: R[] }>;
}

/** Runs the statements of one transaction. */
export interface TransactionExecutor extends SqlExecutor {
  /**
   * Runs one more statement as the transaction's role. The statements after it run as the login.
   */
  endRole(lastStatement: string): Promise<void>;
}

export interface TransactionOptions {
  /**
   * The schema of the agent whose memory the transaction reads or writes. A connection that has
   * used this agent's tables is preferred.
   */
  agent?: string;
  /**
   * The role, quoted, that runs the statements until `endRole` or the end of the transaction;
   * absent: the login. It is sent with BEGIN, which saves a round trip.
   */
  role?: string;
  /** Statements without values that are also sent with BEGIN, such as SET LOCAL. */
  setup?: readonly string[];
  /** Whether the transaction only reads. Then its COMMIT is not awaited. */
  readOnly?: true;
  /**
   * Whether statements may be prepared. Only for a caller that repeats the transaction without this
   * option after a prepared statement was lost: a transaction pooler loses prepared statements, and
   * the first loss on a connection fails the transaction.
   */
  prepares?: boolean;
}

/** One Postgres database, embedded or served. */
export interface Database extends SqlExecutor {
  readonly kind: "postgres" | "pglite";
  /**
   * Runs `fn` in a transaction. It commits when `fn` resolves, and rolls back and rethrows when
   * `fn` rejects.
   *
   * Statements are pipelined: BEGIN is sent with the first, and statements that `fn` does not await
   * are sent together. When one fails, the statements sent after it fail too. `fn` must have
   * awaited all of them when it resolves. If one has failed and `fn` resolves all the same, nothing
   * is committed, and the transaction rejects with that statement's error, unless the transaction
   * is read-only.
   */
  transaction<T>(fn: (tx: TransactionExecutor) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Subscribes to a NOTIFY channel on a connection of its own. */
  listen(
    channel: string,
    onNotification: (payload: string) => void,
    onReconnect: () => void,
  ): Promise<{ close(): Promise<void> }>;
  /**
   * Runs a function once the current transaction has committed, or at once without a transaction.
   * A transaction that is rolled back, or whose outcome is unknown, drops the function. Undefined for
   * the embedded database.
   */
  afterCommit?(fn: () => void): void;
  /** The use of the connection pool; undefined for a database without a pool. */
  pool?(): { busy: number; idle: number; waiting: number };
  close(): Promise<void>;
}
