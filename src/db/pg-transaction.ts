import { AppError } from "../base/errors.ts";
import { beginOnCluster, END_ROLE_ON_CLUSTER, MARK_COMMIT } from "./citus/acting.ts";
import type { ExecuteOptions, TransactionExecutor, TransactionOptions } from "./database.ts";
import type { Connection } from "./pg-connections.ts";
import { isConnectionLost, isRoleRefused, SQLSTATE, sqlState } from "./pg-error.ts";
import { statementLimit } from "./pg-limits.ts";
import {
  COMMIT,
  type CurrentTransaction,
  holding,
  isStatementLost,
  noteLost,
  RolledBack,
  runOn,
  type Server,
  takeConnection,
} from "./pg-statement.ts";

/**
 * Options of a transaction, or of a single statement that runs as a transaction because of a
 * pooler.
 */
export interface OwnOptions extends TransactionOptions {
  /** Whether the caller may repeat the transaction, so that its outcome need not be known. */
  isRepeatable?: true;
  limitMs?: number | undefined;
}

export async function runTransaction<T>(
  server: Server,
  fn: (tx: TransactionExecutor) => Promise<T>,
  options: OwnOptions = {},
): Promise<T> {
  const { readOnly } = options;
  if (options.role !== undefined) server.isCluster ??= await server.askCluster();
  const visit = server.isCluster && options.agent !== undefined ? await server.nodes.visit(options.agent) : undefined;
  const connection = await takeConnection(server, options.agent, visit?.node);
  try {
    // The node may have been put aside while this transaction waited for a connection.
    visit?.check();
  } catch (error) {
    connection.release();
    throw error;
  }
  visit?.begin(() => connection.watch.giveUp());
  const sent = beginOn(server, connection, options);
  const { begun, executeSql, endRole, commit, rollBack } = sent;
  const held: CurrentTransaction = { isOpen: true, afterCommit: [] };
  const tx = { executeSql, endRole, isCluster: server.isCluster && options.role !== undefined };
  try {
    const result = await holding.run(held, () => fn(tx));
    await begun;
    const ended = commit();
    if (!readOnly) await ended;
    const release = (error?: Error) => {
      visit?.end();
      sent.forgetPid();
      connection.release(error);
    };
    void ended.then(
      () => {
        release();
        for (const run of held.afterCommit) run();
      },
      // The pool must not get the connection back with its transaction open.
      (error: Error) => release(error instanceof RolledBack ? undefined : error),
    );
    return result;
  } catch (error) {
    const cause = sent.causeOf(error);
    if (isStatementLost(cause)) noteLost(server, connection);
    if (server.isCluster) server.nodes.note(cause);
    const lost = await rollBack().then(
      // Closes the connection, because its server process would go on refusing.
      () => (isRoleRefused(cause) || sqlState(cause) === SQLSTATE.readOnly ? (cause as Error) : undefined),
      (failure: Error) => failure,
    );
    visit?.end();
    sent.forgetPid();
    connection.release(lost);
    throw sent.isUnconfirmed() && !readOnly && !options.isRepeatable ? unconfirmed(cause) : cause;
  } finally {
    held.isOpen = false;
  }
}

function unconfirmed(cause: unknown): AppError {
  return new AppError(
    "outcome_unknown",
    "The connection to the database was lost before it confirmed this write, so it may be stored or not. Read it back before you send it again, or send it again with the same Idempotency-Key.",
    { cause },
  );
}

/**
 * Returns the messages that begin a transaction, and the time limit of its statements. The limits
 * cost no round trip of their own.
 */
function beginning(server: Server, options: OwnOptions) {
  const { role, setup = [], readOnly } = options;
  const { limitMs: usualMs, isLong } = statementLimit(server.limits, readOnly ? "readMs" : "writeMs");
  const limitMs = options.limitMs ?? usualMs;
  const asksPid = server.isPooled && isLong;
  const begin = [
    readOnly ? "BEGIN READ ONLY" : "BEGIN",
    `SET LOCAL statement_timeout = ${limitMs}`,
    `SET LOCAL idle_in_transaction_session_timeout = ${server.limits.idleMs}`,
    // The session may have the shorter limit of a statement outside a transaction.
    `SET LOCAL lock_timeout = ${isLong ? 0 : server.limits.lockMs}`,
  ];
  // On a cluster the coordinator enforces the limits. When it gives a statement up, it cancels it
  // on the workers.
  if (role !== undefined && server.isCluster)
    return { limitMs, asksPid: false, messages: [begin.join("; "), ...beginOnCluster(role, setup)] };
  const becoming = role === undefined ? [] : [`SET LOCAL ROLE ${role}`];
  // The process id is asked for after the setup: a query fixes the transaction's snapshot, after
  // which the setup could not set its isolation level.
  const messages = [[...begin, ...setup, ...(asksPid ? [PID] : []), ...becoming].join("; ")];
  return { limitMs, asksPid, messages };
}

