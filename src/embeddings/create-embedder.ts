import { existsSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../base/errors.ts";
import { createFairLane } from "../base/fair-lane.ts";
import { locateModel } from "../onnx/locate-model.ts";
import { DEFAULT_EMBEDDING_MODEL, MODEL_TABLE } from "../onnx/model-table.ts";
import { verifyFiles } from "../onnx/verify-files.ts";
import { BuiltinEmbedder } from "./builtin-embedder.ts";
import { type Embedder, type EmbedReport, withEmbed } from "./embedder.ts";
import { createGeminiEmbedder } from "./gemini-embedder.ts";
import { createLocalEmbedder, type LlamaEngine } from "./local-embedder.ts";
import { createOpenAiEmbedder } from "./openai-embedder.ts";
import {
  createGuard,
  createResilienceRegistry,
  type ResilienceOptions,
  type ResilienceRegistry,
} from "./provider-guard.ts";
import { DEFAULT_LOCAL_MODEL, type ProviderId } from "./providers.ts";
import type { RemoteOptions } from "./remote-options.ts";
import { fallbackOf, keyOf, type ProviderChoice, type ProviderKeys, resolveProvider } from "./resolve-provider.ts";

export interface EmbedderSettings extends ProviderChoice, Omit<RemoteOptions, "guardFor"> {
  /** The folder for files that can be made again. */
  cacheDir: string;
  /** The folder with the models that no npm package brings. */
  modelsDir?: string | undefined;
  /** The API keys from the environment. Each is sent only to its provider's own address. */
  keys?: ProviderKeys | undefined;
  /** The limits and circuit breakers that this embedder shares with other embedders. */
  resilience?: (ResilienceOptions & { registry?: ResilienceRegistry | undefined }) | undefined;
  /** Loads node-llama-cpp, or a substitute for it in a test. */
  loadEngine?: (() => Promise<LlamaEngine>) | undefined;
}

/**
 * Creates the embedder that the settings name, or returns undefined for provider `none`. When the
 * provider is unavailable and a fallback is set, creates the fallback with its own default model
 * and reports the reason to `onWarning`. Provider and model are part of an index's identity, so
 * vectors of the provider and of the fallback never mix. A provider that fails later is replaced in
 * `service/embedding/fallback.ts`.
 *
 * Requests to a remote provider are limited and retried here; see createGuard.
 *
 * @throws AppError the provider's error, when there is no fallback; the fallback's error, when it
 *   fails too
 */
export async function createEmbedder(settings: EmbedderSettings): Promise<Embedder | undefined> {
  const fallback = fallbackOf(settings);
  try {
    const { provider, via } = resolveProvider(settings, settings.keys ?? {}, existsSync);
    if (settings.provider === "auto" && settings.local?.modelPath !== undefined && provider !== "local")
      settings.onWarning?.(`There is no model file at local.modelPath; the provider ${provider} is used.`);
    for (const text of warningsOf(provider, settings)) settings.onWarning?.(text);
    if (provider === "none") return undefined;
    if (provider === "local" && via === "auto") return await buildLocalOrNext(settings);
    if (via !== "fallback") return await build(provider, settings);
    settings.onWarning?.(`No provider has a key or a model file; the fallback ${provider} is used.`);
  } catch (error) {
    const replaceable =
      error instanceof AppError && (error.code === "config_invalid" || error.code === "embedder_unavailable");
    if (!replaceable || fallback === undefined || fallback === settings.provider) throw error;
    settings.onWarning?.(
      `The provider ${settings.provider} cannot be used; the fallback ${fallback} is. ${error.message}`,
    );
  }
  return fallback === undefined ? undefined : build(fallback, ownSettings(settings));
}

/**
 * Returns warnings about settings that have no effect with the provider to which they lead. Opens no
 * embedder.
 */
export function embeddingWarnings(settings: EmbedderSettings): string[] {
  try {
    return warningsOf(resolveProvider(settings, settings.keys ?? {}, existsSync).provider, settings);
  } catch {
    // The provider cannot be used, and opening it says why.
    return [];
  }
}

function warningsOf(provider: ProviderId | "none", settings: EmbedderSettings): string[] {
  const { baseUrl, model } = settings;
  const warnings: string[] = [];
  if (baseUrl !== undefined && WITHOUT_SERVER.has(provider))
    warnings.push(
      `remote.baseUrl (RECOLLECT_BASE_URL) has no effect, because the provider ${provider} is used. Set RECOLLECT_PROVIDER=openai-compatible for a server with OpenAI's API, or name another provider with its key; or remove the address.`,
    );
  // `auto` found no key of the provider to which the model belongs.
  if (provider === "builtin" && model !== undefined && builtinModelName(settings) !== model)
    warnings.push(
      `No provider has a key, and ${JSON.stringify(model.slice(0, MAX_NAME_CHARS))} is no built-in model: ${builtinModelName(settings)} is used. Set the provider (RECOLLECT_PROVIDER) and its key, or another model.`,
    );
  return warnings;
}

const WITHOUT_SERVER: ReadonlySet<string> = new Set(["builtin", "local", "none"]);

const MAX_NAME_CHARS = 100;

/**
 * Opens the model file that `auto` found. If this machine cannot use the file (node-llama-cpp is
 * not installed, or the file is not a model), uses the next provider of `auto`, as if there were no
 * file.
 */
async function buildLocalOrNext(settings: EmbedderSettings): Promise<Embedder | undefined> {
  try {
    return await build("local", settings);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "config_invalid") throw error;
    const withoutFile = { ...settings, local: { ...settings.local, modelPath: undefined } };
    const { provider } = resolveProvider(withoutFile, settings.keys ?? {}, existsSync);
    settings.onWarning?.(
      `The model file at local.modelPath cannot be used; the provider ${provider} is used. ${error.message}`,
    );
    return createEmbedder(withoutFile);
  }
}

