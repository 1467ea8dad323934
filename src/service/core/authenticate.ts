import { AppError, unlessReadOnly } from "../../base/errors.ts";
import { type ApiKeyRow, type KeyLookup, touchApiKey } from "../../db/control/api-keys.ts";
import { hasAudit } from "../../db/control/audit-log.ts";
import type { RateLimiter, RateLimitState } from "../../db/control/rate-limiter.ts";
import { DEFAULT_TENANT_ID, findTenant, TENANT_ID } from "../../db/control/tenants.ts";
import { SQLSTATE, sqlState } from "../../db/pg-error.ts";
import { localCaller, type Scope, systemCaller } from "../../settings/access.ts";
import { apiKeyPrefix, isApiKey } from "./api-key.ts";
import type { Caller, CoreDeps } from "./core-deps.ts";
import type { KeyLookups } from "./key-lookups.ts";

/** The caller if no key is required: the operator, on the machine itself. */
export const LOCAL_CALLER: Caller = localCaller(DEFAULT_TENANT_ID);

/** Returns the caller of a job. */
export const jobCaller: (tenantId: string) => Caller = systemCaller;

/** The precision of `lastUsedAt`, so that a busy key does not cause a write on every request. */
const LAST_USED_MS = 60_000;

/** The dependencies of authentication. */
export interface KeyDeps extends CoreDeps {
  readonly rateLimiter: RateLimiter;
  readonly keyLookups: KeyLookups;
  /** The requests a minute of a key that sets no limit of its own. */
  readonly requestsPerMinute: number;
}

/** The rest of one request limit for this minute, and its owner. */
export interface CallerRate extends RateLimitState {
  /**
   * The owner of the limit. `key`: the key alone. `creator`: a limited key together with the keys
   * that it made. `tenant`: all keys of the tenant.
   */
  readonly of: "key" | "creator" | "tenant";
}

/** A caller, with the request limit that leaves the least for this minute. */
interface Authenticated {
  caller: Caller;
  rate: CallerRate;
}

/**
 * Authenticates a key and counts the request. Every request queries the database, so that every
 * process refuses a revoked key at once. A malformed, unknown, wrong, expired or revoked key gets
 * the same answer: the difference would only help a thief.
 *
 * @throws AppError `unauthenticated`, `tenant_disabled`, `rate_limited`
 */
export async function authenticate(deps: KeyDeps, presented: string): Promise<Authenticated> {
  const found = await findUsable(deps, presented);
  const { key } = found;
  const rate = await consume(deps, found);
  const now = deps.clock();
  if (now.getTime() - (key.lastUsedAt?.getTime() ?? 0) > LAST_USED_MS)
    await unlessReadOnly(touchApiKey(deps.db, key.id, now));
  return { caller: callerOf(key), rate };
}

/**
 * Checks that a key is still good, for an answer that goes on for minutes. The check does not count
 * as a request.
 *
 * @throws AppError `unauthenticated`, `tenant_disabled`, `rate_limited`
 */
export async function checkStillUsable(deps: KeyDeps, presented: string): Promise<void> {
  await findUsable(deps, presented);
}

async function findUsable(deps: KeyDeps, presented: string): Promise<KeyLookup> {
  const prefix = apiKeyPrefix(presented);
  if (prefix === undefined) throw unauthenticated();
  const found = await deps.keyLookups.find(presented, prefix).catch(explainMissing);
  const isGood = found !== undefined && isApiKey(presented, found.key.hash) && isUsable(found.key, deps.clock());
  deps.keyLookups.note(presented, isGood);
  if (!isGood) throw unauthenticated();
  // The operator is exempt: the disabled tenant may be the tenant of the operator's own key.
  if (found.tenantDisabledAt && !found.key.scopes.includes("admin"))
    throw new AppError("tenant_disabled", "The tenant of this key is disabled. Ask the operator of the service.");
  return found;
}

/**
 * Explains that the tables are missing, because they were dropped or an empty database took the place
 * of the former one. Every request with a key meets this lookup first.
 */
function explainMissing(cause: unknown): never {
  if (sqlState(cause) !== SQLSTATE.undefinedTable) throw cause;
  throw new AppError(
    "database_unavailable",
    "Recollect's tables are missing in its database. The operator restores the database from a backup, or restarts the processes to begin with an empty one.",
    { cause },
  );
}

/**
 * Counts a request towards each of its limits, until one is used up.
 *
 * @returns the limit that leaves the least
 */
async function consume(deps: KeyDeps, { key, tenantLimits }: KeyLookup): Promise<CallerRate> {
  const take = async (of: CallerRate["of"], name: string, limit: number): Promise<CallerRate> => ({
    of,
    ...(await deps.rateLimiter.consume(name, limit)),
  });
  let least = await take("key", key.id, key.requestsPerMinute ?? deps.requestsPerMinute);
  const further: [of: CallerRate["of"], name: string | null, limit: number | null | undefined][] = [
    ["creator", key.sharesRateOf, key.sharedRequestsPerMinute],
    // The operator must be able to manage a tenant that has used up its requests.
    ["tenant", `tenant ${key.tenantId}`, key.scopes.includes("admin") ? undefined : tenantLimit(deps, tenantLimits)],
  ];
  for (const [of, name, limit] of further) {
    if (!least.allowed) return least;
    if (!name || !limit) continue;
    const rate = await take(of, name, limit);
    if (!rate.allowed || rate.remaining < least.remaining) least = rate;
  }
  return least;
}

function tenantLimit({ defaults }: KeyDeps, own: Record<string, number>): number | undefined {
  return own.requestsPerMinute ?? defaults.limits.tenant.requestsPerMinute;
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
    sharedRate: sharedRateOf(key),
    expiresAt: key.expiresAt ?? undefined,
  };
  return key.agentId === null ? caller : { ...caller, agentId: key.agentId };
}

/**
 * Returns the limit that this key and all keys that it makes share. Most keys have no limit of
 * their own and share none.
 */
function sharedRateOf(key: ApiKeyRow): Caller["sharedRate"] {
  if (key.sharesRateOf !== null && key.sharedRequestsPerMinute !== null)
    return { keyId: key.sharesRateOf, requestsPerMinute: key.sharedRequestsPerMinute };
  return key.requestsPerMinute === null ? undefined : { keyId: key.id, requestsPerMinute: key.requestsPerMinute };
}

export function unauthenticated(): AppError {
  return new AppError(
    "unauthenticated",
    "Send a valid API key in the header Authorization: Bearer <key>. An administrator makes one (recollect keys create).",
  );
}

/**
 * Returns the caller acting in another tenant. Only the operator may do this; the tenant of an
 * `admin` key is just where the key is stored.
 *
 * @param options.removed whether the tenant may have been removed: its audit log and receipts stay
 *
 * @throws AppError `forbidden`, `tenant_not_found`
 */
export async function actInTenant(
  deps: CoreDeps,
  caller: Caller,
  tenantId: string,
  { removed = false } = {},
): Promise<Caller> {
  if (!caller.scopes.includes("admin"))
    throw new AppError("forbidden", "Only a key with the scope 'admin' may name a tenant.", {
      details: { scope: "admin" },
    });
  if (!TENANT_ID.test(tenantId))
    throw new AppError(
      "tenant_not_found",
      "There is no such tenant. The header Recollect-Tenant takes the id of a tenant, which recollect tenants list shows.",
    );
  const known = (await findTenant(deps.db, tenantId)) !== undefined || (removed && (await hasAudit(deps.db, tenantId)));
  if (!known) throw new AppError("tenant_not_found", "There is no such tenant.");
  return { ...caller, tenantId, namesTenant: true };
}
