import { traceparent } from "./trace.ts";

/**
 * Calls `fetch` for a provider, with the trace context, so that the provider can continue the
 * trace. A redirect is never followed, whatever the caller says: it would take key, headers and
 * texts to a host that the operator has not configured. The redirect itself is returned as the
 * response, with its status.
 */
export const providerFetch: typeof fetch = (input, init) => {
  const parent = traceparent();
  if (parent === undefined) return fetch(input, { ...init, redirect: "manual" });
  const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : {}));
  headers.set("traceparent", parent);
  return fetch(input, { ...init, headers, redirect: "manual" });
};

/** Returns whether a status is a redirect. */
export function isRedirect(status: number | undefined): status is number {
  return status !== undefined && status >= 300 && status < 400;
}
