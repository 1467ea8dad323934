import { AppError } from "../base/errors.ts";
import { PROFILES, type ProviderId, type RemoteProviderId } from "./providers.ts";

type ProviderName = "auto" | ProviderId | "none";

/** The providers' API keys from the environment. */
export interface ProviderKeys {
  openai?: string | undefined;
  gemini?: string | undefined;
  voyage?: string | undefined;
  mistral?: string | undefined;
}

/** The settings that decide which provider is used. */
export interface ProviderChoice {
  provider: ProviderName;
  /** The provider used when the first is unavailable. `auto` and `none` mean no fallback. */
  fallback?: ProviderName | undefined;
  /** The configured key of the named provider. With `auto` it is OpenAI's key. */
  apiKey?: string | undefined;
  baseUrl?: string | undefined;
  local?: { modelPath?: string | undefined; contextSize?: number | undefined } | undefined;
}

interface ResolvedProvider {
  readonly provider: ProviderId | "none";
  /**
   * How the provider was chosen: named in the settings, found by `auto`, or taken as the fallback.
   * The fallback gets none of the settings that were made for another provider.
   */
  readonly via: "named" | "auto" | "fallback";
}

/** The providers that `auto` takes if their key is present, in this order. */
export const AUTOMATIC = ["openai", "gemini", "voyage", "mistral"] as const;

/**
 * Returns the provider that the settings lead to. `auto` takes the first of: local (if its model
 * file exists), openai, gemini, voyage, mistral (each if its key is present), the fallback,
 * builtin.
 *
 * @param exists returns whether a file exists
 * @throws AppError `config_invalid`, which names the variable, when the key of a named provider is
 *   missing
 */
export function resolveProvider(
  settings: ProviderChoice,
  keys: ProviderKeys,
  exists: (path: string) => boolean,
): ResolvedProvider {
  const { provider } = settings;
  if (provider !== "auto") {
    if (provider !== "none" && provider !== "local" && provider !== "builtin") requireKey(provider, settings, keys);
    return { provider, via: "named" };
  }
  const modelPath = settings.local?.modelPath;
  if (modelPath !== undefined && exists(modelPath)) return { provider: "local", via: "auto" };
  const found = AUTOMATIC.find((id) =>
    keyOf(id, { ...settings, apiKey: id === "openai" ? settings.apiKey : undefined }, keys),
  );
  if (found) return { provider: found, via: "auto" };
  const fallback = fallbackOf(settings);
  return fallback ? { provider: fallback, via: "fallback" } : { provider: "builtin", via: "auto" };
}

/** Returns the fallback provider; undefined when there is none. */
export function fallbackOf({ fallback }: ProviderChoice): ProviderId | undefined {
  return fallback === undefined || fallback === "auto" || fallback === "none" ? undefined : fallback;
}

/**
 * Returns the key that is sent to a provider: the configured key, else the key from the
 * environment. The environment's key goes only to the provider's own address. Otherwise everyone
 * who may set `remote.baseUrl` could have the key sent to a server of their own.
 */
export function keyOf(
  provider: RemoteProviderId,
  { apiKey, baseUrl }: Pick<ProviderChoice, "apiKey" | "baseUrl">,
  keys: ProviderKeys,
): string | undefined {
  if (apiKey) return apiKey;
  if (provider === "ollama" || provider === "openai-compatible" || baseUrl !== undefined) return undefined;
  return keys[provider] || undefined;
}

function requireKey(provider: RemoteProviderId, settings: ProviderChoice, keys: ProviderKeys): void {
  const variable = PROFILES[provider].keyVariable;
  if (variable === undefined || settings.baseUrl !== undefined || keyOf(provider, settings, keys) !== undefined) return;
  throw new AppError("config_invalid", `The provider ${provider} needs a key: set ${variable}.`);
}
