import { createMiddleware } from "hono/factory";
import { AppError } from "../../base/errors.ts";
import type { AppEnv } from "../context.ts";
import { ARCHIVE_PATH, ARCHIVE_TYPE } from "../schemas.ts";

/** Deeper JSON than the tool calls in messages have; a bound so that a hostile body cannot exhaust the stack. */
const MAX_DEPTH = 64;

/**
 * Checks a JSON body before a route's schema sees it: declared as JSON, valid UTF-8, valid JSON, not too deep, and every
 * string storable in Postgres (no NUL, no lone surrogate). `Request.json()` alone would replace bad UTF-8 silently, and the
 * text that comes back would not be the text that was sent.
 */
export const jsonBody = createMiddleware<AppEnv>(async (c, next) => {
  if (c.req.path === ARCHIVE_PATH) requireType(c.req.header("content-type"), ARCHIVE_TYPE, "an archive");
  else if (["POST", "PUT", "PATCH"].includes(c.req.method)) {
    requireType(c.req.header("content-type"), "application/json", "JSON");
    checkValue(parse(await c.req.arrayBuffer()), 0);
  }
  await next();
});

/** Also what keeps a web page's form from being understood. */
function requireType(header: string | undefined, type: string, what: string): void {
  if (header?.split(";")[0]?.trim().toLowerCase() === type) return;
  throw new AppError("unsupported_media_type", `Send the body as ${what} with the header Content-Type: ${type}.`);
}

function parse(bytes: ArrayBuffer): unknown {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new AppError("invalid_encoding", "The body is not valid UTF-8.", { cause });
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AppError("invalid_json", "The body is not valid JSON.", { cause });
  }
}

function checkValue(value: unknown, depth: number): void {
  if (depth > MAX_DEPTH)
    throw new AppError("invalid_request", `The body is nested more than ${MAX_DEPTH} levels deep.`);
  if (typeof value === "string") checkText(value);
  if (typeof value !== "object" || value === null) return;
  for (const [key, child] of Object.entries(value)) {
    checkText(key);
    // A schema of free keys would drop it in silence.
    if (key === "__proto__") throw new AppError("invalid_request", "The body has a key __proto__, which nothing has.");
    checkValue(child, depth + 1);
  }
}

function checkText(text: string): void {
  if (text.includes("\u0000"))
    throw new AppError("invalid_encoding", "A string in the body contains a NUL character, which text cannot hold.");
  if (!text.isWellFormed())
    throw new AppError("invalid_encoding", "A string in the body contains half of a surrogate pair.");
}
