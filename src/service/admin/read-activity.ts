import { decodeUuidCursor, pageOf } from "../../base/page-cursor.ts";
import { unquoted } from "../../db/agent/schema/schema-name.ts";
import { listActivity } from "../../db/control/agent-activity.ts";
import { findAgent } from "../agent/find-agent.ts";
import { ACTIVITY_TTL_MS } from "../core/activity.ts";
import type { Caller } from "../core/core-deps.ts";
import type { Deps } from "../deps.ts";

/** One kind of action by one caller in an agent's memory within a few seconds. */
interface ActivityEntry {
  id: string;
  /** The time of the last action. */
  at: string;
  /** A key's prefix, `local` or `system`. */
  actor: string;
  /** Null when the key was deleted or belongs to another tenant, and for callers without a key. */
  keyName: string | null;
  kind: "search" | "recall" | "capture";
  times: number;
  hits: number;
}

/**
 * Returns one page of an agent's activity, newest first.
 *
 * @throws AppError as `findAgent`, and `invalid_request`
 */
export async function readActivity(
  deps: Deps,
  caller: Caller,
  agentId: string,
  { cursor, limit }: { cursor?: string | undefined; limit: number },
): Promise<{ activity: ActivityEntry[]; nextCursor?: string }> {
  const { agent } = await findAgent(deps, caller, "agent:read", agentId);
  const before = decodeUuidCursor(cursor);
  if (!agent) return { activity: [] };
  const since = new Date(deps.clock().getTime() - ACTIVITY_TTL_MS);
  const place = { tenantId: agent.tenantId, schemaName: unquoted(agent.schema) };
  const rows = await listActivity(deps.db, place, { since, before, limit: limit + 1 });
  const { page, next } = pageOf(rows, limit, ({ id }) => id);
  return { activity: page.map((row) => ({ ...row, at: row.at.toISOString() })), ...next };
}
