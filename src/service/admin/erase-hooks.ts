import type { EmbeddingDeps } from "../embedding/embedding-deps.ts";

/** The hooks of erasures. */
export interface EraseHooks {
  /**
   * Takes back texts of an agent that the feature has given to other services, while the agent's
   * settings and rows are still there. An error would stop the erasure, so a service that does not
   * answer is only logged.
   */
  beforeErasure(deps: EmbeddingDeps, tenantId: string, agentId: string): Promise<void>;
}
