import type { MiddlewareHandler } from "hono";
import { cors } from "hono/cors";

/**
 * How long a browser may keep the answer to a preflight. Most keep it for no longer than ten
 * minutes.
 */
const PREFLIGHT_SECONDS = 600;

/** Request headers that the API reads, besides those that every page may send. */
const REQUEST_HEADERS = [
  ...["Authorization", "Content-Type", "Idempotency-Key", "If-Match", "If-None-Match", "Recollect-Tenant"],
  // Headers of the Model Context Protocol, and of traces.
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

/** Headers of answers that a page may read, besides the few that it always may. */
const ANSWER_HEADERS = [
  ...[
    "ETag",
    "Retry-After",
    "X-Request-Id",
    "Allow",
    "Idempotency-Replayed",
    "WWW-Authenticate",
    "Content-Disposition",
  ],
  ...["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset", "RateLimit-Policy"],
];

/**
 * Lets pages of these origins read answers and send keys (CORS). It runs before authentication,
 * because a browser's preflight has no key. It never asks for or allows a cookie: only a key
 * identifies a caller, so a page without one gets nothing, whatever the browser holds. Origins are
 * compared exactly.
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
