import { authoriseUnbound } from "../../agents/access.ts";
import { AppError } from "../../base/errors.ts";
import { listAudit } from "../../db/control/audit-log.ts";
import type { Caller } from "../core/core-deps.ts";
import type { Deps } from "../deps.ts";

/** One administrative act. */
interface AuditEntry {
  id: string;
  at: string;
  actor: string;
  action: string;
  target: string;
  details: Record<string, unknown>;
}

/** One page of the tenant's audit log, newest first. @throws AppError `forbidden`, `invalid_request` */
export async function readAudit(
  deps: Deps,
  caller: Caller,
  page: { cursor?: string | undefined; limit: number },
): Promise<{ entries: AuditEntry[]; nextCursor?: string }> {
  authoriseUnbound(caller, "tenant");
  if (page.cursor !== undefined && !/^\d{1,18}$/.test(page.cursor))
    throw new AppError("invalid_request", "The cursor is not from a listing; start again without it.");
  const before = page.cursor === undefined ? undefined : BigInt(page.cursor);
  const rows = await listAudit(deps.db, caller.tenantId, { before, limit: page.limit + 1 });
  const entries = rows.slice(0, page.limit).map(({ id, at, actor, action, target, details }) => ({
    ...{ id: String(id), at: at.toISOString(), actor, action, target, details },
  }));
  const last = entries.at(-1);
  return { entries, ...(rows.length > page.limit && last ? { nextCursor: last.id } : {}) };
}
