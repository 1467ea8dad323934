import { AppError } from "../base/errors.ts";
import { beginOnCluster, END_ROLE_ON_CLUSTER, MARK_COMMIT } from "./citus/acting.ts";
import type { ExecuteOptions, TransactionExecutor, TransactionOptions } from "./database.ts";
import type { Connection } from "./pg-connections.ts";
import { isConnectionLost, isRoleRefused, SQLSTATE, sqlState } from "./pg-error.ts";
import { statementLimit } from "./pg-limits.ts";
import {
  COMMIT,
  holding,
  isStatementLost,
  noteLost,
  RolledBack,
  runOn,
  type Server,
  takeConnection,
} from "./pg-statement.ts";

/** A transaction, or one statement outside of any that a pooler is given as one. */
export interface OwnOptions extends TransactionOptions {
  /** It may be repeated, so its outcome need not be known. */
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
    // The node may have been put aside while this waited for a connection.
    visit?.check();
  } catch (error) {
    connection.release();
    throw error;
  }
  visit?.begin(() => connection.watch.giveUp());
  const sent = beginOn(server, connection, options);
  const { begun, executeSql, endRole, commit, rollBack } = sent;
  const held = { isOpen: true };
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
      () => release(),
      // It must not go back with its transaction open.
      (error: Error) => release(error instanceof RolledBack ? undefined : error),
    );
    return result;
  } catch (error) {
    const cause = sent.causeOf(error);
    if (isStatementLost(cause)) noteLost(server, connection);
    if (server.isCluster) server.nodes.note(cause);
    const lost = await rollBack().then(
      // Its server process would go on refusing.
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

/** The messages that a transaction begins with, and how long a statement of it may take. The limits cost no round trip of their own. */
function beginning(server: Server, options: OwnOptions) {
  const { role, setup = [], readOnly } = options;
  const { limitMs: usualMs, isLong } = statementLimit(server.limits, readOnly ? "readMs" : "writeMs");
  const limitMs = options.limitMs ?? usualMs;
  const asksPid = server.isPooled && isLong;
  const begin = [
    readOnly ? "BEGIN READ ONLY" : "BEGIN",
    `SET LOCAL statement_timeout = ${limitMs}`,
    `SET LOCAL idle_in_transaction_session_timeout = ${server.limits.idleMs}`,
    ...(isLong ? [] : [`SET LOCAL lock_timeout = ${server.limits.lockMs}`]),
  ];
  // On a cluster the limits are the coordinator's, which cancels at its workers what it gives up.
  if (role !== undefined && server.isCluster)
    return { limitMs, asksPid: false, messages: [begin.join("; "), ...beginOnCluster(role, setup)] };
  const becoming = role === undefined ? [] : [`SET LOCAL ROLE ${role}`];
  // Asked after the setup: a question takes the moment that the transaction sees, and then nothing may set its isolation.
  const messages = [[...begin, ...setup, ...(asksPid ? [PID] : []), ...becoming].join("; ")];
  return { limitMs, asksPid, messages };
}

const PID = "SELECT pg_backend_pid() AS pid";

function pidIn(answer: { rows: unknown[] } | undefined): number | undefined {
  const [row] = (answer?.rows ?? []) as { pid?: number }[];
  return row?.pid;
}

/** The statements of a transaction, of which none is sent once its end has been. */
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
    // Heard of here as well: when another has failed nobody may be left who waits for it, which would end the process.
    answer.catch((error: unknown) => {
      failed ??= { error, isCommit: text === COMMIT };
    });
    return answer;
  };
  const sendAll = (texts: readonly string[]) => {
    const answers = Promise.all(texts.map((text) => send(text)));
    // As above: nobody may wait for the end of a transaction that has failed.
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
    // What only reads is not committed in two phases.
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
      // It would run as the service's own role, or in the transaction of whoever has the client by then.
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
    /** The next transaction has another process of the server. */
    forgetPid: () => {
      if (asksPid) watch.pid = undefined;
    },
    // What was sent behind a statement that fails does too, and which of them is heard of first is chance.
    causeOf: (error: unknown) => (failed && isConsequence(error) ? failed.error : error),
    /** Whether the server may have committed, although it did not say so. */
    isUnconfirmed: () => isCommitSent && failed !== undefined && hasNoVerdict(failed.error, failed.isCommit),
  };
}

/** Whether a failure leaves open if the server has run what it was sent. */
function hasNoVerdict(error: unknown, isCommit: boolean): boolean {
  const state = sqlState(error);
  if (error instanceof RolledBack) return false;
  // An answer to a statement before COMMIT says that nothing is committed. One to COMMIT itself may come after the commit.
  if (state !== undefined) return isCommit && isConnectionLost(error) && !/^25/.test(state);
  return isConnectionLost(error);
}

/** Whether a statement may have failed only because one before it in its transaction did: then it was not even prepared. */
function isConsequence(error: unknown): boolean {
  if (error instanceof RolledBack) return true;
  const state = sqlState(error);
  return state === SQLSTATE.abortedTransaction || state === SQLSTATE.unknownStatement;
}

/** What a statement answers, once what was sent before it has succeeded. */
async function after<T>(begun: Promise<unknown>, answer: Promise<T>): Promise<T> {
  await Promise.all([begun, answer]);
  return answer;
}
