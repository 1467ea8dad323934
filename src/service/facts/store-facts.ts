import { AppError } from "../../base/errors.ts";
import {
  type DecayClass,
  type FactCategory,
  type FactScope,
  type FactSource,
  type FactWrite,
  readFacts,
} from "../../db/agent/facts/facts.ts";
import { normaliseSubject } from "../../db/agent/facts/subject.ts";
import {
  type AgentTransaction,
  withAgentReads,
  withAgentTransaction,
} from "../../db/agent/schema/agent-transaction.ts";
import { liveGenerations, textLanguages } from "../../db/agent/schema/generations.ts";
import type { SqlExecutor } from "../../db/database.ts";
import { factHash, normaliseFact } from "../../ingest/fact-text.ts";
import type { Ending } from "../../ingest/plan-facts.ts";
import { inSpan } from "../../observe/trace.ts";
import { wordsBetweenSpaces } from "../../relevance/words/statements.ts";
import { findOrCreateAgent } from "../agent/create-agent.ts";
import type { Caller } from "../core/core-deps.ts";
import { findReplay, recordAnswer } from "../core/idempotency.ts";
import type { KnownAgent } from "../core/known-agent.ts";
import { countUsage, takeQuota } from "../core/quota.ts";
import { textToEmbed } from "../embedding/made-vectors.ts";
import type { FileDeps } from "../files/file-deps.ts";
import type { PreparedChunk } from "../files/prepared-file.ts";
import { MAX_FACT_CHARS, type StoredFact } from "./fact-schemas.ts";
import { embedFacts } from "./fact-vectors.ts";
import { holdFacts, type PreparedFact, type PreparedFacts, writeFacts } from "./write-facts.ts";

/** A source without `by`. The service adds the caller that stores the fact. */
type Unsigned<T> = T extends unknown ? Omit<T, "by"> : never;

export interface FactInput {
  /** At most 2,000 characters. */
  text: string;
  /** The person who said it, or the person or thing that it is about. */
  subject?: string | null | undefined;
  /**
   * The property that it states, such as `user.name`. The next fact with this key, scope and
   * subject supersedes it.
   */
  key?: string | undefined;
  category?: FactCategory | undefined;
  importance?: number | undefined;
  scope?: FactScope | undefined;
  tags?: readonly string[] | undefined;
  source?: Unsigned<FactSource> | undefined;
  decayClass?: DecayClass | undefined;
  validFrom?: Date | undefined;
  expiresAt?: Date | undefined;
  /** The end of a fact that holds no longer. Such a fact ends no other fact. */
  validTo?: Date | undefined;
  /** The ids of the facts that this fact supersedes. */
  supersedes?: readonly string[] | undefined;
  /** Further facts of its scope that this fact ends, if they still hold. */
  ends?: Ending | undefined;
  /** The ids of facts that say the same; the first that still holds is confirmed in place of this one. */
  restates?: readonly string[] | undefined;
}

interface StoreOptions {
  /**
   * Whether the new fact is a new text of the old one, rather than another fact that supersedes it.
   */
  update?: boolean;
  /** Runs further writes in the same transaction, as the agent's role. */
  alongside?: ((tx: AgentTransaction, stored: readonly StoredFact[]) => Promise<void>) | undefined;
  /** Runs further writes in the same transaction, as the service. */
  conclude?: ((service: SqlExecutor, stored: readonly StoredFact[]) => Promise<void>) | undefined;
}

const DEFAULT_IMPORTANCE = 0.5;

/**
 * Stores facts, all or nothing, in the order given. They are durable, found by keyword, and also by
 * meaning if the provider answers in time. A known fact is not stored again. Of facts with one key
 * and subject in one scope, the latest holds and the others stay readable. There are two short transactions,
 * and only the second writes. Between them, with no transaction open, texts are analysed off the
 * event loop and the provider is called.
 *
 * The second transaction has at most 21 statements, however many facts: lock, clock, generations,
 * three to compare, three to write, three for each generation, the role, cache and usage of
 * embeddings, two jobs, the counters (and two more for a tenant with limits).
 *
 * @throws AppError `invalid_request`, `fact_not_found`, `fact_superseded`, `scope_conflict`,
 *   `quota_exceeded`
 */
export async function storeFacts(
  deps: FileDeps,
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
  deps: FileDeps,
  caller: Caller,
  agent: KnownAgent,
  facts: readonly FactInput[],
  { update, alongside, conclude }: StoreOptions,
): Promise<StoredFact[]> {
  if (!agent.usageKnown) await countUsage(deps, agent);
  const prepared = await prepareFacts(deps, caller, agent, facts);
  const write = async (tx: AgentTransaction) => {
    await holdFacts(tx);
    const written = await writeFacts(deps, agent, tx, prepared, { update });
    const { stored, added } = written;
    await alongside?.(tx, stored);
    const service = await tx.asService();
    await written.conclude(service);
    await conclude?.(service, stored);
    // Comes last, since it locks the agent's row until the commit, and other writers of the agent
    // wait for the lock.
    if (added.facts > 0) await takeQuota(service, agent, { files: 0, ...added });
    return stored;
  };
  return deps.factTurns(agent.schema, () => withAgentTransaction(deps.db, agent, write));
}

/**
 * Prepares facts for `writeFacts`: analyses them and gets the available vectors. Hold no
 * transaction while calling this.
 *
 * @throws AppError `invalid_request`
 */
