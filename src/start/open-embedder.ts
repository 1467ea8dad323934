import { join } from "node:path";
import { AppError } from "../base/errors.ts";
import type { Logger } from "../base/logger.ts";
import type { Config } from "../config/config.ts";
import { createEmbedder } from "../embeddings/create-embedder.ts";
import type { Embedder } from "../embeddings/embedder.ts";
import type { EmbeddingSettings } from "../service/embedder-registry.ts";

/** Makes the embedder that settings ask for, with the keys of the environment. @throws AppError as the provider does */
export async function openEmbedder(
  config: Config,
  logger: Logger,
  settings: EmbeddingSettings,
): Promise<Embedder | undefined> {
  const { model, outputDimensionality, remote } = settings;
  const apiKey = remote.apiKey ?? config.embedding.apiKey;
  const provider = settings.provider === "auto" ? (apiKey === undefined ? "builtin" : "openai") : settings.provider;
  if (provider !== "openai" && provider !== "builtin" && provider !== "none")
    throw new AppError("config_invalid", `The embedding provider ${provider} is not available yet.`);
  return createEmbedder({
    provider,
    cacheDir: join(config.cacheDir, "models"),
    onWarning: (message) => logger.warn(message),
    ...(model === undefined ? {} : { model }),
    ...(remote.baseUrl === undefined ? {} : { baseUrl: remote.baseUrl }),
    ...(remote.headers === undefined ? {} : { headers: remote.headers }),
    ...(outputDimensionality === undefined ? {} : { outputDimensionality }),
    ...(apiKey === undefined ? {} : { apiKey }),
  });
}
