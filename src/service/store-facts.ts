import { AppError } from "../base/errors.ts";
import { type AgentTransaction, withAgentReads, withAgentTransaction } from "../db/agent/agent-transaction.ts";
import { nearFacts, type RelatedFact, relatedFacts } from "../db/agent/fact-lookup.ts";
import {
  confirmFacts,
  type DecayClass,
  endFacts,
  type FactCategory,
  type FactScope,
  type FactSource,
  type FactWrite,
  insertFacts,
  lastStoredAt,
  lockFacts,
} from "../db/agent/facts.ts";
import { type Generation, liveGenerations } from "../db/agent/generations.ts";
import { shelvePastFacts } from "../db/agent/past-facts.ts";
import type { SqlExecutor } from "../db/database.ts";
import { factHash, normaliseFact, restates } from "../ingest/fact-text.ts";
import { type End, type Placement, planFacts } from "../ingest/plan-facts.ts";
import { inSpan } from "../observe/trace.ts";
import { EMBED_JOB, MAINTAIN_INDEX_JOB } from "../queue/job-contracts.ts";
import type { Caller, Deps } from "./deps.ts";
import { MAX_FACT_CHARS } from "./fact-schemas.ts";
import { embedFacts, type FactVectors } from "./fact-vectors.ts";
import { findOrCreateAgent, type KnownAgent } from "./find-agent.ts";
import type { PreparedChunk } from "./prepare-file.ts";
import { factNotFound, requireOpen } from "./present-fact.ts";
import { countUsage, takeQuota } from "./quota.ts";
import { replaceChunks } from "./store-chunks.ts";
import { earlierAnswer, noteAnswer } from "./write-once.ts";

/** A source without who stored it, which the service knows. */
type Unsigned<T> = T extends unknown ? Omit<T, "by"> : never;

export interface FactInput {
  /** At most 2,000 characters. */
  text: string;
  /** What it is about, such as `user.name`: within one scope the next fact with this key takes its place. */
  key?: string | undefined;
  category?: FactCategory | undefined;
  importance?: number | undefined;
  scope?: FactScope | undefined;
  tags?: readonly string[] | undefined;
  source?: Unsigned<FactSource> | undefined;
  decayClass?: DecayClass | undefined;
  validFrom?: Date | undefined;
  expiresAt?: Date | undefined;
  /** Ids of facts whose place it takes. */
  supersedes?: readonly string[] | undefined;
}

/** What became of a fact: `id` is its own, or that of the one that says the same already. */
export interface StoredFact {
  id: string;
  status: "stored" | "duplicate";
  /** Ids of the facts that it ended. */
  superseded: string[];
}

export interface StoreOptions {
  /** Whether texts are replaced rather than facts. */
  update?: boolean;
  /** What has to be written with them or not at all, as the agent's role. */
  alongside?: ((tx: AgentTransaction, stored: readonly StoredFact[]) => Promise<void>) | undefined;
  /** What has to be written with them as the service. */
  conclude?: ((service: SqlExecutor, stored: readonly StoredFact[]) => Promise<void>) | undefined;
}

const DEFAULT_IMPORTANCE = 0.5;

interface Prepared {
  write: FactWrite;
  /** Whether nobody has said from when on it holds. */
  beginsNow: boolean;
  supersedes: readonly string[];
  chunk: PreparedChunk;
}

/**
 * Stores facts, all or nothing, in the order given: durable, found by keyword, and by meaning too if the provider answers in
 * time. What is known already is not stored again; of facts with one key in one scope the latest holds, and the others stay
 * to be read. Two short transactions, the second of which writes; between them texts are analysed off the event loop, and the
 * provider is asked with nothing held.
 *
 * The second has at most 20 statements, however many facts: lock, clock, generations, two to compare, three to write, three for each
 * generation, the role, cache and usage of embeddings, two jobs, the counters (and two more for a tenant with limits).
 *
 * @throws AppError `invalid_request`, `fact_not_found`, `fact_superseded`, `quota_exceeded`
 */
export async function storeFacts(
  deps: Deps,
  caller: Caller,
  agent: KnownAgent,
  facts: readonly FactInput[],
  options: StoreOptions = {},
): Promise<StoredFact[]> {
  if (facts.length === 0) return [];
  const attributes = { "recollect.facts": facts.length };
  return inSpan("store_facts", { attributes }, () => store(deps, caller, agent, facts, options));
}

