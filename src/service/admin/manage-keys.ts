import { randomUUID } from "node:crypto";
import { AppError } from "../../base/errors.ts";
import { sha256 } from "../../base/ids.ts";
import { decodePositionCursor, pageOf, positionKey } from "../../base/page-cursor.ts";
import { countOf } from "../../base/text/count-of.ts";
import {
  type ApiKeyRow,
  anyUsableKey,
  countApiKeys,
  findApiKeys,
  insertApiKey,
  listApiKeys,
  revokeApiKey,
} from "../../db/control/api-keys.ts";
import { insertAudit } from "../../db/control/audit-log.ts";
import { DEFAULT_TENANT_ID } from "../../db/control/tenants.ts";
import type { SqlExecutor } from "../../db/database.ts";
import { authorise, authoriseUnbound, holds, type Scope } from "../../settings/access.ts";
import { checkAgentId } from "../../settings/agent-id.ts";
import { findAgent } from "../agent/find-agent.ts";
import { apiKeyPrefix, makeApiKey } from "../core/api-key.ts";
import type { Caller } from "../core/core-deps.ts";
import type { Deps } from "../deps.ts";

const MAX_KEYS = 10_000;

interface NewKey {
  name: string;
  scopes: readonly Scope[];
  agentId?: string | undefined;
  expiresAt?: Date | undefined;
  requestsPerMinute?: number | undefined;
}

/** A key as listings show it: everything but the secret. */
interface KeySummary {
  id: string;
  name: string;
  prefix: string;
  scopes: Scope[];
  agentId: string | null;
  requestsPerMinute: number | null;
  createdAt: string;
  expiresAt: string | null;
  revokedAt: string | null;
  lastUsedAt: string | null;
}

/**
 * Creates a key of the caller's tenant. Only the answer contains the whole key.
 *
 * @throws AppError `forbidden`, `invalid_request`, `agent_not_found`, `quota_exceeded`
 */
export async function createKey(deps: Deps, caller: Caller, wanted: NewKey): Promise<KeySummary & { key: string }> {
  authoriseUnbound(caller, "tenant");
  if (wanted.scopes.includes("admin")) authorise(caller, "admin");
  const now = deps.clock();
  if (wanted.expiresAt && wanted.expiresAt <= now)
    throw new AppError("invalid_request", "expiresAt must lie in the future.");
  if (wanted.agentId !== undefined) await checkBinding(deps, caller, wanted.agentId, wanted.scopes);
  const { key, prefix, hash } = makeApiKey();
  // The new key shares the rate limit of the caller's key. Otherwise a key with a limit could
  // create any number of keys, each with that limit.
  const shared = holds(caller, "admin") ? undefined : caller.sharedRate;
  const row: ApiKeyRow = {
    id: randomUUID(),
    tenantId: caller.tenantId,
    name: wanted.name,
    prefix,
    hash,
    scopes: [...new Set(wanted.scopes)],
    agentId: wanted.agentId ?? null,
    ...withinOwn(deps, caller, wanted),
    sharesRateOf: shared?.keyId ?? null,
    sharedRequestsPerMinute: shared?.requestsPerMinute ?? null,
    createdAt: now,
    revokedAt: null,
    lastUsedAt: null,
  };
  await deps.db.transaction(async (tx) => {
    if ((await countApiKeys(tx, caller.tenantId)) >= MAX_KEYS)
      throw new AppError("quota_exceeded", `A tenant has at most ${MAX_KEYS} keys.`);
    await insertApiKey(tx, row);
    await auditKey(tx, caller, "key.create", row, now);
  });
  return { ...summary(row), key };
}

/**
 * Limits a new key to the rate and life of the caller's key. The operator's key has no such limit.
 */
function withinOwn(deps: Deps, caller: Caller, wanted: NewKey): Pick<ApiKeyRow, "requestsPerMinute" | "expiresAt"> {
  const requestsPerMinute = wanted.requestsPerMinute ?? caller.requestsPerMinute ?? null;
  const expiresAt = wanted.expiresAt ?? caller.expiresAt ?? null;
  if (!holds(caller, "admin")) {
    const most = caller.requestsPerMinute ?? deps.requestsPerMinute;
    if ((requestsPerMinute ?? 0) > most)
      throw new AppError("forbidden", `This key may create keys with at most ${countOf(most, "request")} a minute.`);
    if (caller.expiresAt && expiresAt && expiresAt > caller.expiresAt)
      throw new AppError(
        "forbidden",
        `A key that this key creates must expire by ${caller.expiresAt.toISOString()}, when this key expires.`,
      );
  }
  return { requestsPerMinute, expiresAt };
}

/**
 * Refuses administrative scopes for a bound key. Its agent must exist, or a typing error would
 * create a useless key.
 */
async function checkBinding(deps: Deps, caller: Caller, agentId: string, scopes: readonly Scope[]): Promise<void> {
  checkAgentId(agentId);
  if (scopes.includes("admin") || scopes.includes("tenant"))
    throw new AppError("invalid_request", "A key for one agent cannot have the scopes 'admin' or 'tenant'.");
  await findAgent(deps, caller, "tenant", agentId);
}

/**
 * Returns one page of a tenant's keys, oldest first, including revoked and expired keys.
 *
 * @throws AppError `forbidden`, `invalid_request`
 */
