import { BuiltinEmbedder } from "./builtin-embedder.ts";
import type { Embedder } from "./embedder.ts";
import { createOpenAiEmbedder, type OpenAiOptions } from "./openai-embedder.ts";

export interface EmbedderSettings extends OpenAiOptions {
  provider: "builtin" | "openai" | "none";
  /** Where files that can be made again are kept. */
  cacheDir: string;
  onWarning?: (message: string) => void;
}

/** The embedder of these settings; undefined for provider `none`. @throws AppError as the provider does. */
export async function createEmbedder(settings: EmbedderSettings): Promise<Embedder | undefined> {
  if (settings.provider === "none") return undefined;
  if (settings.provider === "openai") return createOpenAiEmbedder(settings);
  return new BuiltinEmbedder({ cacheDir: settings.cacheDir, onWarning: settings.onWarning });
}
