import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Logger } from "../base/logger.ts";
import type { Config } from "../config/config.ts";
import {
  builtinModelName,
  createEmbedder,
  type EmbedderSettings,
  embeddingWarnings,
} from "../embeddings/create-embedder.ts";
import type { Embedder } from "../embeddings/embedder.ts";
import { createResilienceRegistry } from "../embeddings/provider-guard.ts";
import { resolveProvider } from "../embeddings/resolve-provider.ts";
import { DEFAULT_EMBEDDING_MODEL } from "../onnx/model-table.ts";
import type { EmbeddingSettings } from "../service/embedding/embedder-registry.ts";

/**
 * Returns the function that opens this process's embedders. They use the keys of the environment
 * and share one set of limits and circuit breakers. Each built-in model is loaded once, however
 * many settings lead to it.
 *
 * @param laneLimit the most requests to one provider at once, by the operator's own settings; an
 *   agent's limit is its share of these
 */
export function embedderOpener(
  config: Config,
  logger: Logger,
  laneLimit?: number,
): (settings: EmbeddingSettings) => Promise<Embedder | undefined> {
  const registry = createResilienceRegistry();
  const builtin = new Map<string, Promise<Embedder | undefined>>();
  return async (settings) => {
    const wanted: EmbedderSettings = {
      ...toEmbedderSettings(config, settings),
      resilience: { registry, laneLimit, concurrency: settings.remote.nonBatchConcurrency },
      onWarning: (message) => logger.warn(message),
    };
    const name = builtinModelOf(wanted);
    const known = name === undefined ? undefined : builtin.get(name);
    if (known) return known;
    const made = createEmbedder(wanted);
    if (name === undefined) return sharedIfBuiltin(builtin, made);
    builtin.set(name, made);
    // The model's files may be missing now and be added later, so a failure is not remembered.
    made.catch(() => builtin.delete(name));
    return made;
  };
}

/** Returns warnings about settings that have no effect with the provider that they name. */
export function embeddingWarningsOf(config: Config, settings: EmbeddingSettings): string[] {
  return embeddingWarnings(toEmbedderSettings(config, settings));
}

/**
 * Returns the embedder itself, or the one that this process already has for the same built-in
 * model. Only while an embedder is made does it show that a provider cannot be used and a built-in
 * model replaces it.
 */
async function sharedIfBuiltin(
  builtin: Map<string, Promise<Embedder | undefined>>,
  made: Promise<Embedder | undefined>,
): Promise<Embedder | undefined> {
  const embedder = await made;
  if (embedder?.provider !== "builtin") return embedder;
  const known = builtin.get(embedder.model);
  if (known) await embedder.close();
  else builtin.set(embedder.model, made);
  return known ?? embedder;
}

function toEmbedderSettings(config: Config, settings: EmbeddingSettings): EmbedderSettings {
  const { provider, model, fallback, outputDimensionality, queryInputType, documentInputType, remote, local } =
    settings;
  const { keys, former } = config.embedding;
  // A key that the environment names next to an address belongs to that address; no other address
  // gets it.
  const beside = [config.embedding, former].find(({ baseUrl }) => baseUrl !== undefined && baseUrl === remote.baseUrl);
  const ownKey = remote.apiKey ?? beside?.apiKey;
  return {
    provider,
    model,
    fallback,
    outputDimensionality,
    queryInputType,
    documentInputType,
    keys,
    baseUrl: remote.baseUrl,
    headers: remote.headers,
    apiKey: ownKey,
    local: { modelPath: local.modelPath, contextSize: local.contextSize },
    cacheDir: join(config.cacheDir, "models"),
    modelsDir: config.modelsDir,
  };
}

/**
 * Returns the name of the built-in model that these settings lead to; undefined if they lead to
 * another provider.
 */
function builtinModelOf(settings: EmbedderSettings): string | undefined {
  try {
    const { provider } = resolveProvider(settings, settings.keys ?? {}, existsSync);
    return provider === "builtin" ? builtinModelName(settings) : undefined;
  } catch {
    // The provider has no key: `createEmbedder` reports that, or uses the fallback.
    return settings.fallback === "builtin" ? DEFAULT_EMBEDDING_MODEL : undefined;
  }
}