async function store(
  deps: Deps,
  caller: Caller,
  agent: KnownAgent,
  facts: readonly FactInput[],
  { update = false, ...more }: StoreOptions,
): Promise<StoredFact[]> {
  if (!agent.usageKnown) await countUsage(deps, agent);
  const writes = facts.map((fact) => toWrite(fact, caller, deps.clock()));
  const chunks = await deps.preparer.prepareFacts(writes.map((write) => write.text));
  const prepared = writes.map((write, index): Prepared => {
    const { validFrom, supersedes = [] } = facts[index] ?? {};
    return { write, supersedes, beginsNow: validFrom === undefined, chunk: chunks[index] as PreparedChunk };
  });
  const live = await withAgentReads(deps.db, agent, (tx) => liveGenerations(tx, agent.schema));
  const texts = new Map(chunks.map((chunk) => [chunk.hash, chunk.text]));
  // Those for an index that is being built are left to the job.
  const vectors = live.active && (await embedFacts(deps, caller, agent, live.active, texts));
  return withAgentTransaction(deps.db, agent, (tx) => commit(deps, agent, tx, prepared, { vectors, update, ...more }));
}

function toWrite(fact: FactInput, caller: Caller, now: Date): FactWrite {
  const text = normaliseFact(fact.text);
  if (text === "" || text.length > MAX_FACT_CHARS)
    throw new AppError("invalid_request", `A fact has 1 to ${MAX_FACT_CHARS} characters; send it in parts.`);
  const { validFrom = now, expiresAt = null } = fact;
  if (expiresAt !== null && expiresAt <= validFrom)
    throw new AppError("invalid_request", "A fact cannot expire before it holds; give a later expiresAt.");
  return {
    ...{ text, textHash: factHash(text), validFrom, expiresAt },
    key: fact.key?.normalize("NFC") ?? null,
    category: fact.category ?? "fact",
    importance: fact.importance ?? DEFAULT_IMPORTANCE,
    scope: fact.scope ?? {},
    tags: [...new Set(fact.tags)],
    source: { ...(fact.source ?? { kind: "call" }), by: caller.actor } as FactSource,
    decayClass: fact.decayClass ?? "stable",
  };
}

/** The same for an agent by its id, which a caller with the scope `tenant` makes on the way. @throws as `findOrCreateAgent` */
export async function addFacts(
  deps: Deps,
  caller: Caller,
  agentId: string,
  facts: readonly FactInput[],
): Promise<StoredFact[]> {
  const agent = await findOrCreateAgent(deps, caller, agentId);
  const earlier = await earlierAnswer<StoredFact[]>(deps, caller);
  if (earlier) return earlier;
  const conclude: StoreOptions["conclude"] = (service, stored) => noteAnswer(deps, caller, service, agentId, stored);
  return storeFacts(deps, caller, agent, facts, { conclude });
}

async function commit(
  deps: Deps,
  agent: KnownAgent,
  tx: AgentTransaction,
  given: readonly Prepared[],
  { vectors, update, alongside, conclude }: StoreOptions & { vectors: FactVectors | undefined; update: boolean },
): Promise<StoredFact[]> {
  const { schema } = agent;
  await lockFacts(tx, schema);
  // Processes' clocks differ: what is stored later must not seem to hold from earlier on.
  const now = new Date(Math.max(deps.clock().getTime(), (await lastStoredAt(tx, schema))?.getTime() ?? 0));
  const prepared = given.map((one) => (one.beginsNow ? { ...one, write: { ...one.write, validFrom: now } } : one));
  const { active, building } = await liveGenerations(tx, schema);
  const placements = await compare(agent, tx, prepared, { active, vectors, now, update });
  const fresh = prepared.flatMap((one, index) => {
    const placed = placements[index];
    return placed?.status === "stored" ? [{ ...one, write: { ...one.write, expiresAt: placed.fact.expiresAt } }] : [];
  });
  const writes = fresh.map((one) => one.write);
  const ids = await insertFacts(tx, schema, writes, now);
  const idOf = namer(placements, ids);
  const ended = endings(placements, idOf);
  await endFacts(tx, schema, ended, now);
  const said = new Set(placements.flatMap((one) => (one.status === "duplicate" ? [one.fact] : [])));
  const confirmed = [...said].map((fact) => ({ id: idOf(fact), expiresAt: fact.expiresAt }));
  await confirmFacts(tx, schema, confirmed, now);
  let pending = 0;
  for (const generation of [active, building]) {
    if (!generation) continue;
    await shelvePastFacts(
      tx,
      schema,
      generation,
      ended.map(({ id }) => id),
    );
    const known = vectors?.generation.id === generation.id ? vectors.vectors : new Map<string, Float32Array>();
    const next = fresh.map(({ chunk }, index) => ({ owner: { factId: ids[index] ?? "" }, old: [], next: [chunk] }));
    pending += (await replaceChunks(tx, generation, next, known)).pending.size;
  }
  const stored = placements.map((one) => ({
    id: idOf(one.fact),
    status: one.status,
    superseded: one.ends.flatMap((old) => old.id ?? []),
  }));
  await alongside?.(tx, stored);
  const service = await tx.asService();
  const payload = { tenantId: agent.tenantId, agentId: agent.agentId };
  await vectors?.account(service);
  if (pending > 0) await deps.queue.send(service, EMBED_JOB, payload);
  if (fresh.length > 0) await deps.queue.send(service, MAINTAIN_INDEX_JOB, payload);
  await conclude?.(service, stored);
  // Last: the agent's row stays locked until the commit, and other writers of the agent wait for it.
  const bytes = writes.reduce((sum, write) => sum + Buffer.byteLength(write.text), 0);
  if (fresh.length > 0) await takeQuota(service, agent, { files: 0, bytes, chunks: fresh.length, facts: fresh.length });
  return stored;
}

