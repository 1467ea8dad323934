import { setTimeout } from "node:timers/promises";
import { AppError } from "../../../base/errors.ts";
import { beginOnCluster, END_ROLE_ON_CLUSTER } from "../../citus/acting.ts";
import { isSchemaInUse } from "../../control/agents.ts";
import type { Database, SqlExecutor, TransactionExecutor } from "../../database.ts";
import { isRoleRefused, SQLSTATE, sqlState } from "../../pg-error.ts";
import { countChange } from "./generations.ts";
import { lacksRights } from "./lacking-rights.ts";
import { type RoleName, type SchemaName, unquoted } from "./schema-name.ts";

/** The location of one agent's memory: its schema, and the role that may access it. */
export interface AgentSpace {
  readonly schema: SchemaName;
  readonly role: RoleName;
}

export interface AgentReads extends SqlExecutor {
  readonly schema: SchemaName;
}

export interface AgentTransaction extends AgentReads {
  /**
   * Ends the agent's role for the rest of the transaction and returns it as the service's own role,
   * for the pg-boss insert and the control schema. Call it last: no statement on the agent's tables
   * may follow. It also invalidates the cached answers of the agent, because the transaction has
   * written.
   */
  asService(): Promise<SqlExecutor>;
}

/**
 * The most attempts. Eight batches that create and delete the same files over and over needed five.
 * Each further attempt begins after a random pause.
 */
const MAX_ATTEMPTS = 10;
const MAX_PAUSE_MS = 40;

/**
 * Runs `fn` in a transaction on an agent's schema; the only way to reach that schema. Every
 * statement of `fn` runs as the agent's role, which owns nothing and sees no schema but its own, so
 * a wrong schema name or an injected expression ends in "permission denied". COMMIT and ROLLBACK
 * undo SET LOCAL, so it is safe on pooled connections.
 *
 * `fn` runs again if Postgres ended this transaction to break a deadlock with a concurrent write,
 * or if the index that it read was replaced meanwhile. So `fn` must have no effect outside the
 * transaction.
 *
 * @throws AppError `agent_not_found` when the agent was erased since it was looked up
 */
export function withAgentTransaction<T>(
  db: Database,
  agent: AgentSpace,
  fn: (tx: AgentTransaction) => Promise<T>,
): Promise<T> {
  const options = { agent: agent.schema, role: agent.role, setup: [OWN_PATH] };
  return again(db, agent, (prepares) => db.transaction((tx) => fn(asAgent(tx, agent)), { ...options, prepares }));
}

/**
 * Runs `fn` in a transaction that only reads. `fn` may send several statements at once; BEGIN is
 * sent with the first. If the role is refused, no statement returns a result.
 *
 * @param setup statements without values that are sent with BEGIN
 */
export function withAgentReads<T>(
  db: Database,
  agent: AgentSpace,
  fn: (tx: AgentReads) => Promise<T>,
  setup: readonly string[] = [],
): Promise<T> {
  const options = { agent: agent.schema, role: agent.role, setup: [OWN_PATH, ...setup] };
  return again(db, agent, (prepares) =>
    db.transaction(({ executeSql }) => fn({ executeSql, schema: agent.schema }), {
      ...options,
      readOnly: true,
      prepares,
    }),
  );
}

/**
 * Runs `fn` as the role of another agent, for writes that must be committed together with the first
 * agent's writes. The caller must not send other statements meanwhile.
 */
export async function asOtherAgent<T>(
  tx: AgentReads,
  { own, other }: { own: AgentSpace; other: AgentSpace },
  fn: (tx: AgentReads) => Promise<T>,
): Promise<T> {
  await actAs(tx, other);
  const result = await fn({ executeSql: tx.executeSql, isCluster: tx.isCluster, schema: other.schema });
  await actAs(tx, own);
  return result;
}

async function actAs(tx: AgentReads, { role }: AgentSpace): Promise<void> {
  for (const statement of becoming(tx, role)) await tx.executeSql(statement);
}

function becoming({ isCluster }: SqlExecutor, role: string): string[] {
  return isCluster ? beginOnCluster(role, [OWN_PATH]) : [`${OWN_PATH}; SET LOCAL ROLE ${role}`];
}

/**
 * Runs one statement as the agent's role after its transaction has become the service's. On a
 * cluster, the service's role has no rights on a worker. All statements are sent at once, so that
 * no other statement can come in between.
 *
 * @param fn must send its statement before it awaits anything
 */
