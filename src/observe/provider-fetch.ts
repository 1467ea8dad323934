import { traceparent } from "./trace.ts";

/**
 * `fetch` for providers, with the trace context for those that continue the trace. A redirect is not followed, whatever the
 * caller says: it would take key, headers and texts to a host that nobody has configured. It is answered as the response
 * that it is, with its status.
 */
export const providerFetch: typeof fetch = (input, init) => {
  const parent = traceparent();
  if (parent === undefined) return fetch(input, { ...init, redirect: "manual" });
  const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : {}));
  headers.set("traceparent", parent);
  return fetch(input, { ...init, headers, redirect: "manual" });
};

/** Whether a status is a redirect. */
export function isRedirect(status: number | undefined): status is number {
  return status !== undefined && status >= 300 && status < 400;
}