const PID = "SELECT pg_backend_pid() AS pid";

function pidIn(answer: { rows: unknown[] } | undefined): number | undefined {
  const [row] = (answer?.rows ?? []) as { pid?: number }[];
  return row?.pid;
}

/**
 * Begins a transaction and returns the functions that run its statements. None is sent after the
 * transaction's end was sent.
 */
function beginOn(server: Server, connection: Connection, options: OwnOptions) {
  const { readOnly, prepares, role } = options;
  const { watch } = connection;
  const { limitMs, asksPid, messages } = beginning(server, options);
  let isActing = role !== undefined;
  let failed: { error: unknown; isCommit: boolean } | undefined;
  let isOver = false;
  let ended: Promise<unknown> | undefined;
  let isCommitSent = false;
  const send = <R>(text: string, values?: readonly unknown[], execute: ExecuteOptions = {}) => {
    const { prepare, ...others } = execute;
    const answer = runOn<R>(server, connection, text, values, { ...(prepares ? execute : others), readOnly, limitMs });
    // Handles the error here as well. After another statement has failed, no caller may be left
    // that awaits this one, and an unhandled rejection would end the process.
    answer.catch((error: unknown) => {
      failed ??= { error, isCommit: text === COMMIT };
    });
    return answer;
  };
  const sendAll = (texts: readonly string[]) => {
    const answers = Promise.all(texts.map((text) => send(text)));
    // Handles the error here too, because no caller may be left that awaits the end of a
    // transaction that has failed.
    answers.catch(() => undefined);
    return answers;
  };
  const begun = sendAll(messages);
  if (asksPid)
    begun.then(
      ([first]) => {
        watch.pid = pidIn(first);
      },
      () => undefined,
    );
  const commit = () => {
    isOver = true;
    isCommitSent ||= connection.lost() === undefined;
    // A read-only transaction is not committed in two phases, so it need not end as the login.
    const asLogin = isActing && server.isCluster && !readOnly ? END_ROLE_ON_CLUSTER : [];
    ended ??= sendAll([...asLogin, COMMIT]);
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
      // The statement would run as the service's own role, or in the transaction of the next caller
      // that has the connection.
      if (isOver) throw new Error("The transaction of this statement has ended.");
      const answer = send<R>(text, values, execute);
      if (execute?.last) void commit();
      return after(begun, answer);
    },
    rollBack: () => {
      isOver = true;
      const text = "ROLLBACK";
      return watch.expect(connection.client.query(text), server.limits.rollbackMs, text);
    },
    /** Forgets the server process: behind a pooler the next transaction may have another. */
    forgetPid: () => {
      if (asksPid) watch.pid = undefined;
    },
    // When a statement fails, the statements sent after it fail too, and chance decides which error
    // the caller sees first.
    causeOf: (error: unknown) => (failed && isConsequence(error) ? failed.error : error),
    /** Returns whether the server may have committed without confirming it. */
    isUnconfirmed: () => isCommitSent && failed !== undefined && hasNoVerdict(failed.error, failed.isCommit),
  };
}

/** Returns whether, after this error, the server may or may not have run the statement. */
function hasNoVerdict(error: unknown, isCommit: boolean): boolean {
  const state = sqlState(error);
  if (error instanceof RolledBack) return false;
  // An error that answers a statement before COMMIT proves that nothing is committed. An error that
  // answers COMMIT itself may come after the commit.
  if (state !== undefined) return isCommit && isConnectionLost(error) && !/^25/.test(state);
  return isConnectionLost(error);
}

/**
 * Returns whether a statement may have failed only because an earlier one in its transaction
 * failed, so that it was not even prepared.
 */
function isConsequence(error: unknown): boolean {
  if (error instanceof RolledBack) return true;
  const state = sqlState(error);
  return state === SQLSTATE.abortedTransaction || state === SQLSTATE.unknownStatement;
}

/** Returns a statement's answer once the messages that begin the transaction have succeeded. */
async function after<T>(begun: Promise<unknown>, answer: Promise<T>): Promise<T> {
  await Promise.all([begun, answer]);
  return answer;
}
