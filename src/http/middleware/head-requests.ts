import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "../context.ts";

/**
 * Ends the body of an answer to HEAD. Hono answers HEAD with the head of GET and leaves the body
 * unread: an unread stream would keep its place for ever.
 */
export const endHeadBody: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next();
  if (c.req.raw.method === "HEAD") await c.res.body?.cancel();
};
