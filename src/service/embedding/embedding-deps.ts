import type { LRUCache } from "lru-cache";
import type { GenerationModel } from "../../db/agent/schema/generation-model.ts";
import type { Embedder } from "../../embeddings/embedder.ts";
import type { Models } from "../../models/open-models.ts";
import type { MemorySettings } from "../../settings/settings-schema.ts";
import type { CoreDeps } from "../core/core-deps.ts";
import type { QueryUsage } from "./query-usage.ts";

/**
 * The embedders by their settings. Each is created once and shared by all agents with the same
 * settings.
 */
export interface Embedders {
  /** Returns the embedder that settings ask for; undefined for provider `none`. */
  forSettings(settings: MemorySettings): Promise<Embedder | undefined>;
  /** Returns the embedder that made a generation, if it is still available. */
  forGeneration(generation: GenerationModel, settings: MemorySettings): Promise<Embedder | undefined>;
}

/** The dependencies of use cases that call models. */
export interface EmbeddingDeps extends CoreDeps {
  readonly embedders: Embedders;
  /** The query vectors in pgvector's binary form, by agent, embedder and query hash. */
  readonly queryVectors: LRUCache<string, Uint8Array>;
  /** Counts the requests that searches send to providers. */
  readonly queryUsage: QueryUsage;
  /**
   * The longest time that a search waits for the query's embedding before it answers by keyword.
   */
  readonly queryEmbedTimeoutMs: number;
  /** The chat models and rerankers. */
  readonly models: Models;
  /**
   * The longest time that a search waits for a chat model or reranker before it goes on without it.
   */
  readonly modelTimeoutMs: number;
}
