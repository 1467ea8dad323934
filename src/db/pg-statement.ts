import { AsyncLocalStorage } from "node:async_hooks";
import type pg from "pg";
import { currentContext } from "../base/request-context.ts";
import type { ClusterNodes } from "./citus/cluster-nodes.ts";
import type { ExecuteOptions } from "./database.ts";
import type { Connection, Connections } from "./pg-connections.ts";
import { SQLSTATE, sqlState, translateDatabaseError } from "./pg-error.ts";
import type { PgLimits } from "./pg-limits.ts";
import { sendTogether } from "./send-together.ts";

export interface Server {
  readonly connections: Connections;
  readonly limits: PgLimits;
  /**
   * Whether the server is the coordinator of a Citus cluster; undefined until the process has
   * asked, which it does once.
   */
  isCluster?: boolean;
  readonly nodes: ClusterNodes;
  /**
   * Whether a transaction pooler stands between. It may give each transaction another connection,
   * on which nothing was prepared before, so statements are not prepared and are planned each time.
   */
  readonly isPooled: boolean;
  askCluster(): Promise<boolean>;
  onStatementLost(): void;
}

export const COMMIT = "COMMIT";

/**
 * If a statement of the transaction has failed, Postgres answers COMMIT with ROLLBACK, not with an
 * error.
 */
export class RolledBack extends Error {
  constructor() {
    super("The transaction was rolled back at its COMMIT: a statement in it had failed.");
  }
}

/** A transaction, for the code that runs in it. */
export interface CurrentTransaction {
  /** Whether it still holds its connection. */
  isOpen: boolean;
  /** The functions to run once it has committed. */
  readonly afterCommit: (() => void)[];
}

/** The transaction that the current code runs in. */
export const holding = new AsyncLocalStorage<CurrentTransaction>();

/** Implements `Database.afterCommit`. */
export function afterCommit(fn: () => void): void {
  const current = holding.getStore();
  if (current?.isOpen) current.afterCommit.push(fn);
  else fn();
}

/** Takes a connection from the pool. The caller must release it. */
export async function takeConnection(server: Server, agent?: string, node?: string): Promise<Connection> {
  const taker = { agent, node, tenant: currentContext()?.tenantId, isNested: holding.getStore()?.isOpen };
  return server.connections.take(taker).catch((error: unknown) => {
    throw translateDatabaseError(error);
  });
}

/**
 * Returns whether an error says that a prepared statement is missing on the server, or already
 * exists there. The reason is a transaction pooler that has changed the server process behind the
 * connection.
 */
export function isStatementLost(error: unknown): boolean {
  const state = sqlState(error);
  return state === SQLSTATE.unknownStatement || state === SQLSTATE.duplicateStatement;
}

/**
 * Marks only this connection. Other connections may still have their prepared statements and are
 * marked when one fails.
 */
export function noteLost(server: Server, { statements }: Connection): void {
  statements.areLost = true;
  server.onStatementLost();
}

export interface RunOptions extends ExecuteOptions {
  readOnly?: true | undefined;
  limitMs: number;
}

/** Runs a statement, or several without values, on a connection. */
export async function runOn<R>(
  server: Server,
  connection: Connection,
  text: string,
  values: readonly unknown[] | undefined,
  options: RunOptions,
): Promise<{ rows: R[] }> {
  const { client, statements, watch } = connection;
  sendTogether(client);
  const { limitMs } = options;
  const rowMode = options.rowMode ? { rowMode: options.rowMode } : {};
  try {
    if (!values?.length && !options.prepare) {
      const answer = client.query({ text, ...rowMode } as pg.QueryConfig) as unknown;
      const results = await watch.expect(answer as Promise<pg.QueryResult | pg.QueryResult[]>, limitMs, text);
      if (Array.isArray(results)) return { rows: results.flatMap((result) => result.rows) };
      if (text === COMMIT && results.command !== COMMIT) throw new RolledBack();
      return { rows: results.rows as R[] };
    }
    const name = options.prepare && !server.isPooled ? statements.nameOf(text) : undefined;
    const config = {
      text,
      values: (values ?? []) as unknown[],
      ...(name === undefined ? {} : { name }),
      ...rowMode,
    };
    const answer = client.query(config as pg.QueryConfig);
    return { rows: (await watch.expect(answer, limitMs, text)).rows as R[] };
  } catch (error) {
    // A connection that ended between two statements reported the reason at that time. The driver
    // now only says that it has ended.
    const cause = sqlState(error) === undefined ? (connection.lost() ?? error) : error;
    throw translateDatabaseError(cause, options.readOnly);
  }
}
