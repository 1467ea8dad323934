import { AppError } from "../../base/errors.ts";
import type { AgentSpace } from "../../db/agent/space/agent-transaction.ts";
import { activeGeneration, type Generation } from "../../db/agent/space/generations.ts";
import type { AgentLookup } from "../../db/control/agents.ts";
import type { SharedAgent } from "../../db/control/shares.ts";
import type { AgentProfile } from "./agent-profile.ts";

/** An agent whose schema exists, at this binary's version. */
export interface KnownAgent extends AgentProfile, AgentSpace {
  /** False for an agent from before usage was counted. */
  readonly usageKnown: boolean;
  /** How many facts it has, also those that are over. */
  readonly facts: number;
  /** The agents of its tenant whose memory it reads besides its own. */
  readonly reads: readonly MemoryRead[];
}

/** Another agent's memory as far as it is shared. */
export interface MemoryRead {
  readonly row: SharedAgent;
  readonly tenant: AgentLookup["tenant"];
}

/** The agents whose memory an agent reads besides its own. */
export function sharersOf({ reads }: KnownAgent): string[] {
  return reads.map(({ row }) => row.id);
}

/** The error for an agent that was erased while it was being worked on. */
export function agentGone(): AppError {
  return new AppError("agent_not_found", "This agent no longer exists.");
}

/** The active generation, read inside the agent's transaction. */
export async function requireGeneration(
  sql: Parameters<typeof activeGeneration>[0],
  agent: AgentSpace,
): Promise<Generation> {
  const generation = await activeGeneration(sql, agent.schema);
  if (!generation) throw new AppError("internal", "The agent has no active index generation.");
  return generation;
}
