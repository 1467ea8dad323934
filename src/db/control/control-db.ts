import { DrizzleQueryError } from "drizzle-orm";
import { drizzle, type PgRemoteDatabase } from "drizzle-orm/pg-proxy";
import type { ExecuteOptions, SqlExecutor } from "../database.ts";

/**
 * Drizzle on an executor of the database, so that a control query can join any transaction. It must
 * not run as an agent's role.
 */
export type ControlDb = PgRemoteDatabase;

interface Prepared {
  execute(values?: Record<string, unknown>): Promise<unknown>;
}

const made = new WeakMap<SqlExecutor, ControlDb>();

/**
 * Returns Drizzle on this executor, which is the database or one of its transactions. Errors are
 * the database's own.
 */
export function controlDb(sql: SqlExecutor): ControlDb {
  const known = made.get(sql);
  if (known) return known;
  const db = open(sql, {});
  made.set(sql, db);
  return db;
}

function open(sql: SqlExecutor, options: ExecuteOptions): ControlDb {
  const db = drizzle(async (text, values, method) =>
    sql.executeSql(text, values, method === "all" ? { ...options, rowMode: "array" } : options),
  );
  unwrapErrors(db);
  return db;
}

/**
 * Returns a function that builds a query once for each executor and has it planned once: building
 * its text took a tenth of a search's time.
 */
export function builtOnce<Query>(build: (db: ControlDb) => Query): (sql: SqlExecutor) => Query {
  const built = new WeakMap<SqlExecutor, Query>();
  return (sql) => {
    const query = built.get(sql) ?? build(open(sql, { prepare: true }));
    built.set(sql, query);
    return query;
  };
}

/**
 * Unwraps the `DrizzleQueryError` that Drizzle throws around every error, with SQL and parameters
 * in its message. With it, a lost connection or a deadlock could not be recognised by its code, and
 * a log would hold the statement's values. Drizzle has no option to turn it off.
 */
function unwrapErrors(db: ControlDb): void {
  const { session } = db as unknown as { session: { prepareQuery: (...args: unknown[]) => Prepared } };
  const prepareQuery = session.prepareQuery.bind(session);
  session.prepareQuery = (...args) => {
    const prepared = prepareQuery(...args);
    const execute = prepared.execute.bind(prepared);
    prepared.execute = (values) =>
      execute(values).catch((error: unknown) => {
        throw error instanceof DrizzleQueryError && error.cause !== undefined ? error.cause : error;
      });
    return prepared;
  };
}
