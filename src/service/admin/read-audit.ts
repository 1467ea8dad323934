import { decodeUuidCursor, notOfAListing, pageOf } from "../../base/page-cursor.ts";
import { listAudit } from "../../db/control/audit-log.ts";
import { authoriseUnbound } from "../../settings/access.ts";
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

/**
 * Returns one page of the tenant's audit log, newest first.
 *
 * @throws AppError `forbidden`, `invalid_request`
 */
export async function readAudit(
  deps: Deps,
  caller: Caller,
  page: { cursor?: string | undefined; limit: number },
): Promise<{ entries: AuditEntry[]; nextCursor?: string }> {
  authoriseUnbound(caller, "tenant");
  const before = decodeUuidCursor(page.cursor);
  const rows = await listAudit(deps.db, caller.tenantId, { before, limit: page.limit + 1 });
  if (!rows) throw notOfAListing();
  const { page: shown, next } = pageOf(rows, page.limit, ({ publicId }) => publicId);
  const entries = shown.map(({ publicId: id, at, actor, action, target, details }) => ({
    id,
    at: at.toISOString(),
    actor,
    action,
    target,
    details,
  }));
  return { entries, ...next };
}
