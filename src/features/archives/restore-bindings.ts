import { appendBindings, listBindings } from "../../db/control/bindings.ts";
import type { SqlExecutor } from "../../db/database.ts";
import { parseBindings } from "../../settings/bindings.ts";

/**
 * Adds bindings that lead to one agent, after the tenant's existing bindings, which have priority.
 *
 * @throws AppError `invalid_settings`
 */
export async function restoreBindings(
  sql: SqlExecutor,
  { tenantId, agentId }: { tenantId: string; agentId: string },
  matches: readonly Record<string, unknown>[],
): Promise<void> {
  const own = await listBindings(sql, tenantId);
  const added = matches.map((match) => ({ agentId, match }));
  const given = [...own, ...added].map((rule) =>
    Object.keys(rule.match).length === 0 ? { agentId: rule.agentId } : rule,
  );
  parseBindings(given, "bindings");
  await appendBindings(sql, tenantId, added);
}
