import { withAgentReads } from "../../db/agent/schema/agent-transaction.ts";
import { unquoted } from "../../db/agent/schema/schema-name.ts";
import { type BranchRow, findBranch } from "../../db/control/branches.ts";
import { findAgent } from "../../service/agent/find-agent.ts";
import type { Caller } from "../../service/core/core-deps.ts";
import type { KnownAgent } from "../../service/core/known-agent.ts";
import type { Deps } from "../../service/deps.ts";
import { agentNotFound, authoriseAgent, authoriseUnbound } from "../../settings/access.ts";
import { type Change, compareStates, type Difference } from "./compare-agents.ts";
import { factsOfTimelines, type HeldRow, readBase, readState, type StateRow } from "./sql/branch-base.ts";

/** A file that differs. */
export interface FileDifference {
  path: string;
  here: Change;
  there: Change;
  conflict: boolean;
}

/**
 * Facts that differ. They share a key and scope, or a text and scope; `text` is the latest of them.
 */
export type FactDifference = Omit<FileDifference, "path"> & { text: string; key: string | null };

interface AgentDiff {
  agentId: string;
  otherId: string;
  /**
   * The time when one agent was branched from the other. Null when neither is a branch of the
   * other; it is then unknown which agent made a change.
   */
  since: string | null;
  files: FileDifference[];
  facts: FactDifference[];
  /** The number of differences of each kind. The lists end after a limit. */
  counts: { files: number; facts: number };
}

/**
 * Compares the files and facts of two agents. Between a branch and its origin, reports what each
 * has changed since the branch was made or last merged. Between other agents, reports every
 * difference as a change of the first agent. Reads each agent under its own role.
 *
 * @throws AppError `forbidden`, `agent_not_found`, `agent_disabled`
 */
export async function diffAgents(
  deps: Deps,
  caller: Caller,
  { agentId, otherId, limit }: { agentId: string; otherId: string; limit: number },
): Promise<AgentDiff> {
  authoriseAgent(caller, "tenant", agentId);
  authoriseUnbound(caller, "tenant");
  const [mine, theirs] = await Promise.all([requireAgent(deps, caller, agentId), requireAgent(deps, caller, otherId)]);
  const { differences, past } = await deps.wholeMemories.run(caller.tenantId, async () => {
    const common = await commonPast(deps, mine, theirs);
    return {
      past: common,
      differences: compareStates(await stateOf(deps, mine), await stateOf(deps, theirs), common?.base),
    };
  });
  const files = differences.filter((one) => one.kind === "file");
  const facts = differences.filter((one) => one.kind === "fact");
  return {
    agentId,
    otherId,
    since: past?.branch.branchedAt?.toISOString() ?? null,
    files: files.slice(0, limit).map(fileDifference),
    facts: await factDifferences(deps, [mine, theirs], facts.slice(0, limit)),
    counts: { files: files.length, facts: facts.length },
  };
}

/** Returns the agent, which must have been written to. */
export async function requireAgent(deps: Deps, caller: Caller, agentId: string): Promise<KnownAgent> {
  const { agent } = await findAgent(deps, caller, "tenant", agentId);
  if (!agent) throw agentNotFound();
  return agent;
}

export function stateOf(deps: Deps, agent: KnownAgent): Promise<HeldRow[]> {
  return withAgentReads(deps.db, agent, (tx) => readState(tx, tx.schema));
}

/**
 * Returns the state that a branch and its origin had in common when the branch was made or last
 * merged; undefined when neither agent is a branch of the other.
 */
export async function commonPast(
  deps: Deps,
  one: KnownAgent,
  other: KnownAgent,
): Promise<{ branch: BranchRow; base: StateRow[] } | undefined> {
  for (const [made, of] of [
    [one, other],
    [other, one],
  ] as const) {
    const branch = await findBranch(deps.db, unquoted(made.schema));
    if (branch?.originSchema !== unquoted(of.schema)) continue;
    return { branch, base: await withAgentReads(deps.db, made, (tx) => readBase(tx, tx.schema)) };
  }
  return undefined;
}

export function fileDifference(one: Difference): FileDifference {
  return { path: one.key, here: one.here, there: one.there, conflict: one.conflict };
}

/** Returns the facts that differ, each with its text from the first agent that has it. */
export async function factDifferences(
  deps: Deps,
  agents: readonly KnownAgent[],
  differences: readonly Difference[],
): Promise<FactDifference[]> {
  const keys = differences.map((one) => one.key);
  const known = new Map<string, { text: string; key: string | null }>();
  for (const agent of [...agents].reverse())
    for (const { timeline, text, key } of await withAgentReads(deps.db, agent, (tx) =>
      factsOfTimelines(tx, tx.schema, keys),
    ))
      known.set(timeline, { text, key });
  return differences.map(({ key: timeline, here, there, conflict }) => {
    const { text = "", key = null } = known.get(timeline) ?? {};
    return { text, key, here, there, conflict };
  });
}
