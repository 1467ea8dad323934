import { addEmbeddingUsage } from "../../db/control/embedding-usage.ts";
import type { SqlExecutor } from "../../db/database.ts";
import type { Embedder, EmbedInputType, EmbedReport } from "../../embeddings/embedder.ts";
import type { AgentProfile } from "../core/agent-profile.ts";
import { cacheVectors } from "./embedder-for.ts";
import type { EmbeddingDeps } from "./embedding-deps.ts";
import { usageOf } from "./embedding-usage.ts";

/** Returns the text of a chunk that is embedded. */
export function textToEmbed({ heading, text }: { heading: string; text: string }): string {
  return heading === "" ? text : `${heading}\n${text}`;
}

export type HashedText = readonly [hash: string, text: string];

/** The vectors that a provider makes for an agent, with the usage of its requests. */
export interface MadeVectors {
  /** The vectors, by hash. */
  readonly vectors: ReadonlyMap<string, Float32Array>;
  /** Counts a request to the provider. */
  readonly report: EmbedReport;
  /** Embeds texts in one call. @throws the embedder's errors */
  embed(texts: readonly HashedText[], inputType: EmbedInputType, signal: AbortSignal): Promise<void>;
  /**
   * Caches the vectors and counts the requests, in the transaction that stores the vectors: so they
   * are counted once.
   */
  save(service: SqlExecutor): Promise<void>;
}

export function createMadeVectors(deps: EmbeddingDeps, agent: AgentProfile, embedder: Embedder): MadeVectors {
  const vectors = new Map<string, Float32Array>();
  const counts = { requests: 0, texts: 0, tokens: 0 };
  const report: EmbedReport = ({ tokens }) => {
    counts.requests++;
    counts.tokens += tokens;
  };
  return {
    vectors,
    report,
    embed: async (texts, inputType, signal) => {
      const plain = texts.map(([, text]) => text);
      const made = await embedder.embed(plain, inputType, signal, report);
      counts.texts += texts.length;
      for (const [index, [hash]] of texts.entries()) {
        const vector = made[index];
        if (vector) vectors.set(hash, vector);
      }
    },
    save: async (service) => {
      const usage = counts.requests > 0 ? [usageOf(deps, agent, embedder, { kind: "document", ...counts })] : [];
      // Both statements are sent at once, because writers of the agent wait until the transaction
      // is over.
      await Promise.all([cacheVectors(deps, service, agent, embedder, vectors), addEmbeddingUsage(service, usage)]);
    },
  };
}
