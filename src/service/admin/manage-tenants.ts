import { randomUUID } from "node:crypto";
import { AppError } from "../../base/errors.ts";
import { isUuid } from "../../base/ids.ts";
import type { JsonObject } from "../../base/json.ts";
import { insertAudit } from "../../db/control/audit-log.ts";
import {
  findTenant,
  insertTenant,
  listTenants,
  lockTenant,
  type TenantRow,
  updateTenant,
} from "../../db/control/tenants.ts";
import { sumUsage, type Usage } from "../../db/control/usage.ts";
import { authorise, authoriseUnbound } from "../../settings/access.ts";
import { type Limits, parseLimits } from "../../settings/limits.ts";
import { mergeSettingsPatch, presentSettings, resolveSettings } from "../../settings/settings.ts";
import type { MemorySettings, SettingsPatch } from "../../settings/settings-schema.ts";
import type { Caller } from "../core/core-deps.ts";
import type { Deps } from "../deps.ts";
import { checkEmbedding } from "../embedding/embedder-for.ts";
import { syncAllFolders } from "../indexing/schedule-syncs.ts";
import { auditedChange } from "./audited-change.ts";
import { checkOperatorKeys } from "./check-operator-keys.ts";
import { requireNamedTenant } from "./remove-tenant.ts";

interface TenantSummary {
  id: string;
  name: string;
  settings: JsonObject;
  limits: Limits;
  disabled: boolean;
  createdAt: string;
}

interface TenantChange {
  name?: string | undefined;
  /** A JSON merge patch (RFC 7396). null resets a key to its default. */
  settings?: unknown;
  limits?: unknown;
  disabled?: boolean | undefined;
}

/**
 * Refuses a name that looks like an id. A request names a tenant by its name or its id, so such a name could lead to
 * another tenant.
 *
 * @throws AppError `invalid_request`
 */
function checkName(name: string): void {
  if (isUuid(name)) throw new AppError("invalid_request", "A tenant's name must not look like a tenant's id (a UUID).");
}

/** Creates a tenant. @throws AppError `forbidden`, `tenant_exists`, `invalid_request`, `invalid_settings` */
export async function createTenant(
  deps: Deps,
  caller: Caller,
  wanted: { name: string; settings?: unknown; limits?: unknown },
): Promise<TenantSummary> {
  authorise(caller, "admin");
  checkName(wanted.name);
  const row: TenantRow = {
    id: randomUUID(),
    name: wanted.name,
    settings: mergeSettingsPatch({}, wanted.settings ?? {}, "settings") as Record<string, unknown>,
    limits: parseLimits(wanted.limits ?? {}, "limits", "tenant"),
    disabledAt: null,
    createdAt: deps.clock(),
  };
  checkOperatorKeys(deps, caller, {}, row.settings);
  await checkEmbedding(deps, checkEffective(deps, row.settings));
  await deps.db.transaction(async (tx) => {
    if (!(await insertTenant(tx, row))) throw nameTaken();
    const details = { name: row.name, ...(wanted.limits === undefined ? {} : { limits: row.limits }) };
    const audit = { at: row.createdAt, actor: caller.actor, action: "tenant.create", target: row.id };
    await insertAudit(tx, { tenantId: row.id, ...audit, details });
  });
  return summary(row);
}

/** Returns one page of all tenants by name. @throws AppError `forbidden` */
export async function listAllTenants(
  deps: Deps,
  caller: Caller,
  page: { after: string; limit: number },
): Promise<TenantSummary[]> {
  authorise(caller, "admin");
  return (await listTenants(deps.db, page)).map(summary);
}

/** Returns the caller's own tenant, with the usage of its agents. @throws AppError `forbidden` */
export async function readTenant(
  deps: Deps,
  caller: Caller,
): Promise<TenantSummary & { usage: Usage & { agents: number }; effectiveLimits: Limits }> {
  authoriseUnbound(caller, "tenant");
  const row = await findTenant(deps.db, caller.tenantId);
  if (!row) throw notFound();
  const usage = await sumUsage(deps.db, caller.tenantId);
  return { ...summary(row), usage, effectiveLimits: { ...deps.defaults.limits.tenant, ...row.limits } };
}