/** Reads what bears on the new facts and decides what becomes of each. */
async function compare(
  agent: KnownAgent,
  tx: AgentTransaction,
  prepared: readonly Prepared[],
  given: { active: Generation | undefined; vectors: FactVectors | undefined; now: Date; update: boolean },
): Promise<Placement[]> {
  const { active, vectors, now, update } = given;
  const wanted = [...new Set(prepared.flatMap((one) => one.supersedes))];
  const writes = prepared.map((one) => one.write);
  const related = await relatedFacts(tx, agent.schema, writes, wanted);
  checkSuperseded(prepared, related);
  const near = update || !active ? [] : await nearOnes(agent, tx, prepared, active, vectors);
  const known = new Map([...related, ...near].map((fact) => [fact.id, { ...fact, scope: scopeOf(fact) }]));
  const next = prepared.map(({ write, supersedes }, index) => ({
    ...write,
    ...{ scope: scopeOf(write.scope), supersedes },
    restates: near.filter((one) => one.place === index && restates(one.text, write.text)).map((one) => one.id),
  }));
  return planFacts([...known.values()], next, { now, update }).placements;
}

async function nearOnes(
  agent: KnownAgent,
  tx: AgentTransaction,
  prepared: readonly Prepared[],
  { id: generationId, dimensions }: Generation,
  known: FactVectors | undefined,
): Promise<(RelatedFact & { place: number })[]> {
  if (known?.generation.id !== generationId || dimensions === null) return [];
  const asked = prepared.flatMap(({ write, chunk }, place) => {
    const vector = known.vectors.get(chunk.hash);
    return vector ? [{ place, fact: write, vector }] : [];
  });
  return nearFacts(
    tx,
    { schema: agent.schema, generationId, dimensions },
    asked,
    agent.settings.facts.duplicateDistance,
  );
}

function scopeOf({ user = "", agent = "", session = "" }: FactScope): string {
  return JSON.stringify([user, agent, session]);
}

/** @throws AppError `fact_not_found`, `fact_superseded`, `invalid_request` */
function checkSuperseded(prepared: readonly Prepared[], related: readonly RelatedFact[]): void {
  const known = new Map(related.map((fact) => [fact.id, fact]));
  for (const { write, supersedes } of prepared)
    for (const id of supersedes) {
      const old = known.get(id);
      if (!old) throw factNotFound();
      requireOpen(old);
      if (write.validFrom < old.validFrom)
        throw new AppError("invalid_request", "A fact cannot take the place of one that holds from later on.");
    }
}

function namer(placements: readonly Placement[], ids: readonly string[]): (fact: Placement["fact"]) => string {
  const stored = placements.filter((one) => one.status === "stored").map((one) => one.fact);
  return (fact) => fact.id ?? ids[stored.indexOf(fact)] ?? "";
}

/** Every fact that ended, or was over from the beginning, with its id and its successor's. */
function endings(placements: readonly Placement[], idOf: (fact: Placement["fact"]) => string) {
  const facts = new Set(placements.flatMap((one) => [one.fact, ...one.ends]));
  return [...facts].flatMap((fact) => {
    if (!fact.ended || fact.validTo === null) return [];
    const { by, how } = fact.ended;
    return [{ id: idOf(fact), validTo: fact.validTo, supersededBy: idOf(by), endedBy: how satisfies End }];
  });
}
