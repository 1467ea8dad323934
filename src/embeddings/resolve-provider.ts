import { AppError } from "../base/errors.ts";
import { PROFILES, type ProviderId, type RemoteProviderId } from "./providers.ts";

type ProviderName = "auto" | ProviderId | "none";

/** Keys of the providers from the environment. */
export interface ProviderKeys {
  openai?: string | undefined;
  gemini?: string | undefined;
  voyage?: string | undefined;
  mistral?: string | undefined;
}

/** The settings that decide which provider is taken. */
export interface ProviderChoice {
  provider: ProviderName;
  /** Used when the provider is unavailable; `auto` and `none` are no fallback. */
  fallback?: ProviderName | undefined;
  /** The configured key, of whichever provider is named; with `auto` it is OpenAI's. */
  apiKey?: string | undefined;
  baseUrl?: string | undefined;
  local?: { modelPath?: string | undefined; contextSize?: number | undefined } | undefined;
}

interface ResolvedProvider {
  readonly provider: ProviderId | "none";
  /** Whether it was named, found by `auto`, or is the fallback, which takes none of the settings made for another. */
  readonly via: "named" | "auto" | "fallback";
}

const AUTOMATIC = ["openai", "gemini", "voyage", "mistral"] as const;

/**
 * The provider of the settings. `auto` takes the first of: local (its model file exists), openai, gemini, voyage, mistral
 * (each when its key is there), the fallback, builtin.
 *
 * @param exists whether a file exists
 * @throws AppError `config_invalid` when a named provider's key is missing, naming the variable
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

/** The fallback that is one; undefined without. */
export function fallbackOf({ fallback }: ProviderChoice): ProviderId | undefined {
  return fallback === undefined || fallback === "auto" || fallback === "none" ? undefined : fallback;
}

/**
 * The key a provider is sent: the configured one, else the environment's. The environment's goes to the provider's own
 * address only: whoever may set `remote.baseUrl` must not be able to have it sent to a server of theirs.
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
