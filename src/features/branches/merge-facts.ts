import { deleteFacts } from "../../db/agent/facts/fact-upkeep.ts";
import { type FactWrite, insertFacts } from "../../db/agent/facts/facts.ts";
import { shelvePastFacts } from "../../db/agent/facts/past-facts.ts";
import { type AgentTransaction, withAgentReads } from "../../db/agent/schema/agent-transaction.ts";
import type { Generation } from "../../db/agent/schema/generations.ts";
import { factHash } from "../../ingest/fact-text.ts";
import type { KnownAgent } from "../../service/core/known-agent.ts";
import type { Deps } from "../../service/deps.ts";
import { type FactIndex, MemoryMoved, prepareFactIndex, storeFactIndex } from "../../service/facts/rewrite-facts.ts";
import type { Alongside } from "../../service/files/write-batch.ts";
import { restoreSupersessions } from "../archives/sql/archive-write.ts";
import { byName, type Difference } from "./compare-agents.ts";
import { factsOfTimelines, giveFactStates, idsOfFacts, readState, type TimelineFact } from "./sql/branch-base.ts";

interface FactMerge {
  branch: KnownAgent;
  target: KnownAgent;
  /** The timelines to merge. */
  facts: readonly Difference[];
  /** The author of the merge, for the history. */
  by: string;
}

/** A fact that both agents have: the branch's version and the target's. */
interface Pair {
  taken: TimelineFact;
  old: TimelineFact;
}

/** The data prepared before the transaction. */
interface Ready {
  /** Facts that only the branch has (`fresh`) or only the target (`gone`). */
  fresh: readonly TimelineFact[];
  gone: readonly TimelineFact[];
  /**
   * Facts whose state differs between the agents, and those among them that have ended in the
   * target.
   */
  changed: readonly Pair[];
  over: readonly Pair[];
  /** The index of the facts in `fresh`, followed by those in `over`. */
  index: FactIndex;
}

/**
 * Reads and indexes the facts to merge. Returns a function that writes them, in a transaction of
 * the target in which both agents are still as they were compared. A timeline is merged as a whole:
 * afterwards the target has its facts exactly as the branch has them.
 *
 * @throws MemoryMoved
 */
export async function prepareFactMerge(deps: Deps, merge: FactMerge): Promise<Alongside["write"]> {
  const { branch, target, facts } = merge;
  const keys = facts.map(({ key }) => key);
  const mine = await withAgentReads(deps.db, branch, async (tx) => {
    const found = await factsOfTimelines(tx, tx.schema, keys);
    const now = byName(await readState(tx, tx.schema));
    if (facts.some(({ key, mine: hash }) => now.get(`fact ${key}`)?.hash !== hash)) throw new MemoryMoved();
    return found;
  });
  const theirs = await withAgentReads(deps.db, target, (tx) => factsOfTimelines(tx, tx.schema, keys));
  const [here, there] = [mine, theirs].map((all) => new Map(all.map((fact) => [fact.identity, fact])));
  const fresh = mine.filter(({ identity }) => !there?.has(identity));
  const gone = theirs.filter(({ identity }) => !here?.has(identity));
  const changed = mine.flatMap((taken) => {
    const old = there?.get(taken.identity);
    return old && old.state !== taken.state ? [{ taken, old }] : [];
  });
  const over = changed.filter(({ old }) => old.validTo !== null);
  const index = await prepareFactIndex(deps, target, [...fresh, ...over.map(({ old }) => old)]);
  return (tx, live) => writeMerged(deps, merge, { fresh, gone, changed, over, index }, tx, live);
}

async function writeMerged(
  deps: Deps,
  { by }: FactMerge,
  { fresh, gone, changed, over, index }: Ready,
  tx: AgentTransaction,
  live: readonly Generation[],
): ReturnType<Alongside["write"]> {
  const stamp = { now: deps.clock(), by };
  const ids = await insertFacts(tx, tx.schema, fresh.map(writeOf), stamp.now);
  const ends = ({ taken, old }: Pair) => old.validTo === null && taken.validTo !== null;
  const noted = (pairs: readonly Pair[]) => pairs.map(({ old }) => old.id);
  const states = [
    ...fresh.map((fact, at) => ({ ...fact, id: ids[at] ?? "" })),
    ...changed.map(({ taken, old }) => ({ ...taken, id: old.id })),
  ];
  await giveFactStates(tx, tx.schema, states, {
    changed: noted(changed.filter((pair) => !ends(pair))),
    ended: noted(changed.filter(ends)),
    ...stamp,
  });
  await linkSuccessors(tx, states);
  // The statements above, which record the changes, must run first: deleting a fact clears
  // `superseded_by` in the facts that it ended, and the records must still have its value.
  if (gone.length > 0) await deleteFacts(tx, tx.schema, idsOf(gone), { kind: "withdrawn", ...stamp });
  const indexed = [...ids, ...over.map(({ old }) => old.id)];
  const pending = await storeFactIndex(tx, live, index, indexed);
  for (const generation of live) await shelvePastFacts(tx, tx.schema, generation, idsOf(states));
  const count = fresh.length - gone.length;
  return { added: { files: 0, bytes: bytesOf(fresh) - bytesOf(gone), chunks: count, facts: count }, pending };
}

/** Links ended facts to their successors, where the target has the successor. */
async function linkSuccessors(tx: AgentTransaction, facts: readonly TimelineFact[]): Promise<void> {
  const known = await idsOfFacts(
    tx,
    tx.schema,
    facts.flatMap(({ successor }) => successor ?? []),
  );
  const links = facts.flatMap(({ id, successor }) => {
    const by = known.get(successor ?? "");
    return by === undefined ? [] : [{ id, by }];
  });
  if (links.length > 0) await restoreSupersessions(tx, tx.schema, links);
}

function idsOf(facts: readonly { id: string }[]): string[] {
  return facts.map(({ id }) => id);
}

function bytesOf(facts: readonly TimelineFact[]): number {
  return facts.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
}

function writeOf(fact: TimelineFact): FactWrite {
  const { user, agent, session } = fact;
  return { ...fact, textHash: factHash(fact.text), scope: { user, agent, session } };
}