export async function listKeys(
  deps: Deps,
  caller: Caller,
  { cursor, limit }: { cursor?: string | undefined; limit: number },
): Promise<{ keys: KeySummary[]; nextCursor?: string }> {
  authoriseUnbound(caller, "tenant");
  const rows = await listApiKeys(deps.db, caller.tenantId, { after: decodePositionCursor(cursor), limit: limit + 1 });
  const { page, next } = pageOf(rows, limit, positionKey);
  return { keys: page.map(summary), ...next };
}

const NO_ADMIN_LEFT =
  "No key with the scope admin is left. Make one with `recollect keys create operator --scope admin` where DATABASE_URL leads to the database, or start the processes with another key in RECOLLECT_ADMIN_KEY.";

/**
 * Revokes a key. Every process refuses it from the next request on.
 *
 * @returns the key, with a warning if no key with the scope admin is left
 * @throws AppError `forbidden`, `key_not_found`
 */
export async function revokeKey(deps: Deps, caller: Caller, keyId: string): Promise<KeySummary & { warning?: string }> {
  authoriseUnbound(caller, "tenant");
  const now = deps.clock();
  return deps.db.transaction(async (tx) => {
    const row = await revokeApiKey(tx, caller.tenantId, keyId, now);
    if (!row) throw new AppError("key_not_found", "The tenant has no key with this id.");
    // A tenant's administrator must not revoke the operator's keys.
    if (row.scopes.includes("admin")) authorise(caller, "admin");
    // An earlier revocation is in the audit log already.
    if (row.revokedAt?.getTime() === now.getTime()) await auditKey(tx, caller, "key.revoke", row, now);
    const isLast = row.scopes.includes("admin") && !(await anyUsableKey(tx, now, "admin"));
    return { ...summary(row), ...(isLast ? { warning: NO_ADMIN_LEFT } : {}) };
  });
}

/** The stored part of the operator's key. Other keys are stored in the same form. */
export interface AdminKey {
  prefix: string;
  hash: string;
}

/**
 * Reads the operator's key from the environment.
 *
 * @throws AppError `config_invalid` when it does not have the form of a key
 */
export function readAdminKey(key: string): AdminKey {
  const prefix = apiKeyPrefix(key);
  if (prefix === undefined)
    throw new AppError(
      "config_invalid",
      "RECOLLECT_ADMIN_KEY is not an API key: rcl_<12 hex digits>_<48 hex digits>. Make one with: recollect keys generate",
    );
  return { prefix, hash: sha256(key) };
}

const ADMIN_KEY_REVOKED =
  "The key in RECOLLECT_ADMIN_KEY is revoked, so requests with it are refused. Set another one (recollect keys generate), or unset it, and restart all processes.";

/**
 * Stores the operator's key, which gives access before any other key exists. Other processes may do
 * so at the same time. A key that was revoked stays revoked, and the log says so.
 */
export async function ensureAdminKey(
  deps: Pick<Deps, "db" | "clock" | "logger">,
  { prefix, hash }: AdminKey,
): Promise<void> {
  const now = deps.clock();
  const row = {
    id: randomUUID(),
    tenantId: DEFAULT_TENANT_ID,
    name: "RECOLLECT_ADMIN_KEY",
    prefix,
    hash,
    scopes: ["admin"],
    createdAt: now,
  };
  await deps.db.transaction(async (tx) => {
    if (!(await insertApiKey(tx, row))) {
      const known = (await findApiKeys(tx, [prefix])).get(prefix);
      if (known?.key.revokedAt) deps.logger.warn(ADMIN_KEY_REVOKED);
      return;
    }
    const audit = {
      actor: "system",
      action: "key.create",
      target: prefix,
      details: { name: row.name, scopes: row.scopes },
    };
    await insertAudit(tx, { tenantId: DEFAULT_TENANT_ID, at: now, ...audit });
  });
}

/** Returns whether any usable key exists, so that a caller can get in. */
export function hasUsableKey(deps: Pick<Deps, "db" | "clock">): Promise<boolean> {
  return anyUsableKey(deps.db, deps.clock());
}

function auditKey(tx: SqlExecutor, caller: Caller, action: string, row: ApiKeyRow, at: Date): Promise<void> {
  const { name, scopes, agentId, requestsPerMinute, expiresAt } = row;
  const details = {
    name,
    scopes,
    ...(agentId === null ? {} : { agentId }),
    ...(requestsPerMinute === null ? {} : { requestsPerMinute }),
    ...(expiresAt === null ? {} : { expiresAt: expiresAt.toISOString() }),
  };
  return insertAudit(tx, { tenantId: row.tenantId, at, actor: caller.actor, action, target: row.prefix, details });
}

function summary(row: ApiKeyRow): KeySummary {
  return {
    id: row.id,
    name: row.name,
    prefix: row.prefix,
    scopes: row.scopes as Scope[],
    agentId: row.agentId,
    requestsPerMinute: row.requestsPerMinute,
    createdAt: row.createdAt.toISOString(),
    expiresAt: row.expiresAt?.toISOString() ?? null,
    revokedAt: row.revokedAt?.toISOString() ?? null,
    lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
  };
}
