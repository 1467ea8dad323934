import { spawn } from "node:child_process";
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { systemClock } from "../base/clock.ts";
import { AppError } from "../base/errors.ts";
import type { RestoreReport, RestoreTask } from "../cli/shell/context.ts";
import type { Config } from "../config/config.ts";
import { unquoted } from "../db/agent/schema/schema-name.ts";
import { citusVersion } from "../db/citus/inspect-cluster.ts";
import { type AgentRow, findAgent, updateAgent } from "../db/control/agents.ts";
import { findTenantId } from "../db/control/tenants.ts";
import { type DumpConnection, openDumpConnection } from "../db/load-dump.ts";
import { loadAgentMigrations } from "../db/migrate/agent.ts";
import { requireControlSchema } from "../db/migrate/control.ts";
import { translateDatabaseError } from "../db/pg-error.ts";
import { restoreFromDump } from "../service/agent/restore-agent.ts";
import { spaceOf } from "../service/core/agent-profile.ts";

/** The first bytes of a file in pg_dump's custom format. */
const CUSTOM = "PGDMP";
const SHOWN_CHARS = 500;

/**
 * Runs `recollect agents restore`: restores one agent's memory from a dump, all or nothing. It
 * works on the database itself, as `migrate` does. The agent is disabled during the restore and
 * gets its former status back afterwards.
 *
 * @throws AppError `agent_not_found`, `tenant_not_found`, `invalid_request`, `config_invalid`; the
 *   errors of `requireControlSchema`
 */
export async function restoreAgent(config: Config, task: RestoreTask, input: AsyncIterable<Uint8Array>) {
  const connectionString = config.databaseDirectUrl ?? config.databaseUrl;
  if (connectionString === undefined)
    throw new AppError(
      "config_invalid",
      "Name the database in DATABASE_URL. An agent of an embedded database is restored from an archive: recollect agents import.",
    );
  let connection: DumpConnection | undefined;
  try {
    connection = await openDumpConnection(connectionString);
    return await restoreOn(connection, task, input);
  } catch (error) {
    throw translateDatabaseError(error);
  } finally {
    await connection?.close();
  }
}

async function restoreOn(
  sql: DumpConnection,
  task: RestoreTask,
  input: AsyncIterable<Uint8Array>,
): Promise<RestoreReport> {
  if ((await citusVersion(sql)) !== undefined)
    throw new AppError(
      "invalid_request",
      "On a Citus cluster restore an agent from an archive: recollect agents import.",
    );
  await requireControlSchema(sql);
  const tenantId = await findTenantId(sql, task.tenant);
  if (tenantId === undefined) throw new AppError("tenant_not_found", `There is no tenant ${task.tenant}.`);
  const row = await findAgent(sql, tenantId, task.agent);
  if (!row || (row.status !== "active" && row.status !== "disabled"))
    throw new AppError(
      "agent_not_found",
      `The tenant ${task.tenant ?? "default"} has no such agent; --tenant names another tenant. An erased agent is restored from an archive: recollect agents import.`,
    );
  const setStatus = (status: "active" | "disabled") => updateAgent(sql, row.tenantId, row.id, { status });
  await setStatus("disabled");
  try {
    await sql.executeSql("BEGIN");
    const load = async () => sql.load(await dumpOf(task.from, row, input), spaceOf(row).schema);
    const version = await restoreFromDump(sql, row, { migrations: loadAgentMigrations(), now: systemClock(), load });
    await setStatus(row.status);
    await sql.executeSql("COMMIT");
    return { agent: row.id, schemaVersion: version, enabled: row.status === "active" };
  } catch (error) {
    // If the connection is lost, the status cannot be set and the agent stays disabled. The
    // original error is thrown all the same, because it matters more.
    await sql.executeSql("ROLLBACK").then(
      () => setStatus(row.status as "active" | "disabled"),
      () => undefined,
    );
    throw error;
  }
}

/** Returns the SQL of a dump in either format. */
async function dumpOf(
  from: string,
  row: AgentRow,
  input: AsyncIterable<Uint8Array>,
): Promise<AsyncIterable<Uint8Array>> {
  if (from === "-") return input;
  const file = await open(from).catch((cause: { code?: string }) => {
    throw new AppError("invalid_request", `The dump ${from} cannot be read (${cause.code}).`, { cause });
  });
  const { buffer, bytesRead } = await file
    .read(Buffer.alloc(CUSTOM.length), 0, CUSTOM.length, 0)
    .finally(() => file.close());
  if (buffer.toString("latin1", 0, bytesRead) !== CUSTOM) return createReadStream(from);
  return unpacked(from, unquoted(spaceOf(row).schema));
}

/** Yields the agent's part of a dump in the custom format, which only `pg_restore` reads. */
async function* unpacked(from: string, schema: string): AsyncGenerator<Uint8Array> {
  const args = ["--no-owner", "--no-acl", "--no-comments", "--schema", schema, "--file", "-"];
  const child = spawn("pg_restore", args, { stdio: ["pipe", "pipe", "pipe"] });
  let told = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    told = (told + text).slice(0, SHOWN_CHARS);
  });
  const ended = new Promise<number | Error | null>((done) => child.on("error", done).on("close", done));
  child.stdin.on("error", () => undefined);
  createReadStream(from).pipe(child.stdin);
  yield* child.stdout;
  const outcome = await ended;
  if (outcome instanceof Error) throw noTool(schema, outcome);
  if (outcome !== 0)
    throw new AppError(
      "invalid_request",
      `pg_restore cannot read the dump: ${told.trim().replaceAll("\n", " ")}. pg_restore must have the version of the pg_dump that made the dump, or a newer one.`,
    );
}

function noTool(schema: string, cause: Error): AppError {
  return new AppError(
    "invalid_request",
    `A dump in the custom format needs pg_restore, which is not on this machine. Install Postgres's client tools, or pass the dump as SQL: pg_restore --no-owner --no-acl --no-comments --schema ${schema} --file - FILE | recollect agents restore ID --from - --yes.`,
    { cause },
  );
}