/**
 * Returns the settings that every provider understands. The model, address, key and vector size
 * were chosen for the failed provider and would be wrong for the fallback.
 */
function ownSettings(settings: EmbedderSettings): EmbedderSettings {
  const { cacheDir, modelsDir, keys, resilience, local, loadEngine, onWarning, timeoutMs } = settings;
  return { provider: "auto", cacheDir, modelsDir, keys, resilience, local, loadEngine, onWarning, timeoutMs };
}

/** Returns the name of the model that the provider `builtin` embeds with under these settings. */
export function builtinModelName({ provider, model }: Pick<EmbedderSettings, "provider" | "model">): string {
  // With `auto`, a name that is not in the table belongs to a provider that is unavailable.
  const isMeant = provider === "builtin" || MODEL_TABLE.some(({ name }) => name === model);
  return (isMeant ? model : undefined) ?? DEFAULT_EMBEDDING_MODEL;
}

/**
 * Opens a built-in model. Checks its files now rather than at the first text, so that missing or
 * wrong files are reported at once.
 */
async function openBuiltin(settings: EmbedderSettings): Promise<Embedder> {
  const { modelsDir, cacheDir, onWarning } = settings;
  const located = locateModel(builtinModelName(settings), "embedding", modelsDir);
  await verifyFiles(located);
  return inTurns(new BuiltinEmbedder({ cacheDir, located, onWarning }));
}

/** Two turns run at once, so that the model is not idle between two texts. */
const TURNS_AT_ONCE = 2;
/**
 * The texts of one turn. A chunk of 300 words takes 0.15 s on one core. With a batch of 32 texts in
 * one turn, a single text of another tenant waited for 12 s on a busy machine behind two batches.
 */
const TURN_TEXTS = 4;

/**
 * Makes tenants take turns of a few texts, because a model in this process embeds one text after
 * the other. Queries have their own lane and do not wait for documents.
 */
function inTurns(embedder: Embedder): Embedder {
  const lanes = { query: createFairLane(TURNS_AT_ONCE), document: createFairLane(TURNS_AT_ONCE) };
  return withEmbed(embedder, async (texts, inputType, signal, report) => {
    const made = { tokens: 0, cutTexts: 0 };
    const add: EmbedReport = ({ tokens, cutTexts }) => {
      made.tokens += tokens;
      made.cutTexts += cutTexts;
    };
    const vectors: Float32Array[] = [];
    for (let from = 0; from < texts.length; from += TURN_TEXTS) {
      const part = texts.slice(from, from + TURN_TEXTS);
      vectors.push(...(await lanes[inputType].run(() => embedder.embed(part, inputType, signal, add), { signal })));
    }
    // The caller made one request, so it gets one report.
    if (texts.length > 0) report?.(made);
    return vectors;
  });
}

async function build(provider: ProviderId, settings: EmbedderSettings): Promise<Embedder> {
  if (provider === "builtin") {
    return openBuiltin(settings);
  }
  if (provider === "local") {
    const { modelPath = join(settings.cacheDir, `${settings.model ?? DEFAULT_LOCAL_MODEL}.gguf`), contextSize } =
      settings.local ?? {};
    return inTurns(await createLocalEmbedder({ ...settings, modelPath, contextSize }));
  }
  const { registry = createResilienceRegistry(), ...resilience } = settings.resilience ?? {};
  const options: RemoteOptions = {
    ...settings,
    apiKey: keyOf(provider, settings, settings.keys ?? {}),
    guardFor: (keys) => createGuard(registry, keys, resilience),
  };
  return provider === "gemini" ? createGeminiEmbedder(options) : createOpenAiEmbedder({ ...options, provider });
}
