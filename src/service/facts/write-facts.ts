import { AppError } from "../../base/errors.ts";
import { factsToEnd, nearFacts, type RelatedFact, relatedFacts } from "../../db/agent/facts/fact-lookup.ts";
import {
  confirmFacts,
  endFacts,
  type FactScope,
  type FactWrite,
  insertFacts,
  lastStoredAt,
  lockFacts,
} from "../../db/agent/facts/facts.ts";
import { shelvePastFacts } from "../../db/agent/facts/past-facts.ts";
import { ownerOf } from "../../db/agent/facts/subject.ts";
import type { AgentTransaction } from "../../db/agent/schema/agent-transaction.ts";
import { vectorTable } from "../../db/agent/schema/generation-tables.ts";
import { type Generation, liveGenerations } from "../../db/agent/schema/generations.ts";
import type { SqlExecutor } from "../../db/database.ts";
import { restates } from "../../ingest/fact-text.ts";
import { type End, type Ending, type Placement, planFacts } from "../../ingest/plan-facts.ts";
import { EMBED_JOB, MAINTAIN_INDEX_JOB } from "../../queue/job-contracts.ts";
import type { KnownAgent } from "../core/known-agent.ts";
import type { FileDeps } from "../files/file-deps.ts";
import type { PreparedChunk } from "../files/prepared-file.ts";
import { replaceChunks } from "../files/store-chunks.ts";
import type { StoredFact } from "./fact-schemas.ts";
import type { FactVectors } from "./fact-vectors.ts";
import { factNotFound, requireOpen } from "./present-fact.ts";

/**
 * The cosine distance within which facts with the same names, numbers and negations are duplicates.
 * Not a setting: nobody can tell the right distance without measuring pairs of facts as
 * bench/notes/facts.md does, where statements that differ in one word lie further apart. A stated
 * fact that is one word away must not be lost, and a duplicate that is kept does little harm.
 */
const DUPLICATE_DISTANCE = 0.03;

/** A fact that is ready to be stored. */
export interface PreparedFact {
  write: FactWrite;
  /** Whether the caller gave no start time, so that the fact holds from now on. */
  beginsNow: boolean;
  supersedes: readonly string[];
  /** Further facts of its scope that it ends. */
  ends?: Ending | undefined;
  /** The ids of facts that say the same. */
  restates?: readonly string[] | undefined;
  chunk: PreparedChunk;
}

/** Facts with the vectors available so far. */
export interface PreparedFacts {
  facts: readonly PreparedFact[];
  vectors: FactVectors | undefined;
}

/** The facts that a transaction has written, and the writes that remain for the service's role. */
export interface WrittenFacts {
  stored: StoredFact[];
  /** The change in the agent's usage. */
  added: { bytes: number; chunks: number; facts: number };
  /** Enqueues jobs and records the usage of embeddings, in the service's role. */
  conclude(service: SqlExecutor): Promise<void>;
}

/**
 * Writes facts in the caller's transaction, which must lock the facts early (`holdFacts`). The
 * caller then switches to the service's role, calls `conclude`, and takes the quota of `added`.
 *
 * @param options.update whether the facts are new texts of the facts that they supersede
 * @throws AppError `fact_not_found`, `fact_superseded`, `scope_conflict`, `invalid_request`
 */
export async function writeFacts(
  deps: FileDeps,
  agent: KnownAgent,
  tx: AgentTransaction,
  { facts, vectors }: PreparedFacts,
  { update = false }: { update?: boolean | undefined } = {},
): Promise<WrittenFacts> {
  const { schema } = agent;
  // The clocks of processes differ. A fact that is stored later must not begin to hold earlier.
  const now = new Date(Math.max(deps.clock().getTime(), (await lastStoredAt(tx, schema))?.getTime() ?? 0));
  const prepared = facts.map((one) => (one.beginsNow ? { ...one, write: { ...one.write, validFrom: now } } : one));
  const { active, building } = await liveGenerations(tx, schema);
  const placements = await compare(agent, tx, prepared, { active, vectors, now, update });
  const fresh = prepared.flatMap((one, index) => {
    const placed = placements[index];
    if (placed?.status !== "stored") return [];
    const { expiresAt, validTo, ended } = placed.fact;
    // A fact that another one ends gets its end together with its successor.
    return [{ ...one, write: { ...one.write, expiresAt, validTo: ended ? one.write.validTo : validTo } }];
  });
  const writes = fresh.map((one) => one.write);
  const ids = await insertFacts(tx, schema, writes, now);
  const idOf = namer(placements, ids);
  const ended = endings(placements, idOf);
  await endFacts(tx, schema, ended, now);
  const said = new Set(placements.flatMap((one) => (one.status === "duplicate" ? [one.fact] : [])));
  const confirmed = [...said].map((fact) => ({ id: idOf(fact), expiresAt: fact.expiresAt }));
  await confirmFacts(tx, schema, confirmed, now);
  const over = [...ended.map(({ id }) => id), ...ids.filter((_, index) => writes[index]?.validTo)];
  let pending = 0;
  for (const generation of [active, building]) {
    if (!generation) continue;
    const known = vectors?.generation.id === generation.id ? vectors.vectors : new Map<string, Float32Array>();
    const next = fresh.map(({ chunk }, index) => ({ owner: { factId: ids[index] ?? "" }, old: [], next: [chunk] }));
    pending += (await replaceChunks(tx, generation, next, known)).pending.size;
    // Comes after the new chunks, since a new fact may be past from the start.
    await shelvePastFacts(tx, schema, generation, over);
  }
  const bytes = writes.reduce((sum, write) => sum + Buffer.byteLength(write.text), 0);
  return {
    stored: placements.map((one) => ({
      id: idOf(one.fact),
      status: one.status,
      superseded: one.ends.map(idOf),
    })),
    added: { bytes, chunks: fresh.length, facts: fresh.length },
    conclude: async (service) => {
      const payload = { tenantId: agent.tenantId, agentId: agent.agentId };
      await vectors?.save(service);
      if (pending > 0) await deps.queue.send(service, EMBED_JOB, payload);
      if (fresh.length > 0) await deps.queue.send(service, MAINTAIN_INDEX_JOB, payload);
    },
  };
}

