import { createMiddleware } from "hono/factory";
import { AppError } from "../../base/errors.ts";
import type { AppEnv } from "../context.ts";

/**
 * Refuses a Host header that cannot be part of a URL, such as 127.999.1.1. The HTTP server checks
 * only its characters, and every later `new URL` of the request would throw.
 */
export const wellFormedHost = createMiddleware<AppEnv>(async (c, next) => {
  if (!URL.canParse(c.req.url))
    throw new AppError(
      "invalid_request",
      "The Host header is not a valid host name or address; check the server's URL.",
    );
  await next();
});

/**
 * Refuses a path whose percent escapes are not UTF-8. The router would pass them on undecoded, as
 * the name of another file.
 */
export const wellFormedUrl = createMiddleware<AppEnv>(async (c, next) => {
  try {
    decodeURIComponent(new URL(c.req.url).pathname);
  } catch (cause) {
    throw new AppError("invalid_path", "The URL's path is not valid percent-encoded UTF-8.", { cause });
  }
  if (/%00/i.test(new URL(c.req.url).search))
    throw new AppError("invalid_request", "The URL contains a NUL character, which no name has.");
  await next();
});
