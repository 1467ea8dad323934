import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { AppError } from "../base/errors.ts";
import type { Caller } from "../service/core/core-deps.ts";
import type { AppEnv } from "./context.ts";

const KEY = { description: "A write repeated with the same key within 24 hours is made only once" };
const MATCH = { description: 'A file\'s ETag, as `"<hash>"`, or `*`: write only if the file matches' };
const NONE_MATCH = { description: "`*`: write only if the file does not exist" };

/** Headers of every write that is made once under a key. */
export const onceHeaders = z.object({
  "idempotency-key": z.string().optional().openapi(KEY),
});

/** Headers of a write that may also depend on the existing file. */
export const conditionalHeaders = onceHeaders.extend({
  "if-match": z.string().optional().openapi(MATCH),
  "if-none-match": z.string().optional().openapi(NONE_MATCH),
});

const TENANT =
  "The id of the tenant that the request acts in; needs the scope `admin`. Without it: the tenant of the key";
const NAMED_TENANT =
  "The id of the tenant. A request without it is refused, because it would act in the tenant of your own key";

/** Returns the header of a route on which an operator may, or has to, name a tenant. */
export function tenantHeader(required: boolean) {
  const id = required ? z.string().openapi({ description: NAMED_TENANT }) : z.string().optional();
  return z.object({ "recollect-tenant": required ? id : id.openapi({ description: TENANT }) });
}

/**
 * Returns the parts, besides the body, that identify a write with an idempotency key: method, path
 * and query. Returns undefined without such a key.
 *
 * @throws AppError `invalid_request`
 */
export function onceOf(c: Context<AppEnv>): readonly string[] | undefined {
  const key = c.req.header("idempotency-key");
  if (key === undefined) return undefined;
  if (!/^[!-~]{1,255}$/.test(key))
    throw new AppError("invalid_request", "An Idempotency-Key has 1 to 255 visible ASCII characters.");
  const { pathname, search } = new URL(c.req.url);
  return [c.req.method, pathname, search];
}

/**
 * Returns the caller of a write. If the request has an idempotency key and a fingerprint, the
 * caller carries both, and the write is made once.
 */
export function writerOf(c: Context<AppEnv>, fingerprint: string | undefined): Caller {
  const caller = c.get("caller");
  const key = c.req.header("idempotency-key");
  if (key === undefined || fingerprint === undefined) return caller;
  const onReplay = () => c.header("Idempotency-Replayed", "true");
  return { ...caller, once: { key, fingerprint, onReplay } };
}

/** Returns a file's hash as an entity tag (RFC 9110 §8.8.3). */
export function etagOf(hash: string): string {
  return `"${hash}"`;
}

/**
 * Returns the state that a request's If-Match and If-None-Match expect of the file at `path`: a
 * hash, `*` for any file, null for no file.
 *
 * @throws AppError `invalid_request` for a value that cannot be a file's tag
 */
export function expectedOf(c: Context<AppEnv>, path: string): ReadonlyMap<string, string | null> {
  const [match, noneMatch] = [c.req.header("if-match"), c.req.header("if-none-match")];
  if (match === undefined && noneMatch === undefined) return new Map();
  if (match === undefined && noneMatch === "*") return new Map([[path, null]]);
  const [, hash] = /^(?:"([^"\s]+)"|\*)$/.exec(match ?? "") ?? [undefined, undefined];
  if (noneMatch !== undefined || (hash === undefined && match !== "*"))
    throw new AppError("invalid_request", 'A write takes one of If-Match: "<hash>", If-Match: * and If-None-Match: *.');
  return new Map([[path, hash ?? "*"]]);
}
