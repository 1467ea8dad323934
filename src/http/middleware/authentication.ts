import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { AppError } from "../../base/errors.ts";
import { updateContext } from "../../base/request-context.ts";
import { countOf } from "../../base/text/count-of.ts";
import {
  actInTenant,
  authenticate,
  type CallerRate,
  checkStillUsable,
  LOCAL_CALLER,
  unauthenticated,
} from "../../service/core/authenticate.ts";
import type { Caller } from "../../service/core/core-deps.ts";
import type { AppEnv, HttpDeps } from "../context.ts";

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Headers that a proxy adds. The client behind a proxy is not on this machine. */
const PROXY_HEADERS = ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip"];

/** The routes that still answer for a tenant that was removed. */
const OF_REMOVED_TENANTS = /^\/v1\/(audit|erasures)(\/|$)/;

/**
 * Identifies the caller by the request's headers, before the body is read. Each use case then
 * decides what the caller may do.
 *
 * A request without a key is answered only by a keyless server (embedded, on loopback), and only if
 * it was meant for loopback. A web page whose name was pointed at 127.0.0.1 (DNS rebinding) sends
 * its own name, and a proxy on this machine adds its own header; both are refused.
 */
export function authentication(deps: HttpDeps) {
  return createMiddleware<AppEnv>(async (c, next) => {
    const known = await identify(c, deps);
    const tenantId = c.req.header("recollect-tenant");
    const removed = OF_REMOVED_TENANTS.test(c.req.path);
    const caller = tenantId === undefined ? known : await actInTenant(deps.service, known, tenantId, { removed });
    c.set("caller", caller);
    updateContext({ tenantId: caller.tenantId });
    await next();
  });
}

/**
 * Finds the caller by the request's headers.
 *
 * @throws AppError `unauthenticated`, `tenant_disabled`, `rate_limited`
 */
async function identify(c: Context<AppEnv>, deps: HttpDeps): Promise<Caller> {
  const key = keyOf(c, deps);
  if (key === undefined) return LOCAL_CALLER;
  const { caller, rate } = await authenticate(deps.service, key);
  const resetSeconds = Math.ceil(rate.resetMs / 1000);
  c.header("RateLimit-Limit", String(rate.limit));
  c.header("RateLimit-Remaining", String(rate.remaining));
  c.header("RateLimit-Reset", String(resetSeconds));
  c.header("RateLimit-Policy", `${rate.limit};w=60;comment="${rate.of}"`);
  if (rate.allowed) return caller;
  throw new AppError(
    "rate_limited",
    `${WHOSE[rate.of]} may make ${countOf(rate.limit, "request")} a minute; go on in ${countOf(resetSeconds, "second")}.`,
    { details: { limit: rate.limit, of: rate.of, retryAfterSeconds: resetSeconds } },
  );
}

const WHOSE: Record<CallerRate["of"], string> = {
  key: "This key",
  creator: "This key, the key that made it, and that key's other keys together",
  tenant: "All keys of this tenant together",
};

/**
 * Checks that the request's key is still good, for an answer that goes on for minutes.
 *
 * @throws AppError as `identify`
 */
export async function checkKey(c: Context<AppEnv>, deps: HttpDeps): Promise<void> {
  const key = keyOf(c, deps);
  if (key !== undefined) await checkStillUsable(deps.service, key);
}

/**
 * Returns the request's key; undefined when it needs none.
 *
 * @throws AppError `unauthenticated`
 */
function keyOf(c: Context<AppEnv>, deps: HttpDeps): string | undefined {
  const header = c.req.header("authorization");
  // A client whose configuration takes the key from an unset variable sends the scheme alone.
  const isEmpty = header === undefined || /^\s*(?:Bearer)?\s*$/i.test(header);
  if (isEmpty && deps.keyless && isLocal(c)) return undefined;
  const [, key] = /^Bearer +(\S+) *$/i.exec(header ?? "") ?? [];
  if (key === undefined) throw unauthenticated();
  return key;
}

function isLocal(c: Context<AppEnv>): boolean {
  const passedOn = PROXY_HEADERS.some((name) => c.req.header(name) !== undefined);
  const origin = c.req.header("origin");
  const foreignPage = origin !== undefined && !(URL.canParse(origin) && LOOPBACK.test(new URL(origin).hostname));
  const crossSite = c.req.header("sec-fetch-site") === "cross-site";
  return !passedOn && !foreignPage && !crossSite && LOOPBACK.test(new URL(c.req.url).hostname);
}
