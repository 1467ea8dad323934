import type { Generation, MeasuredSeparation } from "../../db/agent/space/generations.ts";
import type { CacheKey } from "../../db/control/embedding-cache.ts";
import type { Caller } from "../core/core-deps.ts";
import type { KnownAgent } from "../core/known-agent.ts";
import type { Deps } from "../deps.ts";

/** Where lines go. */
export interface Restore {
  deps: Deps;
  caller: Caller;
  agent: KnownAgent;
  schemaName: string;
  /** undefined: the archive's vectors are of no use here. */
  staged: StagedVectors | undefined;
}

/**
 * Where an archive's vectors wait for the chunks that they are of: in the cache, under a key that no provider has. Nobody else's
 * searches may come upon vectors that somebody sent; erasing the agent takes them along.
 */
export interface StagedVectors {
  key: CacheKey;
  dimensions: number;
  generation: Generation;
  /** How well the model tells the agent's texts apart, as it was measured where the archive is from. */
  separation: MeasuredSeparation | undefined;
}
