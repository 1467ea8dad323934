import { AppError } from "../base/errors.ts";
import { sha256 } from "../base/ids.ts";
import type { EmbedInputType } from "./embedder.ts";
import { addressOf } from "./endpoint.ts";
import type { ProviderProfile } from "./providers.ts";

/** Runs one request to a provider under its limits: concurrency, retries, circuit breaker. */
export type Guard = <T>(
  request: () => Promise<T>,
  how: { inputType: EmbedInputType; signal?: AbortSignal | undefined },
) => Promise<T>;

/**
 * The keys of the state that requests share: one lane per address and key, one circuit breaker per
 * set of everything that decides a vector.
 */
export interface GuardKeys {
  readonly lane: string;
  readonly breaker: string;
}

/** The settings of a provider reached over HTTP. */
export interface RemoteOptions {
  model?: string | undefined;
  baseUrl?: string | undefined;
  apiKey?: string | undefined;
  /**
   * Headers sent with every request, for gateways that need more than a key. They are secret like
   * the key.
   */
  headers?: Readonly<Record<string, string>> | undefined;
  /** The vector length to request from the model. Overrides the known length of the model. */
  outputDimensionality?: number | undefined;
  /** The input types sent for queries and documents, instead of the words of the profile. */
  queryInputType?: string | undefined;
  documentInputType?: string | undefined;
  timeoutMs?: number | undefined;
  onWarning?: ((message: string) => void) | undefined;
  /** Returns the guard of a provider. Without it each request is tried once, without waiting. */
  guardFor?: ((keys: GuardKeys) => Guard) | undefined;
}

/** Options that have been checked, with the additions of the profile. */
export interface CheckedOptions extends RemoteOptions {
  readonly profile: ProviderProfile;
  readonly model: string;
  readonly baseUrl: string;
  readonly timeoutMs: number;
  readonly providerKey: string;
  readonly guardKeys: GuardKeys;
}

/**
 * Checks everything that can be checked without a request to the provider.
 *
 * @throws AppError `config_invalid`, which names the setting but never its value: keys, headers and
 *   URLs hold secrets
 */
export function checkOptions(profile: ProviderProfile, options: RemoteOptions): CheckedOptions {
  const model = options.model ?? profile.defaultModel;
  const given = options.baseUrl === undefined ? undefined : addressOf(profile.id, options.baseUrl);
  const baseUrl = given ?? profile.baseUrl;
  if (model === undefined) throw invalid(profile, "needs a model: set the setting model, or RECOLLECT_MODEL.");
  if (baseUrl === undefined)
    throw invalid(profile, "needs the server's address: set the setting remote.baseUrl, or RECOLLECT_BASE_URL.");
  checkKey(profile, options);
  checkUrl(profile, baseUrl);
  checkHeaders(profile, options.headers);
  const sizes = profile.sizes[model];
  if (options.outputDimensionality !== undefined && sizes && !sizes.includes(options.outputDimensionality)) {
    throw invalid(
      profile,
      `gives vectors of ${sizes.join(", ")} dimensions with this model: set outputDimensionality to one of them.`,
    );
  }
  const providerKey = fingerprint({ ...options, baseUrl: given });
  const { apiKey, headers } = options;
  return {
    ...options,
    profile,
    model,
    baseUrl,
    timeoutMs: options.timeoutMs ?? profile.timeoutMs,
    providerKey,
    guardKeys: {
      lane: `${profile.id}:${fingerprint({ apiKey, baseUrl, headers })}`,
      breaker: `${profile.id}:${providerKey}:${model}`,
    },
  };
}

/** Returns the input type to send to the provider; undefined: none is sent. */
export function inputTypeOf(options: CheckedOptions, inputType: EmbedInputType): string | undefined {
  const override = inputType === "query" ? options.queryInputType : options.documentInputType;
  return override ?? options.profile.inputTypes?.[inputType];
}

/**
 * Returns a fingerprint of everything besides the model that decides a vector. With only a key, an
 * address and a size the hash is the same as in older releases.
 */
function fingerprint(options: RemoteOptions): string {
  const { apiKey, baseUrl, outputDimensionality, queryInputType, documentInputType, headers } = options;
  const parts = [apiKey ?? "", baseUrl ?? "", String(outputDimensionality ?? "")];
  if (queryInputType !== undefined || documentInputType !== undefined || headers !== undefined) {
    const sorted = Object.entries(headers ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
    parts.push(JSON.stringify([queryInputType, documentInputType, sorted]));
  }
  return sha256(parts.join("\n")).slice(0, 16);
}

function checkKey(profile: ProviderProfile, { apiKey, baseUrl }: RemoteOptions): void {
  const variable = profile.keyVariable;
  if (apiKey !== undefined) {
    if (/^[!-~]+$/.test(apiKey.trim())) return;
    // If the SDK got this key, the request would fail with an error that quotes the key and looks
    // like an outage.
    throw new AppError(
      "config_invalid",
      `${variable ?? "remote.apiKey"} has characters that no key has; copy it again.`,
    );
  }
  if (variable === undefined) return;
  if (profile.id === "openai") {
    if (baseUrl !== undefined) return;
    throw invalid(profile, `needs a key: set ${variable}, or RECOLLECT_BASE_URL for a server that needs none.`);
  }
  throw invalid(
    profile,
    baseUrl === undefined
      ? `needs a key: set ${variable}.`
      : `needs a key: set remote.apiKey beside remote.baseUrl; ${variable} is sent to the provider's own address only.`,
  );
}

function checkUrl(profile: ProviderProfile, baseUrl: string): void {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) throw invalid(profile, "needs an http or https URL as remote.baseUrl.");
  if (url.username !== "" || url.password !== "") {
    // fetch() refuses a URL with a password, with an error that quotes it.
    throw invalid(profile, "takes no user and password in remote.baseUrl: put them into remote.headers.");
  }
}

function checkHeaders(profile: ProviderProfile, headers: RemoteOptions["headers"]): void {
  for (const [name, value] of Object.entries(headers ?? {})) {
    try {
      new Headers([[name, value]]);
    } catch {
      // The cause is left out, because it quotes the value.
      throw invalid(profile, "got remote.headers with a name or value that no HTTP header can have.");
    }
    if (profile.id === "gemini" && /^x-goog-api-(key|client)$/i.test(name)) {
      throw invalid(profile, `sets the header ${name.toLowerCase()} itself: take it out of remote.headers.`);
    }
  }
}

function invalid(profile: ProviderProfile, problem: string): AppError {
  return new AppError("config_invalid", `The provider ${profile.id} ${problem}`);
}
