import { AppError } from "../../base/errors.ts";
import type { AgentSpace } from "../../db/agent/schema/agent-transaction.ts";
import { activeGeneration, type Generation } from "../../db/agent/schema/generations.ts";
import type { AgentLookup } from "../../db/control/agents.ts";
import type { SharedAgent } from "../../db/control/shares.ts";
import type { AgentProfile } from "./agent-profile.ts";

/** An agent whose schema exists, at this binary's version. */
export interface KnownAgent extends AgentProfile, AgentSpace {
  /**
   * Whether the agent's usage has been counted. It has not for an agent from before usage was
   * recorded.
   */
  readonly usageKnown: boolean;
  /** The number of its facts, including facts that no longer hold. */
  readonly facts: number;
  /** The memories of other agents of its tenant that it reads besides its own. */
  readonly reads: readonly MemoryRead[];
}

/** The shared part of another agent's memory. */
export interface MemoryRead {
  readonly row: SharedAgent;
  readonly tenant: AgentLookup["tenant"];
}

/** Returns the ids of the agents whose memory an agent reads besides its own. */
export function sharersOf({ reads }: KnownAgent): string[] {
  return reads.map(({ row }) => row.id);
}

/** Returns the error for an agent that was erased while it was in use. */
export function agentGone(): AppError {
  return new AppError("agent_not_found", "This agent no longer exists.");
}

/** Returns the active generation, read inside the agent's transaction. */
export async function requireGeneration(
  sql: Parameters<typeof activeGeneration>[0],
  agent: AgentSpace,
): Promise<Generation> {
  const generation = await activeGeneration(sql, agent.schema);
  if (!generation) throw new AppError("internal", "The agent has no active index generation.");
  return generation;
}
