import { z } from "zod";
import { parseStrictly } from "./parse-strictly.ts";

/**
 * The limits of an agent or a tenant; an absent limit means no limit. Only tenants have `agents`
 * and `requestsPerMinute`, which limits the requests of all the tenant's keys together.
 */
export interface Limits {
  readonly agents?: number | undefined;
  readonly files?: number | undefined;
  readonly bytes?: number | undefined;
  readonly chunks?: number | undefined;
  readonly facts?: number | undefined;
  readonly requestsPerMinute?: number | undefined;
}

const most = z.int().min(0).optional();
const agentLimits = z.strictObject({ files: most, bytes: most, chunks: most, facts: most });
const tenantLimits = agentLimits.extend({ agents: most, requestsPerMinute: z.int().min(1).max(1_000_000).optional() });

/** @throws AppError `invalid_settings`, naming the path of each bad key */
export function parseLimits(value: unknown, path: string, kind: "agent" | "tenant"): Record<string, number> {
  return parseStrictly<Limits>(kind === "agent" ? agentLimits : tenantLimits, value, path) as Record<string, number>;
}