/** Blocks other writers of facts, and the switch to a new index. */
export function holdFacts(tx: AgentTransaction): Promise<void> {
  return lockFacts(tx, tx.schema);
}

/**
 * Reads the related facts and decides for each new fact whether it is stored, and which facts it
 * ends.
 */
async function compare(
  agent: KnownAgent,
  tx: AgentTransaction,
  prepared: readonly PreparedFact[],
  given: { active: Generation | undefined; vectors: FactVectors | undefined; now: Date; update: boolean },
): Promise<Placement[]> {
  const { active, vectors, now, update } = given;
  const wanted = [...new Set(prepared.flatMap((one) => one.supersedes))];
  const writes = prepared.map((one) => one.write);
  const related = await relatedFacts(tx, agent.schema, writes, wanted);
  checkSuperseded(prepared, related);
  const near = update || !active ? [] : await nearOnes(agent, tx, prepared, active, vectors);
  const ending = await factsToEnd(
    tx,
    agent.schema,
    prepared.flatMap(({ write, ends, restates: said = [] }) =>
      ends || said.length > 0
        ? [{ scope: write.scope, keys: ends?.keys ?? [], ids: [...(ends?.ids ?? []), ...said] }]
        : [],
    ),
  );
  const all = [...related, ...ending, ...near];
  const known = new Map(all.map((fact) => [fact.id, { ...fact, scope: placeOf(fact, fact) }]));
  const next = prepared.map(({ write, supersedes, ends, restates: said = [] }, index) => ({
    ...write,
    scope: placeOf(write, write.scope),
    supersedes,
    ends,
    restates: [
      ...said,
      ...near.filter((one) => one.place === index && restates(one.text, write.text)).map((one) => one.id),
    ],
  }));
  return planFacts([...known.values()], next, { now, update }).placements;
}

async function nearOnes(
  agent: KnownAgent,
  tx: AgentTransaction,
  prepared: readonly PreparedFact[],
  generation: Generation,
  known: FactVectors | undefined,
): Promise<(RelatedFact & { place: number })[]> {
  const { id, dimensions } = generation;
  if (known?.generation.id !== id || dimensions === null) return [];
  const asked = prepared.flatMap(({ write, chunk }, place) => {
    const vector = known.vectors.get(chunk.hash);
    return vector ? [{ place, fact: write, vector }] : [];
  });
  return nearFacts(tx, vectorTable(agent.schema, generation, dimensions), asked, DUPLICATE_DISTANCE);
}

function scopeOf({ user = "", agent = "", session = "" }: FactScope): string {
  return JSON.stringify([user, agent, session]);
}

/** Returns the scope and owner of a fact, within which facts are compared. */
function placeOf({ subject }: Pick<FactWrite, "subject">, scope: FactScope): string {
  return `${scopeOf(scope)} ${ownerOf({ subject, scope })}`;
}

/** @throws AppError `fact_not_found`, `fact_superseded`, `scope_conflict`, `invalid_request` */
function checkSuperseded(prepared: readonly PreparedFact[], related: readonly RelatedFact[]): void {
  const known = new Map(related.map((fact) => [fact.id, fact]));
  for (const { write, supersedes } of prepared)
    for (const id of supersedes) {
      const old = known.get(id);
      if (!old) throw factNotFound(id);
      requireOpen(old);
      // A fact of another scope must not be replaced: ending it would take it from its user, and
      // the new fact would be shown together with the old one.
      if (scopeOf(write.scope) !== scopeOf(old))
        throw new AppError(
          "scope_conflict",
          "A fact can replace facts of its own scope only. Store it with the scope of that fact.",
          { details: { id } },
        );
      if (write.validFrom < old.validFrom)
        throw new AppError("invalid_request", "A fact cannot replace a fact that begins to hold later.");
    }
}

function namer(placements: readonly Placement[], ids: readonly string[]): (fact: Placement["fact"]) => string {
  const stored = placements.filter((one) => one.status === "stored").map((one) => one.fact);
  return (fact) => fact.id ?? ids[stored.indexOf(fact)] ?? "";
}

/**
 * Returns every stored fact that the new facts end, and every new fact that is past from the start,
 * with its id and its successor's id.
 */
function endings(placements: readonly Placement[], idOf: (fact: Placement["fact"]) => string) {
  const facts = new Set(placements.flatMap((one) => [one.fact, ...one.ends]));
  return [...facts].flatMap((fact) => {
    if (!fact.ended || fact.validTo === null) return [];
    const { by, how } = fact.ended;
    return [{ id: idOf(fact), validTo: fact.validTo, supersededBy: idOf(by), endedBy: how satisfies End }];
  });
}
