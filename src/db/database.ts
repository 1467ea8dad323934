/** A row as the driver returns it. bigint and numeric arrive as strings, timestamps as Date, on both drivers. */
export type Row = Record<string, unknown>;

export interface ExecuteOptions {
  /** Rows as arrays in select order; Drizzle maps columns by position. */
  rowMode?: "array";
  /**
   * Prepared on its connection: parsed once, and soon run with a generic plan, which does not look at the values. For
   * statements that are run often, and whose text and best plan do not depend on the values. A transaction must allow it
   * (`prepares`).
   */
  prepare?: true;
  /** Nothing comes after it in its transaction, whose end is sent with it. For transactions that only read. */
  last?: true;
  /**
   * Settings as `name = value` for this statement, which is none of a transaction. Without effect behind a pooler, whose other
   * clients would get them.
   */
  settings?: readonly string[];
  /** How long it may take, in place of what is usual for its kind. For a statement that is none of a transaction, as is the next. */
  limitMs?: number | undefined;
  /** Postgres runs it outside transactions only, such as CREATE INDEX CONCURRENTLY. */
  isAlone?: true | undefined;
}

/** The seam: runs one statement with `$n` values, or several statements when there are no values. */
export interface SqlExecutor {
  /** Whether it is a transaction of an agent on a Citus cluster. */
  readonly isCluster?: boolean | undefined;
  executeSql<R = Row>(text: string, values?: readonly unknown[], options?: ExecuteOptions): Promise<{ rows: R[] }>;
}

/** What the statements of a transaction are run by. */
export interface TransactionExecutor extends SqlExecutor {
  /** Runs one more statement as the transaction's role, and gives the rest of it back to the login. */
  endRole(lastStatement: string): Promise<void>;
}

export interface TransactionOptions {
  /** Whose memory it is about, by its schema: a connection that knows it is preferred. */
  agent?: string;
  /** Who runs its statements, quoted, until `endRole` or the end; the login when absent. Sent with BEGIN, which saves a round trip. */
  role?: string;
  /** Statements without values that are sent with BEGIN too, such as SET LOCAL. */
  setup?: readonly string[];
  /** It only reads, so nobody waits for its end. */
  readOnly?: true;
  /**
   * Statements may be prepared. Only for a caller that begins again without it when a prepared statement was lost: a pooler in
   * transaction mode loses them, and the first loss on a connection fails the transaction.
   */
  prepares?: boolean;
}

/** One Postgres database, embedded or served. */
export interface Database extends SqlExecutor {
  readonly kind: "postgres" | "pglite";
  /**
   * Runs `fn` in a transaction. It commits when `fn` resolves, and rolls back and rethrows when `fn` rejects. Statements are
   * pipelined: BEGIN goes with the first, and those that `fn` does not await go together. When one fails those behind it fail
   * too. `fn` must have awaited all of them when it resolves. When one has failed, and `fn` resolves all the same, nothing is
   * committed, and the transaction rejects with that statement's error, unless it only reads.
   */
  transaction<T>(fn: (tx: TransactionExecutor) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Subscribes to a NOTIFY channel on a connection of its own. */
  listen(
    channel: string,
    onNotification: (payload: string) => void,
    onReconnect: () => void,
  ): Promise<{ close(): Promise<void> }>;
  /** How the pool of connections is used; undefined where there is none. */
  pool?(): { busy: number; idle: number; waiting: number };
  close(): Promise<void>;
}
