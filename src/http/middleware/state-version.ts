import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "../context.ts";

/**
 * Names the server's version in a header of every answer, so that a client of another version can
 * tell its user without a further request.
 */
export function stateVersion(version: string): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    c.header("Recollect-Version", version);
    await next();
  };
}
