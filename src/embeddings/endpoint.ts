import { sha256 } from "../base/ids.ts";
import { PROFILES } from "./providers.ts";

/**
 * The address as it is asked. People know Ollama by its host alone, or by its own API below `/api`; the API that is spoken
 * here is below `/v1` of the same server. Any other path is a gateway's, and is asked as it is.
 */
export function addressOf(provider: string, baseUrl: string): string {
  if (provider !== "ollama" || !URL.canParse(baseUrl)) return baseUrl;
  return /^\/(api\/*)?$/.test(new URL(baseUrl).pathname) ? `${baseUrl.replace(/\/+(api\/*)?$/, "")}/v1` : baseUrl;
}

/**
 * The place that a provider with this address is: a fingerprint of the address, since one may hold secrets; empty for models
 * that run in this process. Two spellings of one address are one place, whatever the key.
 *
 * @param provider a provider's id, not `auto`
 * @param baseUrl unset: the provider's own address
 */
export function endpointOf(provider: string, baseUrl: string | undefined): string {
  const address = baseUrl ?? (PROFILES as Partial<Record<string, { baseUrl: string | undefined }>>)[provider]?.baseUrl;
  if (address === undefined || !Object.hasOwn(PROFILES, provider)) return "";
  const asked = addressOf(provider, address);
  const { href } = URL.canParse(asked) ? new URL(asked) : { href: asked };
  return sha256(href.replace(/\/+$/, "")).slice(0, 16);
}
