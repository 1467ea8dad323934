import type { LRUCache } from "lru-cache";
import type { MemorySettings } from "../../agents/settings-schema.ts";
import type { Generation } from "../../db/agent/space/generations.ts";
import type { Embedder } from "../../embeddings/embedder.ts";
import type { Models } from "../../models/open-models.ts";
import type { CoreDeps } from "../core/core-deps.ts";
import type { QueryUsage } from "./query-usage.ts";

/** Embedders by the settings that ask for them; each is made once and shared by all agents with the same settings. */
export interface Embedders {
  /** What an agent with these settings is to be embedded with; undefined for provider `none`. */
  forSettings(settings: MemorySettings): Promise<Embedder | undefined>;
  /** What made a generation, if it can still be had. */
  forGeneration(generation: Generation, settings: MemorySettings): Promise<Embedder | undefined>;
}

/** What a use case works with that asks models. */
export interface EmbeddingDeps extends CoreDeps {
  readonly embedders: Embedders;
  /** Query vectors in pgvector's binary form, by agent, embedder and query hash. */
  readonly queryVectors: LRUCache<string, Uint8Array>;
  /** Counts what searches ask of providers. */
  readonly queryUsage: QueryUsage;
  /** How long a search waits for its query's embedding before it answers by keyword. */
  readonly queryEmbedTimeoutMs: number;
  /** Chat models and rerankers. */
  readonly models: Models;
  /** How long a search waits for one of them before it goes on without. */
  readonly modelTimeoutMs: number;
}