export async function prepareFacts(
  deps: FileDeps,
  caller: Caller,
  agent: KnownAgent,
  facts: readonly FactInput[],
): Promise<PreparedFacts> {
  const writes = facts.map((fact) => toWrite(fact, caller, deps.clock()));
  const live = await withAgentReads(deps.db, agent, (tx) => liveGenerations(tx, agent.schema));
  const chunks = await deps.preparer.prepareFacts(agent.tenantId, {
    facts: writes.map(({ text, subject, key }) => ({ text, subject, key })),
    languages: textLanguages(live.active) ?? textLanguages(live.building),
  });
  const prepared = writes.map((write, index): PreparedFact => {
    const { validFrom, supersedes = [], ends, restates = [] } = facts[index] ?? {};
    const chunk = chunks[index] as PreparedChunk;
    return { write, supersedes, ends, restates, beginsNow: validFrom === undefined, chunk };
  });
  const texts = new Map(chunks.map((chunk) => [chunk.hash, textToEmbed(chunk)]));
  // The embedding job makes the vectors for an index that is being built.
  return { facts: prepared, vectors: live.active && (await embedFacts(deps, caller, agent, live.active, texts)) };
}

function toWrite(fact: FactInput, caller: Caller, now: Date): FactWrite {
  const text = normaliseFact(fact.text);
  if (text === "" || text.length > MAX_FACT_CHARS)
    throw new AppError("invalid_request", `A fact has 1 to ${MAX_FACT_CHARS} characters; send it in parts.`);
  const { validFrom = now, expiresAt = null } = fact;
  if (expiresAt !== null && expiresAt <= validFrom)
    throw new AppError("invalid_request", "A fact cannot expire before it holds; give a later expiresAt.");
  const validTo = readEnd(fact, now);
  return {
    text,
    textHash: factHash(text),
    validFrom,
    validTo,
    expiresAt,
    subject: normaliseSubject(fact.subject),
    key: fact.key?.normalize("NFC") ?? null,
    category: fact.category ?? "fact",
    importance: fact.importance ?? DEFAULT_IMPORTANCE,
    scope: fact.scope ?? {},
    tags: [...new Set(fact.tags)],
    source: { ...(fact.source ?? { kind: "call" }), by: caller.actor } as FactSource,
    decayClass: fact.decayClass ?? "stable",
  };
}

/** Returns the end of a past fact, or null for any other fact. @throws AppError `invalid_request` */
function readEnd({ validFrom, validTo, key, supersedes = [] }: FactInput, now: Date): Date | null {
  if (validTo === undefined) return null;
  if (validTo > now)
    throw new AppError(
      "invalid_request",
      "validTo lies in the future. The fact still holds until then: give it as expiresAt.",
    );
  if (validFrom === undefined || validTo <= validFrom)
    throw new AppError(
      "invalid_request",
      "A fact with validTo also needs a validFrom: the earlier time at which it began to hold.",
    );
  if (key !== undefined || supersedes.length > 0)
    throw new AppError("invalid_request", "A fact with validTo ends no other; leave out key and supersedes.");
  return validTo;
}

/**
 * Stores facts for the agent with an id. Creates a missing agent if the caller has the scope
 * `tenant`.
 *
 * @throws as `findOrCreateAgent`
 */
export async function addFacts(
  deps: FileDeps,
  caller: Caller,
  agentId: string,
  facts: readonly FactInput[],
): Promise<StoredFact[]> {
  const agent = await findOrCreateAgent(deps, caller, agentId);
  const earlier = await findReplay<StoredFact[]>(deps, caller);
  if (earlier) return earlier;
  const conclude: StoreOptions["conclude"] = (service, stored) => recordAnswer(deps, caller, service, agentId, stored);
  return storeFacts(deps, caller, agent, await withKeys(deps, agent, facts), { conclude });
}

/**
 * Gives each fact that replaces another, and has no key, the key of the replaced fact: "Paul works at Lloyds" then answers
 * "Where do I work?" as "I work at Barclays" did, and is ended by the next employer. A key with a word of the old
 * text that the new text lacks names the old value, and is not taken over.
 */
async function withKeys(deps: FileDeps, agent: KnownAgent, facts: readonly FactInput[]): Promise<FactInput[]> {
  const ids = facts.flatMap(({ key, supersedes = [] }) =>
    key === undefined && supersedes.length === 1 ? supersedes : [],
  );
  if (ids.length === 0) return [...facts];
  // Two facts with one key would end each other.
  const shared = new Set(ids.filter((id, at) => ids.indexOf(id) !== at));
  const rows = await withAgentReads(deps.db, agent, (tx) => readFacts(tx, agent.schema, ids));
  const known = new Map(rows.map((row) => [row.id, row]));
  return facts.map((fact) => {
    const [id = "", ...others] = fact.supersedes ?? [];
    const old = fact.key === undefined && others.length === 0 && !shared.has(id) ? known.get(id) : undefined;
    const key = old && inheritedKey(old.key, old.text, fact.text);
    return key === undefined ? fact : { ...fact, key };
  });
}

/** Returns the key of a replaced fact, if it is the key of no denial and does not name the old value. */
function inheritedKey(key: string | null, before: string, after: string): string | undefined {
  if (key === null || key.startsWith("not:")) return undefined;
  // The key of a job names the employer behind an `@`, and the next job has another one.
  const general = key.startsWith("user.job@") ? ["user.job"] : [];
  return [key, ...general].find((one) => !namesOldValue(one, before, after));
}

function namesOldValue(key: string, before: string, after: string): boolean {
  const [old, now] = [wordsBetweenSpaces(before), wordsBetweenSpaces(after)];
  return wordsBetweenSpaces(key)
    .trim()
    .split(" ")
    .some((word) => old.includes(` ${word} `) && !now.includes(` ${word} `));
}
