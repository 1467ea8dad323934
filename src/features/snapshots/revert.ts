import { AppError } from "../../base/errors.ts";
import { deleteFacts } from "../../db/agent/facts/fact-upkeep.ts";
import { lockOutWriters } from "../../db/agent/files/files.ts";
import { type AgentReads, type AgentTransaction, withAgentReads } from "../../db/agent/schema/agent-transaction.ts";
import type { Generation } from "../../db/agent/schema/generations.ts";
import type { SqlExecutor } from "../../db/database.ts";
import type { Caller } from "../../service/core/core-deps.ts";
import type { KnownAgent } from "../../service/core/known-agent.ts";
import {
  type FactIndex,
  MemoryMoved,
  prepareFactIndex,
  storeFactIndex,
  untilUnmoved,
} from "../../service/facts/rewrite-facts.ts";
import type { FileDeps } from "../../service/files/file-deps.ts";
import { writeChecked } from "../../service/files/write-files.ts";
import { signatureOf } from "../../settings/access.ts";
import { isSharedPlace } from "../../settings/shared-paths.ts";
import {
  type Boundary,
  type FactDifference,
  type FileDifference,
  factsSince,
  filesSince,
  putFactsBack,
  textsOfVersions,
} from "./sql/snapshot-states.ts";

/**
 * The most files that one rollback may change; facts and bytes have limits too. A rollback is one
 * transaction and is prepared in memory.
 */
const MAX_FILES = 20_000;
const MAX_FACTS = 20_000;
const MAX_BYTES = 64_000_000;

/** The differences between an agent's memory now and at an earlier moment. */
export interface Plan {
  files: FileDifference[];
  facts: FactDifference[];
}

/** A moment to go back to, and further steps of the same transaction. */
export interface Reversion {
  /** Returns the moment. @throws AppError if there is no such moment */
  boundary(tx: AgentReads): Promise<Boundary>;
  /** Runs while writers are locked out, before anything is changed. */
  begin(tx: AgentTransaction): Promise<void>;
  /** Runs as the agent's role, after everything is changed. */
  end?(tx: AgentTransaction): Promise<void>;
  /** Runs as the service's role. */
  conclude(service: SqlExecutor, plan: Plan): Promise<void>;
}

/**
 * Restores an agent's files and facts to a moment, all or nothing. Sessions stay, and so do files
 * of the server's folders. A text whose embedding is cached is not embedded again.
 *
 * @param by the caller, for the history
 * @throws AppError `rollback_too_large`, `quota_exceeded`, `database_busy`
 */
export async function revert(deps: FileDeps, by: Caller, agent: KnownAgent, reversion: Reversion): Promise<Plan> {
  return untilUnmoved(async () => {
    const { plan, texts } = await withAgentReads(deps.db, agent, async (tx) => {
      const plan = await lookBack(tx, agent, await reversion.boundary(tx), true);
      const versions = plan.files.flatMap(({ version }) => version ?? []);
      return { plan, texts: await textsOfVersions(tx, agent.schema, versions) };
    });
    const put = plan.files.flatMap(({ path, version }) => {
      const text = texts.get(version ?? "");
      return text ? [{ path, ...text, original: text.original ?? undefined }] : [];
    });
    const toDelete = plan.files.flatMap(({ path, kind }) => (kind === "added" ? [path] : []));
    const index = await prepareFactIndex(deps, agent, plan.facts.filter(isBack));
    await writeChecked(deps, by, agent, {
      put,
      delete: toDelete,
      alongside: {
        begin: async (tx) => {
          await lockOutWriters(tx, agent.schema);
          const now = await lookBack(tx, agent, await reversion.boundary(tx), true);
          if (JSON.stringify(now) !== JSON.stringify(plan)) throw new MemoryMoved();
          await reversion.begin(tx);
        },
        write: async (tx, live) => {
          const written = await writeFacts(deps, by, agent, tx, { plan, index, live });
          await reversion.end?.(tx);
          return written;
        },
        conclude: (service) => reversion.conclude(service, plan),
      },
    });
    return plan;
  });
}

/**
 * Finds the differences between the memory now and at a moment.
 *
 * @param whole whether to read the texts and rows of facts, which a rollback needs
 * @throws AppError `rollback_too_large`
 */
export async function lookBack(tx: AgentReads, agent: KnownAgent, boundary: Boundary, whole: boolean): Promise<Plan> {
  const files = (await filesSince(tx, agent.schema, boundary, MAX_FILES + 1)).map(unlessReserved);
  const facts = await factsSince(tx, agent.schema, boundary, MAX_FACTS + 1, whole);
  const bytes = files.reduce((sum, { size }) => sum + size, 0) + sum(facts);
  if (files.length > MAX_FILES || facts.length > MAX_FACTS || bytes > MAX_BYTES)
    throw new AppError(
      "rollback_too_large",
      `More than ${MAX_FILES} files, ${MAX_FACTS} facts or ${MAX_BYTES} bytes have changed since. Restore the files that matter one by one.`,
    );
  return { files, facts };
}

/**
 * Marks a file as lost if its path is now reserved for shared memories. A rollback cannot write to
 * such a path, so the file stays unchanged.
 */
function unlessReserved(file: FileDifference): FileDifference {
  return file.version !== null && isSharedPlace(file.path) ? { ...file, kind: "lost", version: null } : file;
}

/** Returns whether the fact existed at that moment. */
function isBack({ was }: FactDifference): boolean {
  return was !== null;
}

async function writeFacts(
  deps: FileDeps,
  caller: Caller,
  agent: KnownAgent,
  tx: AgentTransaction,
  given: { plan: Plan; index: FactIndex; live: readonly Generation[] },
) {
  const { schema } = agent;
  const stamp = { now: deps.clock(), by: signatureOf(caller) };
  const { facts } = given.plan;
  const [gone, back] = [facts.filter((fact) => !isBack(fact)), facts.filter(isBack)];
  const goneIds = gone.map(({ id }) => id);
  const ids = back.map(({ id }) => id);
  await putFactsBack(
    tx,
    schema,
    back.flatMap(({ was }) => was ?? []),
    stamp,
  );
  // Facts are deleted only after the others are put back. Putting a fact back records its current
  // state, which names the fact that superseded it. If that fact were deleted first, the reference
  // would be null.
  if (gone.length > 0) await deleteFacts(tx, schema, goneIds, { kind: "withdrawn", ...stamp });
  const pending = await storeFactIndex(tx, given.live, given.index, ids);
  const created = back.filter(({ kind }) => kind === "removed");
  const bytes = sum(created) - sum(gone);
  const facts_ = created.length - gone.length;
  return { added: { files: 0, bytes, chunks: facts_, facts: facts_ }, pending };
}

function sum(facts: readonly FactDifference[]): number {
  return facts.reduce((total, { bytes }) => total + bytes, 0);
}
