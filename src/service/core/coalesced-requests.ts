import { type Coalescer, createCoalescer } from "../../base/coalesce-requests.ts";
import type { LiveGenerations } from "../../db/agent/space/generations.ts";
import type { AgentLookup } from "../../db/control/agents.ts";
import type { KeyLookup } from "../../db/control/api-keys.ts";

/** What requests under way ask together: nobody is answered from before the own request. */
export interface CoalescedRequests {
  /** By prefix. */
  readonly keys: Coalescer<string, KeyLookup | undefined>;
  /** By tenant and id. */
  readonly agents: Coalescer<string, AgentLookup | undefined>;
  /** What is to be known of paths before they are written, by schema. */
  readonly files: Coalescer<readonly string[], { live: LiveGenerations; hashes: ReadonlyMap<string, string> }>;
  /** That a session be indexed, by schema and key; whether it is. */
  readonly sessions: Coalescer<string, boolean>;
  /** Cached vectors of hashes, by whose and which they are. */
  readonly embeddings: Coalescer<readonly string[], ReadonlyMap<string, Float32Array>>;
}

export function createCoalescedRequests(): CoalescedRequests {
  return {
    keys: createCoalescer(),
    agents: createCoalescer(),
    files: createCoalescer(),
    sessions: createCoalescer(),
    embeddings: createCoalescer(),
  };
}
