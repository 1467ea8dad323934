import { AppError } from "../../base/errors.ts";
import { measureSnapshots } from "../../db/agent/history/snapshots.ts";
import { withAgentReads } from "../../db/agent/schema/agent-transaction.ts";
import { countAgents, findAgent } from "../../db/control/agents.ts";
import {
  countAllAgents,
  largestAgentsOfServer,
  largestAgentsOfTenant,
  measureCache,
  measureServer,
  measureTables,
  type ServerSizes,
  type StoredAgent,
  type StoredPart,
} from "../../db/control/storage.ts";
import { agentNotFound, authorise, authoriseUnbound } from "../../settings/access.ts";
import { checkAgentId } from "../../settings/agent-id.ts";
import { spaceOf } from "../core/agent-profile.ts";
import type { Caller } from "../core/core-deps.ts";
import type { Deps } from "../deps.ts";

interface Asked {
  /** Measure this agent alone, and the former texts that its snapshots keep. */
  agentId?: string | undefined;
  /** Measure agents of all tenants, and the tables that belong to no agent. Needs the scope `admin`. */
  server: boolean;
  /** The number of agents to measure. */
  limit: number;
}

interface AgentStorage {
  tenantId: string;
  tenantName: string;
  agentId: string;
  /** The agent's schema on disk, without its cached embeddings. */
  bytes: number;
  parts: Record<StoredPart, number>;
  deadRows: number;
  deadBytes: number;
  cachedVectors: number;
  cacheBytes: number;
}

interface Storage {
  measuredAt: string;
  /** The largest agents first. */
  agents: AgentStorage[];
  /** The number of agents that were not measured. */
  otherAgents: number;
  snapshots?: { snapshots: number; oldestAt: string | null; versions: number; bytes: number } | undefined;
  server?: ServerSizes;
}

/** The first version of an agent's schema that has snapshots and versions of files. */
const SNAPSHOTS_VERSION = 17;

/**
 * Returns the disk space of the largest agents of the caller's tenant, of one agent, or of the
 * largest agents of all tenants with the rest of the database. The cost is bounded by the number of
 * agents that are measured, and by the time limit of a statement that reads.
 *
 * @throws AppError `forbidden`, `invalid_request`, `agent_not_found`, `database_timeout`
 */
export async function readStorage(deps: Deps, caller: Caller, asked: Asked): Promise<Storage> {
  authoriseUnbound(caller, "tenant");
  if (asked.server) authorise(caller, "admin");
  const { agentId, limit } = asked;
  if (agentId !== undefined) checkAgentId(agentId);
  if (agentId !== undefined && asked.server)
    throw new AppError("invalid_request", "Ask for one agent or for the server: send either agentId or server.");
  const { tenantId } = caller;
  const found = asked.server
    ? await largestAgentsOfServer(deps.db, limit)
    : await largestAgentsOfTenant(deps.db, { tenantId, agentId, limit });
  if (agentId !== undefined && found.length === 0) throw agentNotFound();
  const agents = await measureAgents(deps, found);
  const known = asked.server ? await countAllAgents(deps.db) : await countAgents(deps.db, tenantId);
  return {
    measuredAt: deps.clock().toISOString(),
    agents: agents.toSorted((a, b) => b.bytes + b.cacheBytes - a.bytes - a.cacheBytes),
    otherAgents: agentId === undefined ? Math.max(0, known - agents.length) : 0,
    ...(agentId === undefined ? {} : { snapshots: await snapshotsOf(deps, caller, agentId) }),
    ...(asked.server ? { server: await measureServer(deps.db) } : {}),
  };
}

async function measureAgents({ db }: Deps, found: readonly StoredAgent[]): Promise<AgentStorage[]> {
  const tables = Map.groupBy(
    await measureTables(
      db,
      found.map(({ schemaName }) => schemaName),
    ),
    ({ schemaName }) => schemaName,
  );
  const cached = new Map((await measureCache(db, found)).map((row) => [row.schemaName, row]));
  return found.map(({ tenantId, tenantName, agentId, schemaName }) => {
    const sizes = tables.get(schemaName) ?? [];
    const parts = { files: 0, conversations: 0, facts: 0, history: 0, index: 0 };
    for (const { part, bytes } of sizes) parts[part] += bytes;
    const sum = (of: (size: (typeof sizes)[number]) => number) => sizes.reduce((total, size) => total + of(size), 0);
    return {
      tenantId,
      tenantName,
      agentId,
      bytes: sum(({ bytes }) => bytes),
      parts,
      deadRows: sum(({ deadRows }) => deadRows),
      deadBytes: sum(({ deadBytes }) => deadBytes),
      cachedVectors: cached.get(schemaName)?.vectors ?? 0,
      cacheBytes: cached.get(schemaName)?.bytes ?? 0,
    };
  });
}

/** Measures a disabled agent's snapshots too: it was perhaps disabled because it grows. */
async function snapshotsOf({ db }: Deps, { tenantId }: Caller, agentId: string): Promise<Storage["snapshots"]> {
  const row = await findAgent(db, tenantId, agentId);
  if (!row || row.schemaVersion < SNAPSHOTS_VERSION) return { snapshots: 0, oldestAt: null, versions: 0, bytes: 0 };
  const space = spaceOf(row);
  const { oldestAt, ...hold } = await withAgentReads(db, space, (tx) => measureSnapshots(tx, space.schema));
  return { ...hold, oldestAt: oldestAt?.toISOString() ?? null };
}
