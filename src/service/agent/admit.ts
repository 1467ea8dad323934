import { AppError } from "../../base/errors.ts";
import { authoriseAgent, authoriseUnbound, holds, type Scope } from "../../settings/access.ts";
import type { Caller } from "../core/core-deps.ts";
import type { EmbeddingDeps } from "../embedding/embedding-deps.ts";
import { findAgent } from "./find-agent.ts";

/**
 * Checks the caller before the request's body is read or a slot is taken for it. It checks the
 * scope and the agent of a bound key, which needs no query. The use case checks again, in full.
 *
 * @param agentId undefined: the request concerns no single agent
 * @throws AppError `forbidden`, `agent_not_found`
 */
export function admit(caller: Caller, scope: Scope, agentId: string | undefined): void {
  if (agentId === undefined) authoriseUnbound(caller, scope);
  else authoriseAgent(caller, scope, agentId);
}

/**
 * Checks that the agent exists and is enabled before a large body is read. A write may create a
 * missing agent if its caller may create agents. A search of a missing agent finds an empty memory.
 *
 * @throws AppError as `findAgent`
 */
export async function admitToAgent(deps: EmbeddingDeps, caller: Caller, scope: Scope, agentId: string): Promise<void> {
  await findAgent(deps, caller, scope, agentId).catch((error: unknown) => {
    const isAbsent = error instanceof AppError && error.code === "agent_not_found";
    if (!isAbsent || !(scope === "search" || (scope === "agent:write" && holds(caller, "tenant")))) throw error;
  });
}
