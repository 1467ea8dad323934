import { setTimeout } from "node:timers/promises";
import { AppError } from "../../../base/errors.ts";
import { beginOnCluster, END_ROLE_ON_CLUSTER } from "../../citus/acting.ts";
import { isSchemaInUse } from "../../control/agents.ts";
import type { Database, SqlExecutor, TransactionExecutor } from "../../database.ts";
import { isRoleRefused, SQLSTATE, sqlState } from "../../pg-error.ts";
import { countChange } from "./generations.ts";
import { type RoleName, type SchemaName, unquoted } from "./schema-name.ts";

/** Where one agent's memory is: its schema and the role that may touch it. */
export interface AgentSpace {
  readonly schema: SchemaName;
  readonly role: RoleName;
}

export interface AgentReads extends SqlExecutor {
  readonly schema: SchemaName;
}

export interface AgentTransaction extends AgentReads {
  /**
   * Gives the rest of the transaction back to the service's own role and returns it, for the pg-boss insert and the
   * control schema. It comes last: no statement on the agent's tables may follow. The transaction has written, so remembered
   * answers of the agent are invalidated with it.
   */
  asService(): Promise<SqlExecutor>;
}

/** Eight batches that create and delete the same files over and over needed five; each try begins after a random pause. */
const MAX_ATTEMPTS = 10;
const MAX_PAUSE_MS = 40;

/**
 * The only door to an agent's schema. Every statement of `fn` runs as the agent's role, which owns nothing and sees no
 * schema but its own, so a wrong schema name or an injected expression ends in "permission denied". SET LOCAL is undone
 * by COMMIT and ROLLBACK, hence safe on pooled connections.
 *
 * `fn` runs again when Postgres broke a deadlock with a concurrent write by ending this one, or when the index that it read
 * was replaced meanwhile, so it must have no effect outside the transaction.
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
 * The same for `fn` that only reads. It may send several statements at once; BEGIN goes with the first. When the role is refused
 * no statement answers. `setup`, statements without values, is sent with BEGIN.
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
 * Runs `fn` as the role of another agent, for what must be committed with what the one is given. Nothing else is sent meanwhile.
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
 * Runs one statement as the agent's role where its transaction has become the service's, which on a cluster has no rights on a worker.
 * All is sent at once, so that a statement of somebody else cannot come in between.
 *
 * @param fn sends its statement before it waits for anything
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

/** Setup for prepared statements whose best plan is the same for all values: a generic plan, where Postgres would go on planning some of them each time. */
export const GENERIC_PLAN = "SET LOCAL plan_cache_mode = force_generic_plan";

/** Names of types and operators are found as the login finds them, whatever an earlier statement of the connection has set. */
const OWN_PATH = "SET LOCAL search_path TO DEFAULT";

async function again<T>(db: Database, agent: AgentSpace, attemptOnce: (prepares: boolean) => Promise<T>): Promise<T> {
  let prepares = true;
  for (let attempt = 1; ; attempt++) {
    try {
      return await attemptOnce(prepares);
    } catch (error) {
      const state = sqlState(error);
      if (await isGone(db, agent, error)) throw new AppError("agent_not_found", "This agent no longer exists.");
      const isLost = state === SQLSTATE.unknownStatement || state === SQLSTATE.duplicateStatement;
      // Behind a pooler the next connection may have lost its own.
      prepares &&= !isLost;
      // A table that is gone is that of a generation that was replaced since `fn` asked which one is in use.
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

/** A conflict after ten tries is due to load. A table that is still missing is a fault. */
function tooBusy(cause: unknown): unknown {
  if (sqlState(cause) === SQLSTATE.undefinedTable || isRoleRefused(cause)) return cause;
  return new AppError("database_busy", "Too many requests write these files at once. Try again in a moment.", {
    cause,
  });
}

/** What a statement meets when the schema or the role was dropped after the agent was looked up. */
const MISSING: ReadonlySet<string | undefined> = new Set([
  SQLSTATE.undefinedTable,
  SQLSTATE.invalidSchemaName,
  SQLSTATE.invalidParameterValue,
]);

/** Whether an error is due to the agent's erasure. A missing table of an agent that exists is a fault, and must be reported as one. */
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