/**
 * Changes the caller's tenant. The tenant may change its settings. Only the operator may change its
 * name and limits, or disable it. A request that disables a tenant has to name it.
 *
 * @throws AppError `forbidden`, `invalid_request`, `invalid_settings`, `tenant_exists`, `tenant_not_found`
 */
export async function changeTenant(deps: Deps, caller: Caller, change: TenantChange): Promise<TenantSummary> {
  authoriseUnbound(caller, "tenant");
  const { name, settings, limits, disabled } = change;
  if (name !== undefined || limits !== undefined || disabled !== undefined) authorise(caller, "admin");
  if (name !== undefined) checkName(name);
  if (disabled) requireNamedTenant(caller, "disabled");
  const now = deps.clock();
  if (settings !== undefined) {
    // Outside the transaction, because these checks may call a provider.
    const before = (await findTenant(deps.db, caller.tenantId))?.settings ?? {};
    const after = mergeSettingsPatch(before, settings, "settings");
    checkOperatorKeys(deps, caller, before, after);
    await checkEmbedding(deps, checkEffective(deps, after));
  }
  return deps.db.transaction(async (tx) => {
    const row = await lockTenant(tx, caller.tenantId);
    if (!row) throw notFound();
    const next = {
      ...row,
      ...(name === undefined ? {} : { name }),
      ...(settings === undefined ? {} : { settings: mergeSettingsPatch(row.settings, settings, "settings") }),
      ...(limits === undefined ? {} : { limits: mergeLimits(row.limits, limits) }),
      ...(disabled === undefined ? {} : { disabledAt: disabled ? (row.disabledAt ?? now) : null }),
    } as TenantRow;
    checkOperatorKeys(deps, caller, row.settings, next.settings);
    checkEffective(deps, next.settings);
    const { name: newName, settings: newSettings, limits: newLimits, disabledAt } = next;
    const saved = { name: newName, settings: newSettings, limits: newLimits, disabledAt };
    if (!(await updateTenant(tx, row.id, saved))) throw nameTaken();
    const audit = { at: now, actor: caller.actor, action: "tenant.update", target: row.id };
    await insertAudit(tx, { tenantId: row.id, ...audit, details: auditedChange(change, shown(row), shown(next)) });
    if (JSON.stringify(row.settings.extraPaths) !== JSON.stringify(newSettings.extraPaths))
      await syncAllFolders(deps, tx);
    return summary(next);
  });
}

function shown({ name, limits, disabledAt }: TenantRow) {
  return { name, limits, disabled: disabledAt !== null };
}

/** Applies a merge patch to limits. null removes a limit. */
export function mergeLimits(base: Limits, patch: unknown, kind: "agent" | "tenant" = "tenant"): Record<string, number> {
  const merged = typeof patch === "object" && patch !== null ? { ...base, ...patch } : patch;
  const kept =
    typeof merged === "object" && merged !== null
      ? Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null))
      : merged;
  return parseLimits(kept, "limits", kind);
}

/** Refuses settings that conflict with the other layers, such as an overlap as long as a chunk. */
function checkEffective(deps: Deps, settings: SettingsPatch): MemorySettings {
  return resolveSettings([...deps.defaults.layers, { origin: "tenant", settings }]).settings;
}

function nameTaken(): AppError {
  return new AppError("tenant_exists", "A tenant with this name already exists. Choose another name.");
}

function notFound(): AppError {
  return new AppError("tenant_not_found", "There is no such tenant.");
}

function summary(row: TenantRow): TenantSummary {
  return {
    id: row.id,
    name: row.name,
    settings: presentSettings(row.settings),
    limits: row.limits,
    disabled: row.disabledAt !== null,
    createdAt: row.createdAt.toISOString(),
  };
}
