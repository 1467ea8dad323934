import { LRUCache } from "lru-cache";
import { AppError } from "../../base/errors.ts";
import type { GenerationModel } from "../../db/agent/schema/generation-model.ts";
import { type Embedder, runsInProcess } from "../../embeddings/embedder.ts";
import { endpointOf } from "../../embeddings/endpoint.ts";
import type { MemorySettings } from "../../settings/settings-schema.ts";
import { withoutRemote } from "../core/agent-profile.ts";
import type { Embedders } from "./embedding-deps.ts";

/** The settings that decide how to embed. */
export type EmbeddingSettings = Pick<
  MemorySettings,
  | ("provider" | "model" | "fallback" | "outputDimensionality" | "queryInputType" | "documentInputType")
  | ("remote" | "local")
>;

/**
 * The most embedders that are kept. Tenants choose models, input types and sizes, and each
 * combination is an embedder.
 */
const MAX_EMBEDDERS = 500;
/** The interval at which a provider that was unavailable at first is tried again. */
const LOOK_AGAIN_MS = 60_000;

interface Made {
  embedder: Promise<Embedder | undefined>;
  /**
   * The time at which the provider itself is tried again, by the clock of `performance`; only set
   * while its fallback replaces it.
   */
  lookAgainAt?: number;
}

/**
 * Creates a registry of embedders by their settings. An embedder is created at its first use and
 * kept. Agents with the same settings share it, with its connections, its limits and, for a
 * built-in model, its memory.
 *
 * @param create creates an embedder; undefined for provider `none`
 */
export function createEmbedderRegistry(
  create: (settings: EmbeddingSettings) => Promise<Embedder | undefined>,
): Embedders & { close(): Promise<void> } {
  const made = new LRUCache<string, Made>({ max: MAX_EMBEDDERS });
  // The models that run in this process, which only an operator can name. They are kept apart from
  // the cache, since an evicted one would keep its memory.
  const loaded = new Set<Embedder>();
  const keep = (embedder: Embedder | undefined) => embedder && runsInProcess(embedder) && loaded.add(embedder);
  const lookAgain = async (key: string, known: Made, settings: EmbeddingSettings): Promise<void> => {
    known.lookAgainAt = performance.now() + LOOK_AGAIN_MS;
    const embedder = await create({ ...settings, fallback: "none" });
    keep(embedder);
    made.set(key, { embedder: Promise.resolve(embedder) });
  };
  const get = (settings: EmbeddingSettings): Promise<Embedder | undefined> => {
    const key = keyOf(settings);
    const known = made.get(key);
    if (known) {
      // The fallback serves until the provider answers.
      if (known.lookAgainAt !== undefined && performance.now() >= known.lookAgainAt)
        lookAgain(key, known, settings).catch(() => undefined);
      return known.embedder;
    }
    const making: Made = { embedder: create(settings) };
    made.set(key, making);
    making.embedder.then(
      (embedder) => {
        keep(embedder);
        if (embedder && settings.provider !== "auto" && embedder.provider !== settings.provider)
          making.lookAgainAt = performance.now() + LOOK_AGAIN_MS;
      },
      // A provider that did not answer may answer the next time.
      () => made.delete(key),
    );
    return making.embedder;
  };
  return {
    forSettings: get,
    forGeneration: async (generation, settings) => {
      let away: AppError | undefined;
      for (const candidate of candidates(generation, settings)) {
        const embedder = await get(candidate).catch((error: unknown) => {
          if (!(error instanceof AppError)) throw error;
          if (error.code === "embedder_unavailable") away ??= error;
          return undefined;
        });
        if (embedder && fits(embedder, generation)) return embedder;
      }
      // An embedder that does not answer now may be the right one, so the caller has to try again later. The others come
      // first: an index of the built-in model is searched while a new provider is away.
      if (away) throw away;
      return undefined;
    },
    close: async () => {
      await Promise.allSettled([...made.values()].map(({ embedder }) => embedder));
      await Promise.all([...loaded].map((embedder) => embedder.close()));
    },
  };
}

/**
 * Returns settings that may lead to the embedder of a generation: first the agent's settings, then
 * the same with the provider and model that the generation records, then these at the address that
 * the operator names as the former one. The latter two are only tried if they lead to the
 * generation's address, because creating an embedder may already send a request to its address.
 */
export function candidates(generation: GenerationModel, settings: MemorySettings): EmbeddingSettings[] {
  const provider = generation.provider as MemorySettings["provider"];
  // Another provider must not get this provider's key, and has other input types.
  const types = { queryInputType: undefined, documentInputType: undefined };
  const safe = provider === settings.provider ? settings : { ...withoutRemote(settings), ...types };
  const named: EmbeddingSettings = { ...safe, provider, model: generation.model, outputDimensionality: undefined };
  const isItsPlace = ({ remote }: EmbeddingSettings) =>
    // A model that runs in this process has only one place, even in an index from before addresses
    // were recorded.
    endpointOf(provider, remote.baseUrl) === (runsInProcess(generation) ? "" : generation.endpoint);
  const { baseUrl, apiKey, headers } = settings.remote.former;
  // The former address gets its own key and no other.
  const former = { ...named, remote: { ...named.remote, baseUrl, apiKey, headers } };
  const places = [named, ...(baseUrl === undefined ? [] : [former])].filter(isItsPlace);
  const withDimensions = places.map((one) => ({ ...one, outputDimensionality: generation.dimensions ?? undefined }));
  return [settings, ...places.flatMap((one, i) => [one, withDimensions[i] ?? one])];
}

/** Returns whether an embedder is the one that made a generation. */
export function fits(embedder: Embedder, generation: GenerationModel): boolean {
  return (
    embedder.provider === generation.provider &&
    embedder.model === generation.model &&
    // Null: the index was made before addresses were recorded, so any address fits.
    (generation.endpoint === null || (embedder.endpoint ?? "") === generation.endpoint) &&
    embedder.dimensions === generation.dimensions
  );
}

function keyOf(settings: EmbeddingSettings): string {
  if (settings.provider === "none") return settings.provider;
  if (settings.provider === "builtin") return JSON.stringify([settings.provider, settings.model]);
  const { provider, model, fallback, outputDimensionality, queryInputType, documentInputType, remote, local } =
    settings;
  return JSON.stringify([
    ...[provider, model, fallback, outputDimensionality, queryInputType, documentInputType],
    ...[remote.baseUrl, remote.apiKey, remote.headers, remote.nonBatchConcurrency, local.modelPath],
  ]);
}
