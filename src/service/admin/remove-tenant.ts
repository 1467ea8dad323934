import { randomUUID } from "node:crypto";
import { AppError } from "../../base/errors.ts";
import { countAgents, firstAgentIds } from "../../db/control/agents.ts";
import { deleteTenantKeys } from "../../db/control/api-keys.ts";
import { countAudit, insertAudit } from "../../db/control/audit-log.ts";
import { deleteTenantBindings } from "../../db/control/bindings.ts";
import { countUsageRows } from "../../db/control/embedding-usage.ts";
import { countReceipts, insertReceipt } from "../../db/control/erasure-receipts.ts";
import { deleteTenantAnswers } from "../../db/control/idempotency-keys.ts";
import { DEFAULT_TENANT_ID, deleteTenant, lockTenant } from "../../db/control/tenants.ts";
import type { SqlExecutor } from "../../db/database.ts";
import { takingLong } from "../../db/pg-limits.ts";
import { authorise } from "../../settings/access.ts";
import type { Caller } from "../core/core-deps.ts";
import type { Deps } from "../deps.ts";

/** The record of a tenant's removal. */
interface TenantReceipt {
  removed: true;
  /** The id of the receipt that is kept. */
  receiptId: string;
  tenantId: string;
  tenantName: string;
  removedAt: string;
  actor: string;
  /** The numbers of agents that were erased earlier, and of the rows that were deleted now. */
  counts: { agents: number; keys: number; bindings: number; answers: number };
  /** The numbers of the tenant's rows that stay in the database. */
  left: { auditEntries: number; receipts: number; usageRows: number };
}

/** The agent id in the receipt of a tenant. No agent has it. */
const WHOLE_TENANT = "";
/** The number of remaining agents that a refusal names. */
const AGENTS_NAMED = 1000;

/**
 * Removes a tenant that has no agents left, with its keys, bindings and stored answers. Its audit
 * log, receipts and totals of cost stay, and a receipt of the removal is added to them. The request
 * has to name the tenant: otherwise an operator who forgets the header removes the tenant of his own
 * key.
 *
 * @throws AppError `forbidden`, `invalid_request`, `tenant_not_found`, `tenant_not_empty`
 */
export async function removeTenant(deps: Deps, caller: Caller): Promise<TenantReceipt> {
  authorise(caller, "admin");
  requireNamedTenant(caller, "removed");
  return takingLong(() => deps.db.transaction((tx) => remove(deps, caller, tx)));
}

/** @throws AppError `invalid_request` when the request does not name the tenant that it acts in */
export function requireNamedTenant(caller: Caller, what: "removed" | "disabled"): void {
  if (caller.namesTenant) return;
  throw new AppError(
    "invalid_request",
    `Name the tenant that is to be ${what} in the header Recollect-Tenant: <id>. Without it the tenant of your own key would be ${what}.`,
  );
}

async function remove(deps: Deps, caller: Caller, tx: SqlExecutor): Promise<TenantReceipt> {
  const row = await lockTenant(tx, caller.tenantId);
  if (!row) throw new AppError("tenant_not_found", "There is no such tenant.");
  const { id: tenantId, name } = row;
  if (tenantId === DEFAULT_TENANT_ID)
    throw new AppError("tenant_not_empty", "The default tenant cannot be removed; disable it instead.");
  await requireEmpty(tx, tenantId);
  const at = deps.clock();
  const counts = {
    agents: await countReceipts(tx, tenantId),
    keys: await deleteTenantKeys(tx, tenantId),
    bindings: await deleteTenantBindings(tx, tenantId),
    answers: await deleteTenantAnswers(tx, tenantId),
  };
  await deleteTenant(tx, tenantId);
  const receiptId = randomUUID();
  const { actor } = caller;
  await insertReceipt(tx, { id: receiptId, tenantId, agentId: WHOLE_TENANT, actor, erasedAt: at, counts }, undefined);
  const details = { name, receiptId, ...counts };
  await insertAudit(tx, { tenantId, at, actor, action: "tenant.remove", target: tenantId, details });
  const left = {
    auditEntries: await countAudit(tx, tenantId),
    receipts: await countReceipts(tx, tenantId),
    usageRows: await countUsageRows(tx, tenantId),
  };
  return {
    removed: true,
    receiptId,
    tenantId,
    tenantName: name,
    removedAt: at.toISOString(),
    actor,
    counts,
    left,
  };
}

async function requireEmpty(tx: SqlExecutor, tenantId: string): Promise<void> {
  const agents = await firstAgentIds(tx, tenantId, AGENTS_NAMED);
  if (agents.length === 0) return;
  throw new AppError("tenant_not_empty", "The tenant still has agents; erase each of them first.", {
    details: { agents, more: (await countAgents(tx, tenantId)) - agents.length },
  });
}
