import { authoriseAgent, authoriseUnbound, holds, type Scope } from "../../agents/access.ts";
import { AppError } from "../../base/errors.ts";
import type { Caller } from "../core/core-deps.ts";
import type { EmbeddingDeps } from "../embedding/embedding-deps.ts";
import { findAgent } from "./find-agent.ts";

/**
 * Checks who asks before their request's body is read or a place is taken for it: scope and the agent of a bound key, which
 * costs nothing. The use case checks again, and exactly.
 *
 * @param agentId undefined: the request is about no single agent
 * @throws AppError `forbidden`, `agent_not_found`
 */
export function admit(caller: Caller, scope: Scope, agentId: string | undefined): void {
  if (agentId === undefined) authoriseUnbound(caller, scope);
  else authoriseAgent(caller, scope, agentId);
}

/**
 * Checks before a large body is read that its agent is there and enabled. A write may make the agent if its caller may.
 *
 * @throws AppError as `findAgent`
 */
export async function admitToAgent(deps: EmbeddingDeps, caller: Caller, scope: Scope, agentId: string): Promise<void> {
  await findAgent(deps, caller, scope, agentId).catch((error: unknown) => {
    const isAbsent = error instanceof AppError && error.code === "agent_not_found";
    if (!(isAbsent && scope === "agent:write" && holds(caller, "tenant"))) throw error;
  });
}
