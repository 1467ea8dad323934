import { signatureOf } from "../../agents/access.ts";
import { AppError } from "../../base/errors.ts";
import { deleteFacts } from "../../db/agent/facts/fact-upkeep.ts";
import { lockOutWriters } from "../../db/agent/files/files.ts";
import {
  type FactDifference,
  type FileDifference,
  factsSince,
  filesSince,
  putFactsBack,
  textsOfVersions,
} from "../../db/agent/history/snapshot-states.ts";
import type { SnapshotRow } from "../../db/agent/history/snapshots.ts";
import { type AgentReads, type AgentTransaction, withAgentReads } from "../../db/agent/space/agent-transaction.ts";
import type { Generation } from "../../db/agent/space/generations.ts";
import { findKnownAgent } from "../agent/find-agent.ts";
import type { Caller } from "../core/core-deps.ts";
import { findReplay, recordAnswer } from "../core/idempotency.ts";
import type { KnownAgent } from "../core/known-agent.ts";
import { type FactIndex, MemoryMoved, prepareFactIndex, storeFactIndex } from "../facts/rewrite-facts.ts";
import type { FileDeps } from "../files/file-deps.ts";
import type { Alongside } from "../files/write-batch.ts";
import { writeChecked } from "../files/write-files.ts";
import { audit, noteSnapshot, requireSnapshot, snapshotNotFound } from "./snapshots.ts";

/** What one rollback may change: it is one transaction, and is prepared in memory. */
const MAX_FILES = 20_000;
const MAX_FACTS = 20_000;
const MAX_BYTES = 64_000_000;
/** A write between the look and the lock makes it look again. */
const MAX_ATTEMPTS = 10;
/** How long the snapshot from before a rollback is kept. */
const UNDO_DAYS = 30;
const DAY_MS = 86_400_000;
/** Names of each kind in an answer. */
const SHOWN = 1000;

/** How an agent's memory differs from a snapshot of it: paths and ids of facts, at most 1,000 of each kind, and how many there are. */
export interface Difference {
  files: { added: string[]; changed: string[]; removed: string[]; lost: string[]; total: number };
  facts: { added: string[]; changed: string[]; removed: string[]; total: number };
}

interface Plan {
  snapshot: SnapshotRow;
  files: FileDifference[];
  facts: FactDifference[];
}

/**
 * What is otherwise now than in a snapshot: `added` is what the snapshot did not have, `removed` what is gone since. `lost`: files that
 * have changed since and whose versions were forgotten; a rollback leaves them.
 *
 * @throws AppError `snapshot_not_found`, `rollback_too_large`
 */
export async function compareSnapshot(
  deps: FileDeps,
  caller: Caller,
  agentId: string,
  name: string,
): Promise<Difference> {
  const agent = await findKnownAgent(deps, caller, "agent:read", agentId);
  if (!agent) throw snapshotNotFound();
  return describe(await withAgentReads(deps.db, agent, (tx) => look(tx, agent, name, deps.clock())));
}

/**
 * Makes an agent's files and facts what they were when a snapshot was taken, all or nothing. First it takes another snapshot, by which
 * the rollback can be undone. Sessions stay: they are a record of what was said. So do files of the server's folders. No text whose
 * embedding is cached is embedded again.
 *
 * @throws AppError `snapshot_not_found`, `rollback_too_large`, `quota_exceeded`, `forbidden`
 */
