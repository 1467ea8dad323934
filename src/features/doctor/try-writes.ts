import { AppError } from "../../base/errors.ts";
import { insertChunks } from "../../db/agent/chunks/insert-chunks.ts";
import { upsertFiles } from "../../db/agent/files/files.ts";
import { withAgentTransaction } from "../../db/agent/schema/agent-transaction.ts";
import { liveGenerations } from "../../db/agent/schema/generations.ts";
import { roleName, schemaName } from "../../db/agent/schema/schema-name.ts";
import { type AgentOfWorker, oneAgentOfEachWorker, type WorkerState } from "../../db/citus/inspect-cluster.ts";
import type { Database } from "../../db/database.ts";
import { type AgentMigration, newestVersion } from "../../db/migrate/agent.ts";
import { sqlState } from "../../db/pg-error.ts";
import type { Trouble } from "../../db/pgvector-version.ts";

const PATH = "recollect-doctor.md";
const HASH = "0".repeat(64);

class TakenBack extends Error {}

const isErased = (error: Error) => error instanceof AppError && error.code === "agent_not_found";

/**
 * Tries to write a file with one chunk and its vector as an agent of each worker of a cluster, and
 * rolls it back. Citus refuses some statements that a single Postgres runs; then every write of
 * every agent fails while reads still work.
 *
 * @param answering the workers to try
 */
export async function tryWrites(
  db: Database,
  answering: readonly WorkerState[],
  { migrations, now }: { migrations: readonly AgentMigration[]; now: Date },
): Promise<Trouble[]> {
  const troubles: Trouble[] = [];
  for (const sample of await oneAgentOfEachWorker(db, newestVersion(migrations).schemaVersion)) {
    if (!answering.some(({ host, port }) => host === sample.host && port === sample.port)) continue;
    const error = await tryWrite(db, sample, now);
    if (error) troubles.push(troubleOf(sample, error));
  }
  return troubles;
}

async function tryWrite(db: Database, sample: AgentOfWorker, now: Date): Promise<Error | undefined> {
  const space = { schema: schemaName(sample.schemaName), role: roleName(sample.roleName) };
  const writing = withAgentTransaction(db, space, async (tx) => {
    const { active } = await liveGenerations(tx, space.schema);
    if (!active) throw new TakenBack();
    const file = {
      path: PATH,
      content: "A trial.",
      hash: HASH,
      size: 8,
      lines: 1,
      mtime: now,
      day: undefined,
      by: "doctor",
    };
    const stamp = { generationId: active.id, now };
    const [stored] = await upsertFiles(tx, space.schema, [{ ...file, origin: null, original: null }], stamp);
    if (!stored) throw new TakenBack();
    const place = { ordinal: 0, startLine: 1, endLine: 1, firstMessage: null, lastMessage: null };
    const text = { heading: "", text: "A trial.", hash: HASH, words: "A trial.", terms: "", language: active.language };
    const vectors = new Map(active.dimensions === null ? [] : [[HASH, new Float32Array(active.dimensions).fill(1)]]);
    await insertChunks(tx, space.schema, active, [{ ...place, ...text, owner: { fileId: stored.id } }], vectors);
    throw new TakenBack();
  });
  return writing.catch((error: Error) => (error instanceof TakenBack || isErased(error) ? undefined : error));
}

function troubleOf({ host, port }: AgentOfWorker, error: Error): Trouble {
  const state = sqlState(error);
  return {
    what: `A trial write of an agent on the worker ${host}:${port} failed${state === undefined ? "" : ` with SQLSTATE ${state}`}: ${error.message}`,
    remedy: "Look at the log of that server and of the coordinator, then see docs/CITUS.md.",
  };
}
