/** A row as the driver returns it. bigint and numeric arrive as strings, timestamps as Date, on both drivers. */
export type Row = Record<string, unknown>;

export interface ExecuteOptions {
  /** Rows as arrays in select order; Drizzle maps columns by position. */
  rowMode?: "array";
  /**
   * The statement is planned once for a connection, not each time. For statements that are run often, whose text does not
   * depend on the values, and whose best plan does not either: Postgres soon plans them without looking at values.
   */
  prepare?: true;
  /** Nothing comes after it in its transaction, whose end is sent with it. For transactions that only read. */
  last?: true;
}

/** The seam: runs one statement with `$n` values, or several statements when there are no values. */
export interface SqlExecutor {
  executeSql<R = Row>(text: string, values?: readonly unknown[], options?: ExecuteOptions): Promise<{ rows: R[] }>;
}

export interface TransactionOptions {
  /** Statements sent in the same message as BEGIN, which saves a round trip (SET LOCAL ROLE). No values. */
  setup?: string;
  /** It only reads, so nobody waits for its end. */
  readOnly?: true;
  /** Nothing is prepared: for another try, after a prepared statement was lost. */
  unprepared?: boolean;
}

/** One Postgres database, embedded or served. */
export interface Database extends SqlExecutor {
  readonly kind: "postgres" | "pglite";
  /**
   * Runs `fn` in a transaction; commits when it resolves, rolls back and rethrows when it rejects. What `fn` does not wait for
   * is sent together, BEGIN with its first statement: if one fails, so do those behind it, whatever they found. `fn` must
   * have waited for all of them when it resolves, since Postgres takes the COMMIT of a failed transaction for a ROLLBACK.
   */
  transaction<T>(fn: (tx: SqlExecutor) => Promise<T>, options?: TransactionOptions): Promise<T>;
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
