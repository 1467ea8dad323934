import { DAY_MS } from "../../base/clock.ts";
import { decodeUuidCursor, pageOf } from "../../base/page-cursor.ts";
import { unquoted } from "../../db/agent/schema/schema-name.ts";
import {
  type ActivityRow,
  type ActivitySum,
  LATENCY_CLASSES,
  listActivity,
  namesOfKeys,
  sumActivity,
} from "../../db/control/agent-activity.ts";
import { authoriseUnbound } from "../../settings/access.ts";
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
  kind: ActivityRow["kind"];
  times: number;
  hits: number;
  failed: number;
  empty: number;
  /** The mean time of a call in milliseconds; null: not measured. */
  ms: number | null;
  slowestMs: number | null;
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
  const activity = page.map(({ ms, ...row }) => ({
    ...row,
    at: row.at.toISOString(),
    ms: ms === null ? null : Math.round(ms / row.times),
  }));
  return { activity, ...next };
}

/** The calls of one kind within a time. */
interface CallSum {
  kind: ActivityRow["kind"];
  times: number;
  hits: number;
  failed: number;
  /** The number of calls that found nothing. */
  empty: number;
  /** Times of the calls in milliseconds; null: none was measured. */
  latency: { meanMs: number; p50Ms: number; p95Ms: number; slowestMs: number } | null;
}

export interface ActivitySummary {
  from: string;
  to: string;
  per: "hour" | "day";
  /** By time and kind; times without a call are left out. */
  buckets: (CallSum & { at: string })[];
  /** Over the whole time, by kind. */
  totals: CallSum[];
  /** The same by caller or agent, the busiest first; empty if not requested. */
  groups: (CallSum & { actor?: string; keyName?: string | null; agentId?: string })[];
}

interface SummaryRequest {
  days: number;
  per: "hour" | "day";
  by: "none" | "actor" | "agent";
}

/** The most callers or agents in a summary. */
const MAX_GROUPS = 200;

/**
 * Returns an agent's activity of the last days by the hour or day.
 *
 * @throws AppError as `findAgent`
 */
export async function summariseActivity(
  deps: Deps,
  caller: Caller,
  agentId: string,
  request: SummaryRequest,
): Promise<ActivitySummary> {
  const { agent } = await findAgent(deps, caller, "agent:read", agentId);
  const of = { schemaName: agent ? unquoted(agent.schema) : "" };
  return summarise(deps, agent?.tenantId ?? caller.tenantId, of, request);
}

/**
 * Returns the activity in all agents of a tenant.
 *
 * @throws AppError `forbidden`
 */
export async function summariseTenantActivity(
  deps: Deps,
  caller: Caller,
  request: SummaryRequest,
): Promise<ActivitySummary> {
  authoriseUnbound(caller, "tenant");
  return summarise(deps, caller.tenantId, { tenantId: caller.tenantId }, request);
}

async function summarise(
  deps: Deps,
  tenantId: string,
  of: Parameters<typeof sumActivity>[1],
  { days, per, by }: SummaryRequest,
): Promise<ActivitySummary> {
  const until = deps.clock();
  // The first day is whole, so that a chart does not begin with a part of one.
  const since = new Date(Math.floor(until.getTime() / DAY_MS) * DAY_MS - (days - 1) * DAY_MS);
  const within = { since, until };
  const [buckets, totals, groups] = await Promise.all([
    sumActivity(deps.db, of, { ...within, per, by: "none" }),
    sumActivity(deps.db, of, { ...within, per: "all", by: "none" }),
    by === "none" ? [] : sumActivity(deps.db, of, { ...within, per: "all", by }),
  ]);
  const shown = groups.toSorted((a, b) => b.times - a.times).slice(0, MAX_GROUPS);
  const actors = by === "actor" ? [...new Set(shown.map((sum) => sum.of))] : [];
  const names = actors.length === 0 ? new Map<string, string>() : await namesOfKeys(deps.db, tenantId, actors);
  const nameOf = (sum: ActivitySum) =>
    by === "agent" ? { agentId: sum.of } : { actor: sum.of, keyName: names.get(sum.of) ?? null };
  return {
    from: since.toISOString(),
    to: until.toISOString(),
    per,
    buckets: buckets.flatMap((sum) => (sum.at ? [{ at: sum.at.toISOString(), ...describe(sum) }] : [])),
    totals: totals.map(describe),
    groups: shown.map((sum) => ({ ...nameOf(sum), ...describe(sum) })),
  };
}

function describe({ kind, times, hits, failed, empty, ms, slowestMs, latencies }: ActivitySum): CallSum {
  const measured = latencies.reduce((sum, count) => sum + count, 0);
  const at = (share: number) => percentile(latencies, share * measured, slowestMs);
  const latency = { meanMs: Math.round(ms / measured), p50Ms: at(0.5), p95Ms: at(0.95), slowestMs };
  return { kind, times, hits, failed, empty, latency: measured === 0 ? null : latency };
}

/**
 * Returns the latency below which a number of calls lies, from the counts of classes. Inside a class
 * the calls are taken to be spread evenly.
 */
function percentile(classes: readonly number[], calls: number, slowestMs: number): number {
  let below = 0;
  for (const [n, count] of classes.entries()) {
    if (below + count >= calls && count > 0) {
      const low = LATENCY_CLASSES[n - 1] ?? 0;
      const high = Math.max(low, Math.min(LATENCY_CLASSES[n] ?? slowestMs, slowestMs));
      return Math.round(low + ((high - low) * (calls - below)) / count);
    }
    below += count;
  }
  return slowestMs;
}
