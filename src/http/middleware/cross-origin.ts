import type { MiddlewareHandler } from "hono";
import { cors } from "hono/cors";

/** A browser asks again after so many seconds; most keep an answer for no longer than ten minutes. */
const PREFLIGHT_SECONDS = 600;

/** Headers of requests that the API reads, beside those that every page may send. */
const REQUEST_HEADERS = [
  ...["Authorization", "Content-Type", "Idempotency-Key", "If-Match", "If-None-Match", "Recollect-Tenant"],
  // Of the Model Context Protocol, and of traces.
  ...[
    "X-Request-Id",
    "Mcp-Protocol-Version",
    "Mcp-Method",
    "Mcp-Name",
    "Mcp-Session-Id",
    "Last-Event-ID",
    "traceparent",
  ],
];

/** Headers of answers that a page may read, beside the few that it always may. */
const ANSWER_HEADERS = [
  ...["ETag", "Retry-After", "X-Request-Id", "Idempotency-Replayed", "WWW-Authenticate", "Content-Disposition"],
  ...["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset", "RateLimit-Policy"],
];

/**
 * Lets pages of these origins read answers and send keys (CORS). It comes before authentication: a browser's preflight has no key.
 * No cookie is ever asked for or allowed: who asks is who has the key, so a page without one gets nothing, whatever the browser
 * holds. Origins are compared exactly.
 */
export function crossOrigin(origins: readonly string[]): MiddlewareHandler {
  return cors({
    origin: [...origins],
    allowMethods: ["GET", "POST", "PUT", "PATCH", "DELETE"],
    allowHeaders: REQUEST_HEADERS,
    exposeHeaders: ANSWER_HEADERS,
    maxAge: PREFLIGHT_SECONDS,
  });
}
