import { sha256 } from "../base/ids.ts";
import { PROFILES } from "./providers.ts";

/**
 * Returns the address that requests are sent to. People give Ollama's address as the host alone or
 * with `/api` for its own API; this service needs the OpenAI API below `/v1` of the same server.
 * Any other path belongs to a gateway and stays as it is.
 */
export function addressOf(provider: string, baseUrl: string): string {
  if (provider !== "ollama" || !URL.canParse(baseUrl)) return baseUrl;
  return /^\/(api\/*)?$/.test(new URL(baseUrl).pathname) ? `${baseUrl.replace(/\/+(api\/*)?$/, "")}/v1` : baseUrl;
}

/**
 * Returns a fingerprint of the provider's address. The address itself is not returned, because it
 * may hold secrets. Two spellings of one address have the same fingerprint, whatever the key. Empty
 * for models that run in this process.
 *
 * @param provider a provider's id, not `auto`
 * @param baseUrl the configured address; unset: the provider's own address
 */
export function endpointOf(provider: string, baseUrl: string | undefined): string {
  const address = baseUrl ?? (PROFILES as Partial<Record<string, { baseUrl: string | undefined }>>)[provider]?.baseUrl;
  if (address === undefined || !Object.hasOwn(PROFILES, provider)) return "";
  const asked = addressOf(provider, address);
  const { href } = URL.canParse(asked) ? new URL(asked) : { href: asked };
  return sha256(href.replace(/\/+$/, "")).slice(0, 16);
}
