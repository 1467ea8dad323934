import { type AskTogether, createAskTogether } from "../../base/ask-together.ts";
import type { LiveGenerations } from "../../db/agent/space/generations.ts";
import type { AgentLookup } from "../../db/control/agents.ts";
import type { KeyLookup } from "../../db/control/api-keys.ts";

/** What requests under way ask together: nobody is answered from before the own request. */
export interface SharedQuestions {
  /** By prefix. */
  readonly keys: AskTogether<string, KeyLookup | undefined>;
  /** By tenant and id. */
  readonly agents: AskTogether<string, AgentLookup | undefined>;
  /** What is to be known of paths before they are written, by schema. */
  readonly files: AskTogether<readonly string[], { live: LiveGenerations; hashes: ReadonlyMap<string, string> }>;
  /** That a session be indexed, by schema and key; whether it is. */
  readonly sessions: AskTogether<string, boolean>;
  /** Cached vectors of hashes, by whose and which they are. */
  readonly embeddings: AskTogether<readonly string[], ReadonlyMap<string, Float32Array>>;
}

export function createSharedQuestions(): SharedQuestions {
  return {
    keys: createAskTogether(),
    agents: createAskTogether(),
    files: createAskTogether(),
    sessions: createAskTogether(),
    embeddings: createAskTogether(),
  };
}
