import { setImmediate } from "node:timers/promises";
import { factCutoffs } from "../../agents/fact-retention.ts";
import { deleteFacts, factsToPrune } from "../../db/agent/facts/fact-upkeep.ts";
import { lockFacts } from "../../db/agent/facts/facts.ts";
import { withAgentTransaction } from "../../db/agent/space/agent-transaction.ts";
import type { KnownAgent } from "../core/known-agent.ts";
import type { FileDeps } from "../files/file-deps.ts";
import { accountForgotten } from "./forget-facts.ts";

/** What one transaction deletes at most. */
const BATCH_FACTS = 500;

/**
 * A step of the sync: deletes facts that `facts.retention` lets go of. Each batch is one transaction with its entry in the
 * audit log: how many by which rule, and the settings that say so.
 */
export async function retainFacts(deps: FileDeps, agent: KnownAgent, signal: AbortSignal): Promise<void> {
  const cutoffs = factCutoffs(agent.settings.facts, deps.clock());
  while (!signal.aborted && (await pruneBatch(deps, agent, cutoffs))) await setImmediate();
}

/** @returns whether there may be more */
async function pruneBatch(
  deps: FileDeps,
  agent: KnownAgent,
  cutoffs: ReturnType<typeof factCutoffs>,
): Promise<boolean> {
  return withAgentTransaction(deps.db, agent, async (tx) => {
    const due = await factsToPrune(tx, agent.schema, cutoffs, 1);
    if (due.length === 0) return false;
    await lockFacts(tx, agent.schema);
    // Once more: they may have been said again, or deleted by another sync.
    const toDelete = await factsToPrune(tx, agent.schema, cutoffs, BATCH_FACTS);
    if (toDelete.length === 0) return false;
    const ids = toDelete.map((fact) => fact.id);
    await deleteFacts(tx, agent.schema, ids);
    const byRule = Object.groupBy(toDelete, (fact) => fact.rule);
    const counts = Object.fromEntries(Object.entries(byRule).map(([rule, facts]) => [rule, facts.length]));
    const details = { facts: ids.length, ...counts, ...agent.settings.facts.retention };
    const act = { actor: "system", action: "facts.retention", details };
    await accountForgotten(deps, await tx.asService(), agent, toDelete, act);
    return toDelete.length === BATCH_FACTS;
  });
}
