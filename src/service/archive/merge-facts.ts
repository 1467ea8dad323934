import { AppError } from "../../base/errors.ts";
import { restoreSupersessions } from "../../db/agent/archive/archive-write.ts";
import { applyFactStates, factsByKey, type KeyedFact, readState } from "../../db/agent/archive/branch-base.ts";
import { deleteFacts } from "../../db/agent/facts/fact-upkeep.ts";
import { type FactWrite, insertFacts, lockFacts } from "../../db/agent/facts/facts.ts";
import { shelvePastFacts } from "../../db/agent/facts/past-facts.ts";
import { type AgentTransaction, withAgentReads } from "../../db/agent/space/agent-transaction.ts";
import { type Generation, liveGenerations, textLanguages } from "../../db/agent/space/generations.ts";
import { factHash } from "../../ingest/fact-text.ts";
import { EMBED_JOB } from "../../queue/job-contracts.ts";
import type { KnownAgent } from "../core/known-agent.ts";
import type { Deps } from "../deps.ts";
import { cachedEmbeddings } from "../embedding/embedder-for.ts";
import type { PreparedChunk } from "../files/prepared-file.ts";
import { replaceChunks } from "../files/store-chunks.ts";
import type { AlsoWrites } from "../files/write-batch.ts";
import type { Difference } from "./compare-agents.ts";

interface FactMerge {
  branch: KnownAgent;
  target: KnownAgent;
  facts: readonly Difference[];
}

/** What is known before the transaction. */
interface Ready extends FactMerge {
  /** By key, as the branch has them. */
  known: ReadonlyMap<string, KeyedFact>;
  /** New ones, in order, with their chunks and the vectors that are known. */
  fresh: readonly KeyedFact[];
  chunks: readonly PreparedChunk[];
  cached: ReadonlyMap<string, Float32Array>;
}

/** Reads and indexes what is taken, and returns what writes it in a transaction of the target. */
export async function prepareFactMerge(deps: Deps, { branch, target, facts }: FactMerge): Promise<AlsoWrites> {
  const keys = facts.flatMap(({ key, mine }) => (mine === undefined ? [] : [key]));
  const known = await withAgentReads(deps.db, branch, (tx) => factsByKey(tx, tx.schema, keys));
  if (known.size < keys.length) throw changed();
  const fresh = facts.flatMap(({ key, theirs }) => (theirs === undefined ? (known.get(key) ?? []) : []));
  const { active } = await withAgentReads(deps.db, target, (tx) => liveGenerations(tx, tx.schema));
  const texts = fresh.map(({ text, key }) => ({ text, key }));
  const languages = textLanguages(active);
  const chunks = fresh.length > 0 ? await deps.preparer.prepareFacts(target.tenantId, { facts: texts, languages }) : [];
  const hashes = chunks.map((chunk) => chunk.hash);
  const cached = active ? await cachedEmbeddings(deps, target, active, hashes) : new Map<string, Float32Array>();
  const ready = { branch, target, facts, known, fresh, chunks, cached };
  return (tx, generations) => writeMerged(deps, ready, tx, generations);
}

async function writeMerged(
  deps: Deps,
  ready: Ready,
  tx: AgentTransaction,
  generations: readonly Generation[],
): ReturnType<AlsoWrites> {
  const { facts, known, fresh, target } = ready;
  if (facts.length === 0) return { added: { bytes: 0, chunks: 0, facts: 0 }, conclude: async () => undefined };
  await lockFacts(tx, tx.schema);
  await requireUnchanged(tx, facts);
  const now = deps.clock();
  const there = await factsByKey(tx, tx.schema, facts.flatMap(({ key, theirs }) => (theirs === undefined ? [] : [key])));
  const gone = facts.flatMap(({ key, mine }) => (mine === undefined ? (there.get(key) ?? []) : []));
  await deleteFacts(tx, tx.schema, gone.map((fact) => fact.id));
  const ids = await insertFacts(tx, tx.schema, fresh.map(writeOf), now);
  const idOf = new Map([
    ...[...there].map(([key, fact]): [string, string] => [key, fact.id]),
    ...fresh.map((fact, index): [string, string] => [fact.stateKey, ids[index] ?? ""]),
  ]);
  const states = [...known.values()].map((fact) => ({ ...fact, id: idOf.get(fact.stateKey) ?? "" }));
  await applyFactStates(tx, tx.schema, states, now);
  await linkSuccessors(tx, states, idOf);
  const pending = await indexMerged(tx, generations, ready, ids);
  const over = states.filter((fact) => fact.validTo !== null).map((fact) => fact.id);
  for (const generation of generations) await shelvePastFacts(tx, tx.schema, generation, over);
  const bytes = (of: readonly KeyedFact[]) => of.reduce((sum, fact) => sum + Buffer.byteLength(fact.text), 0);
  const count = fresh.length - gone.length;
  const payload = { tenantId: target.tenantId, agentId: target.agentId };
  return {
    added: { bytes: bytes(fresh) - bytes(gone), chunks: count, facts: count },
    conclude: async (service) => {
      if (pending > 0) await deps.queue.send(service, EMBED_JOB, payload);
    },
  };
}

/** The new facts' chunks. @returns how many have no embedding yet */
async function indexMerged(
  tx: AgentTransaction,
  generations: readonly Generation[],
  { chunks, cached }: Ready,
  ids: readonly string[],
): Promise<number> {
  let pending = 0;
  for (const generation of generations) {
    const next = chunks.map((chunk, index) => ({ owner: { factId: ids[index] ?? "" }, old: [], next: [chunk] }));
    // What the cache has is of the index in use.
    const vectors = generation === generations[0] ? cached : new Map<string, Float32Array>();
    pending += (await replaceChunks(tx, generation, next, vectors)).pending.size;
  }
  return pending;
}

/** Says of facts that are over what took their place, as far as the target has it. */
async function linkSuccessors(
  tx: AgentTransaction,
  facts: readonly (KeyedFact & { id: string })[],
  idOf: ReadonlyMap<string, string>,
): Promise<void> {
  const others = facts.flatMap(({ supersededByKey }) =>
    supersededByKey === null || idOf.has(supersededByKey) ? [] : [supersededByKey],
  );
  const known = await factsByKey(tx, tx.schema, others);
  const links = facts.flatMap(({ id, supersededByKey }) => {
    const by = supersededByKey === null ? undefined : (idOf.get(supersededByKey) ?? known.get(supersededByKey)?.id);
    return by === undefined ? [] : [{ id, by }];
  });
  if (links.length > 0) await restoreSupersessions(tx, tx.schema, links);
}

/** @throws AppError `file_changed` when a fact is not as it was compared */
async function requireUnchanged(tx: AgentTransaction, facts: readonly Difference[]): Promise<void> {
  const now = new Map((await readState(tx, tx.schema)).flatMap(({ kind, key, hash }) => (kind === "fact" ? [[key, hash]] : [])));
  if (facts.some(({ key, theirs }) => now.get(key) !== theirs)) throw changed();
}

function changed(): AppError {
  return new AppError("file_changed", "One of the agents has changed while they were merged. Merge again.");
}

function writeOf(fact: KeyedFact): FactWrite {
  const { user, agent, session } = fact;
  return { ...fact, textHash: factHash(fact.text), scope: { user, agent, session } };
}
