import { localCaller, type Scope, systemCaller } from "../../agents/access.ts";
import { AppError, unlessReadOnly } from "../../base/errors.ts";
import { type ApiKeyRow, findApiKey, touchApiKey } from "../../db/control/api-keys.ts";
import type { RateLimiter, RateLimitState } from "../../db/control/rate-limiter.ts";
import { DEFAULT_TENANT_ID, findTenant } from "../../db/control/tenants.ts";
import { apiKeyPrefix, isApiKey } from "./api-key.ts";
import type { Caller, CoreDeps } from "./core-deps.ts";

/** The caller without a key where none is needed: the operator, on the machine itself. */
export const LOCAL_CALLER: Caller = localCaller(DEFAULT_TENANT_ID);

/** The caller of a job. */
export const jobCaller: (tenantId: string) => Caller = systemCaller;

/** `lastUsedAt` is as fine as this, so that a busy key does not write on every request. */
const LAST_USED_MS = 60_000;
const TENANT_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Dependencies of authentication. */
export interface KeyDeps extends CoreDeps {
  readonly rateLimiter: RateLimiter;
  /** Requests a minute of a key that says nothing else. */
  readonly requestsPerMinute: number;
}

/** A caller with what is left of its requests this minute. */
interface Authenticated {
  caller: Caller;
  rate: RateLimitState;
}

/**
 * Authenticates a key. Every request queries the database, so that every process refuses a revoked key at once. A
 * malformed, unknown, wrong, expired or revoked key gets the same answer: the difference would help only a thief.
 *
 * @throws AppError `unauthenticated`, `tenant_disabled`
 */
export async function authenticate(deps: KeyDeps, presented: string): Promise<Authenticated> {
  const prefix = apiKeyPrefix(presented);
  const find = (asked: string) => deps.coalesced.keys(asked, asked, () => findApiKey(deps.db, asked));
  const found = prefix === undefined ? undefined : await find(prefix);
  const now = deps.clock();
  if (!found || !isApiKey(presented, found.key.hash) || !isUsable(found.key, now)) throw unauthenticated();
  // The operator is exempt: the disabled tenant may be the one that holds the operator's own key.
  if (found.tenantDisabledAt && !found.key.scopes.includes("admin"))
    throw new AppError("tenant_disabled", "The tenant of this key is disabled. Ask the operator of the service.");
  const { key } = found;
  const rate = await deps.rateLimiter.consume(key.id, key.requestsPerMinute ?? deps.requestsPerMinute);
  if (now.getTime() - (key.lastUsedAt?.getTime() ?? 0) > LAST_USED_MS)
    await unlessReadOnly(touchApiKey(deps.db, key.id, now));
  return { caller: callerOf(key), rate };
}

function isUsable(key: ApiKeyRow, now: Date): boolean {
  return key.revokedAt === null && (key.expiresAt === null || key.expiresAt > now);
}

function callerOf(key: ApiKeyRow): Caller {
  const caller: Caller = {
    tenantId: key.tenantId,
    actor: key.prefix,
    scopes: key.scopes as Scope[],
    requestsPerMinute: key.requestsPerMinute ?? undefined,
    expiresAt: key.expiresAt ?? undefined,
  };
  return key.agentId === null ? caller : { ...caller, agentId: key.agentId };
}

export function unauthenticated(): AppError {
  return new AppError(
    "unauthenticated",
    "Send a valid API key in the header Authorization: Bearer <key>. An administrator makes one with: recollect keys create",
  );
}

/**
 * The caller acting in another tenant. Only the operator may; an `admin` key's own tenant is just where it is stored.
 *
 * @throws AppError `forbidden`, `tenant_not_found`
 */
export async function actInTenant(deps: CoreDeps, caller: Caller, tenantId: string): Promise<Caller> {
  if (!caller.scopes.includes("admin"))
    throw new AppError("forbidden", "Only a key with the scope 'admin' may name a tenant.", {
      details: { scope: "admin" },
    });
  if (!TENANT_ID.test(tenantId) || !(await findTenant(deps.db, tenantId)))
    throw new AppError("tenant_not_found", "There is no such tenant.");
  return { ...caller, tenantId };
}