export async function rollBack(
  deps: FileDeps,
  caller: Caller,
  agentId: string,
  name: string,
): Promise<Difference & { undo: string }> {
  const agent = await findKnownAgent(deps, caller, "tenant", agentId);
  if (!agent) throw snapshotNotFound();
  const earlier = await findReplay<Difference & { undo: string }>(deps, caller);
  if (earlier) return earlier;
  const by = { ...caller, via: "rollback", once: undefined };
  for (let attempt = 1; ; attempt++) {
    const { plan, texts } = await withAgentReads(deps.db, agent, async (tx) => {
      const plan = await look(tx, agent, name, deps.clock());
      const versions = plan.files.flatMap(({ version }) => version ?? []);
      return { plan, texts: await textsOfVersions(tx, agent.schema, versions) };
    });
    const put = plan.files.flatMap(({ path, version }) => {
      const text = texts.get(version ?? "");
      return text ? [{ path, ...text, original: text.original ?? undefined }] : [];
    });
    const toDelete = plan.files.flatMap(({ path, kind }) => (kind === "added" ? [path] : []));
    const undo = `before-rollback-${deps.clock().toISOString().toLowerCase().replace(/[:.]/g, "")}`;
    const answer = { ...describe(plan), undo };
    const index = await prepareFactIndex(deps, agent, plan.facts.filter(isBack));
    const alongside: Alongside = {
      begin: async (tx) => {
        await lockOutWriters(tx, agent.schema);
        const now = await look(tx, agent, name, deps.clock());
        if (JSON.stringify(now) !== JSON.stringify(plan)) throw new MemoryMoved();
        const expiresAt = new Date(deps.clock().getTime() + UNDO_DAYS * DAY_MS);
        await noteSnapshot(deps, tx, by, { name: undo, expiresAt });
      },
      write: (tx, live) => writeFacts(deps, by, agent, tx, { plan, index, live }),
      conclude: async (service) => {
        await recordAnswer(deps, caller, service, agentId, answer);
        const [files, facts] = [plan.files.length, plan.facts.length];
        await audit(deps, service, agent, caller, "snapshot.rollback", { name, undo, files, facts });
      },
    };
    try {
      await writeChecked(deps, by, agent, { put, delete: toDelete, alongside });
      return answer;
    } catch (error) {
      if (!(error instanceof MemoryMoved)) throw error;
      if (attempt === MAX_ATTEMPTS) throw busy();
    }
  }
}

/** @throws AppError `snapshot_not_found`, `rollback_too_large` */
async function look(tx: AgentReads, agent: KnownAgent, name: string, now: Date): Promise<Plan> {
  const snapshot = await requireSnapshot(tx, agent, name, now);
  const files = await filesSince(tx, agent.schema, snapshot, MAX_FILES + 1);
  const facts = await factsSince(tx, agent.schema, snapshot, MAX_FACTS + 1);
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  if (files.length > MAX_FILES || facts.length > MAX_FACTS || bytes > MAX_BYTES)
    throw new AppError(
      "rollback_too_large",
      `More than ${MAX_FILES} files, ${MAX_FACTS} facts or ${MAX_BYTES} bytes have changed since. Restore the files that matter by themselves.`,
    );
  return { snapshot, files, facts };
}

/** Whether the snapshot had it. */
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
  if (gone.length > 0) await deleteFacts(tx, schema, goneIds, { kind: "withdrawn", ...stamp });
  await putFactsBack(
    tx,
    schema,
    back.flatMap(({ was }) => was ?? []),
    stamp,
  );
  const pending = await storeFactIndex(tx, given.live, given.index, ids);
  const created = back.filter(({ kind }) => kind === "removed");
  const bytes = sum(created) - sum(gone);
  const facts_ = created.length - gone.length;
  return { added: { files: 0, bytes, chunks: facts_, facts: facts_ }, pending };
}

function sum(facts: readonly FactDifference[]): number {
  return facts.reduce((total, { bytes }) => total + bytes, 0);
}

function describe({ files, facts }: Plan): Difference {
  const paths = (kind: FileDifference["kind"]) =>
    files.flatMap((one) => (one.kind === kind ? [one.path] : [])).slice(0, SHOWN);
  const ids = (kind: FactDifference["kind"]) =>
    facts.flatMap((one) => (one.kind === kind ? [one.id] : [])).slice(0, SHOWN);
  return {
    files: {
      ...{ added: paths("added"), changed: paths("changed"), removed: paths("removed"), lost: paths("lost") },
      total: files.length,
    },
    facts: { added: ids("added"), changed: ids("changed"), removed: ids("removed"), total: facts.length },
  };
}

/** The error for an agent that moves at each attempt. */
export function busy(): AppError {
  return new AppError("database_busy", "The agent is written to all the time. Try again in a moment.");
}