export async function onceAsAgent<T>(
  sql: SqlExecutor,
  { role }: Pick<AgentSpace, "role">,
  fn: (sql: SqlExecutor) => Promise<T>,
): Promise<T> {
  const before = becoming(sql, role).map((statement) => sql.executeSql(statement));
  const done = fn(sql);
  const after = (sql.isCluster ? END_ROLE_ON_CLUSTER : ["SET LOCAL ROLE NONE"]).map((one) => sql.executeSql(one));
  const [result] = await Promise.all([done, ...before, ...after]);
  return result;
}

/**
 * A setup statement for prepared statements whose best plan is the same for all values. It forces a
 * generic plan; otherwise Postgres would plan some of them again at each execution.
 */
export const GENERIC_PLAN = "SET LOCAL plan_cache_mode = force_generic_plan";

/**
 * Resets the search path to the login's, so that names of types and operators are resolved the same
 * way even if an earlier statement of the connection has set another path.
 */
const OWN_PATH = "SET LOCAL search_path TO DEFAULT";

async function again<T>(db: Database, agent: AgentSpace, attemptOnce: (prepares: boolean) => Promise<T>): Promise<T> {
  let prepares = true;
  for (let attempt = 1; ; attempt++) {
    try {
      return await attemptOnce(prepares);
    } catch (error) {
      const state = sqlState(error);
      if (await isGone(db, agent, error)) throw new AppError("agent_not_found", "This agent no longer exists.");
      if (REFUSED.has(state) && (attempt === MAX_ATTEMPTS || !isRoleRefused(error)) && (await lacksRights(db, agent)))
        throw withoutRights(error);
      const isLost = state === SQLSTATE.unknownStatement || state === SQLSTATE.duplicateStatement;
      // Behind a pooler, the next connection may also lack its prepared statements.
      prepares &&= !isLost;
      // A missing table belongs to a generation that was replaced after `fn` asked which one is
      // active.
      const passing =
        state === SQLSTATE.deadlockDetected ||
        state === SQLSTATE.serializationFailure ||
        isRoleRefused(error) ||
        isLost ||
        state === SQLSTATE.undefinedTable;
      if (!passing) throw error;
      if (attempt === MAX_ATTEMPTS) throw tooBusy(error);
      await setTimeout(Math.random() * MAX_PAUSE_MS);
    }
  }
}

/**
 * Returns the error to report after the last attempt. A conflict after ten attempts is due to load.
 * A table that is still missing is a fault.
 */
function tooBusy(cause: unknown): unknown {
  if (sqlState(cause) === SQLSTATE.undefinedTable || isRoleRefused(cause)) return cause;
  return new AppError("database_busy", "Too many requests write these files at once. Try again in a moment.", {
    cause,
  });
}

/** The errors of a statement when the agent's role does not exist or lacks a right. */
const REFUSED: ReadonlySet<string | undefined> = new Set([
  SQLSTATE.insufficientPrivilege,
  SQLSTATE.invalidParameterValue,
]);

/** Returns the error of an agent whose role or rights are missing, as after a restore without roles. */
function withoutRights(cause: unknown): AppError {
  return new AppError(
    "database_unavailable",
    "The database has no role with rights on this agent's schema, as after a restore without roles. The operator runs `recollect migrate --roles`; `recollect doctor` says whether that is enough.",
    { cause },
  );
}

/**
 * The errors of a statement when the schema or the role was dropped after the agent was looked up.
 */
const MISSING: ReadonlySet<string | undefined> = new Set([
  SQLSTATE.undefinedTable,
  SQLSTATE.invalidSchemaName,
  SQLSTATE.invalidParameterValue,
]);

/**
 * Returns whether an error is due to the agent's erasure. A missing table of an agent that exists
 * is a fault and must be reported as one.
 */
export async function isGone(db: Database, agent: AgentSpace, error: unknown): Promise<boolean> {
  return MISSING.has(sqlState(error)) && !(await isSchemaInUse(db, unquoted(agent.schema)));
}

function asAgent(tx: TransactionExecutor, agent: AgentSpace): AgentTransaction {
  return {
    schema: agent.schema,
    executeSql: tx.executeSql,
    isCluster: tx.isCluster,
    asService: async () => {
      await tx.endRole(countChange(agent.schema));
      return tx;
    },
  };
}
