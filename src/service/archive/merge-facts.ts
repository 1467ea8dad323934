import { restoreSupersessions } from "../../db/agent/archive/archive-write.ts";
import { factsByKey, giveFactStates, type KeyedFact } from "../../db/agent/archive/branch-base.ts";
import { deleteFacts } from "../../db/agent/facts/fact-upkeep.ts";
import { endFacts, type FactWrite, insertFacts } from "../../db/agent/facts/facts.ts";
import { shelvePastFacts } from "../../db/agent/facts/past-facts.ts";
import { type AgentTransaction, withAgentReads } from "../../db/agent/space/agent-transaction.ts";
import type { Generation } from "../../db/agent/space/generations.ts";
import { factHash } from "../../ingest/fact-text.ts";
import type { KnownAgent } from "../core/known-agent.ts";
import type { Deps } from "../deps.ts";
import { type FactIndex, MemoryMoved, prepareFactIndex, storeFactIndex } from "../facts/rewrite-facts.ts";
import type { Alongside } from "../files/write-batch.ts";
import type { Difference } from "./compare-agents.ts";

interface FactMerge {
  branch: KnownAgent;
  target: KnownAgent;
  /** The facts that are taken. */
  facts: readonly Difference[];
  /** Who merges. */
  by: string;
}

/** What is known before the transaction. */
interface Ready {
  /** As the branch has them. */
  taken: readonly KeyedFact[];
  /** As the target has them, and the facts that give way to what is taken, by key. */
  there: ReadonlyMap<string, KeyedFact>;
  /** Those that are indexed: new ones, and those that were over. */
  indexed: readonly KeyedFact[];
  index: FactIndex;
}

/**
 * Reads and indexes what is taken, and returns what writes it in a transaction of the target that has found it as it was compared.
 *
 * @throws MemoryMoved
 */
export async function prepareFactMerge(deps: Deps, merge: FactMerge): Promise<Alongside["write"]> {
  const { branch, target, facts } = merge;
  const wanted = facts.flatMap(({ key, mine }) => (mine === undefined ? [] : [key]));
  const needed = facts.flatMap(({ key, rival }) => (rival === undefined ? [key] : [key, rival]));
  const known = await withAgentReads(deps.db, branch, (tx) => factsByKey(tx, tx.schema, wanted));
  const there = await withAgentReads(deps.db, target, (tx) => factsByKey(tx, tx.schema, needed));
  if (facts.some(({ key, mine }) => known.get(key)?.stateHash !== mine)) throw new MemoryMoved();
  const taken = [...known.values()];
  const indexed = taken.filter(({ stateKey }) => there.get(stateKey)?.validTo !== null);
  const ready = { taken, there, indexed, index: await prepareFactIndex(deps, target, indexed) };
  return (tx, live) => writeMerged(deps, merge, ready, tx, live);
}

async function writeMerged(
  deps: Deps,
  { facts, by }: FactMerge,
  { taken, there, indexed, index }: Ready,
  tx: AgentTransaction,
  live: readonly Generation[],
): ReturnType<Alongside["write"]> {
  const stamp = { now: deps.clock(), by };
  const gone = facts.flatMap(({ key, mine }) => (mine === undefined ? (there.get(key) ?? []) : []));
  const fresh = taken.filter(({ stateKey }) => !there.has(stateKey));
  if (gone.length > 0) await deleteFacts(tx, tx.schema, idsOf(gone), { kind: "withdrawn", ...stamp });
  const ids = await insertFacts(tx, tx.schema, fresh.map(writeOf), stamp.now);
  const idOf = new Map([
    ...[...there].map(([key, fact]): [string, string] => [key, fact.id]),
    ...fresh.map((fact, at): [string, string] => [fact.stateKey, ids[at] ?? ""]),
  ]);
  const own = (fact: KeyedFact) => ({ ...fact, id: idOf.get(fact.stateKey) ?? "" });
  const states = taken.map(own);
  const noted = idsOf(states).filter((id) => !ids.includes(id));
  await giveFactStates(tx, tx.schema, states, { noted, ...stamp });
  await linkSuccessors(tx, states, idOf);
  const ended = endings(facts, taken, there, idOf);
  await endFacts(tx, tx.schema, ended, stamp.now);
  const pending = await storeFactIndex(tx, live, index, idsOf(indexed.map(own)));
  const over = [...idsOf(states), ...idsOf(ended)];
  for (const generation of live) await shelvePastFacts(tx, tx.schema, generation, over);
  const count = fresh.length - gone.length;
  return { added: { files: 0, bytes: bytesOf(fresh) - bytesOf(gone), chunks: count, facts: count }, pending };
}

/** The target's facts that give way to one that is taken, because one of their key holds at a time. */
function endings(
  facts: readonly Difference[],
  taken: readonly KeyedFact[],
  there: ReadonlyMap<string, KeyedFact>,
  idOf: ReadonlyMap<string, string>,
) {
  const known = new Map(taken.map((fact) => [fact.stateKey, fact]));
  return facts.flatMap(({ key, rival }) => {
    const [fact, old] = [known.get(key), rival === undefined ? undefined : there.get(rival)];
    if (!fact || !old) return [];
    // A fact never ends before it began.
    const validTo = fact.validFrom > old.validFrom ? fact.validFrom : old.validFrom;
    return [{ id: old.id, validTo, supersededBy: idOf.get(key) ?? "", endedBy: "key" as const }];
  });
}

/** Says of facts that are over what took their place, as far as the target has it. */
async function linkSuccessors(
  tx: AgentTransaction,
  facts: readonly KeyedFact[],
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

function idsOf(facts: readonly { id: string }[]): string[] {
  return facts.map(({ id }) => id);
}

function bytesOf(facts: readonly KeyedFact[]): number {
  return facts.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
}

function writeOf(fact: KeyedFact): FactWrite {
  const { user, agent, session } = fact;
  return { ...fact, textHash: factHash(fact.text), scope: { user, agent, session } };
}
