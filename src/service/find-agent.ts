import { checkAgentId, DEFAULT_AGENT_ID } from "../agents/agent-id.ts";
import { AppError } from "../base/errors.ts";
import { randomHex } from "../base/ids.ts";
import type { AgentSpace } from "../db/agent/agent-transaction.ts";
import { createAgentRole, createAgentSchema, lockAgentCreation } from "../db/agent/create-agent-schema.ts";
import { createGenerationTables } from "../db/agent/generation-tables.ts";
import {
  activeGeneration,
  type Generation,
  insertActiveGeneration,
  type NewGeneration,
} from "../db/agent/generations.ts";
import { roleName, schemaName } from "../db/agent/schema-name.ts";
import { type AgentRow, activateAgent, findAgent, insertAgent } from "../db/control/agents.ts";
import { latestAgentVersion } from "../db/migrate/agent.ts";
import type { Caller, Deps } from "./deps.ts";

/** An agent whose schema exists. */
export interface KnownAgent extends AgentSpace {
  readonly tenantId: string;
  readonly agentId: string;
}

/**
 * Finds an agent that has a schema; undefined when the default agent has not been written to yet.
 *
 * @throws AppError `invalid_agent_id`, `agent_not_found`, `schema_too_new`
 */
export async function findKnownAgent(deps: Deps, caller: Caller, agentId: string): Promise<KnownAgent | undefined> {
  checkAgentId(agentId);
  const key = `${caller.tenantId}:${agentId}`;
  let space = deps.agentSpaces.get(key);
  if (!space) {
    const row = await findAgent(deps.db, caller.tenantId, agentId);
    if (row?.status !== "active") {
      if (agentId === DEFAULT_AGENT_ID) return undefined;
      throw new AppError(
        "agent_not_found",
        "There is no such agent. An agent is created by the first file that is written to it.",
      );
    }
    space = spaceOf(row);
    deps.agentSpaces.set(key, space);
  }
  return { ...space, tenantId: caller.tenantId, agentId };
}

/**
 * Finds an agent, or creates its role, its schema and its first generation: on the first write, and not before. Safe from
 * many processes at once; resumes a creation that a crash interrupted.
 */
export async function findOrCreateAgent(deps: Deps, caller: Caller, agentId: string): Promise<KnownAgent> {
  const row = await findAgentRow(deps, caller, agentId);
  if (row?.status === "active") {
    const known = await findKnownAgent(deps, caller, agentId);
    if (known) return known;
  }
  return createAgent(deps, caller, agentId, row);
}

async function findAgentRow(
  deps: Deps,
  caller: Caller,
  agentId: string,
): Promise<Pick<AgentRow, "status" | "schemaName" | "roleName" | "schemaVersion"> | undefined> {
  checkAgentId(agentId);
  return findAgent(deps.db, caller.tenantId, agentId);
}

async function createAgent(
  deps: Deps,
  caller: Caller,
  agentId: string,
  found: Pick<AgentRow, "schemaName"> | undefined,
): Promise<KnownAgent> {
  const now = deps.clock();
  if (!found) {
    const name = `agent_${randomHex(6)}`;
    await insertAgent(deps.db, {
      tenantId: caller.tenantId,
      id: agentId,
      schemaName: name,
      roleName: name,
      schemaVersion: 0,
      status: "creating",
      createdAt: now,
    });
  }
  const row = await findAgent(deps.db, caller.tenantId, agentId);
  if (!row) throw new AppError("agent_not_found", "The agent was erased while it was being created.");
  const space = spaceOf({ ...row, schemaVersion: latestAgentVersion() });
  await createAgentRole(deps.db, space);
  await deps.db.transaction(async (tx) => {
    await lockAgentCreation(tx, space);
    if ((await findAgent(tx, caller.tenantId, agentId))?.status === "active") return;
    await createAgentSchema(tx, space);
    if (!(await activeGeneration(tx, space.schema))) {
      const generation = await insertActiveGeneration(tx, space.schema, newGeneration(deps), now);
      await createGenerationTables(tx, space.schema, space.role, generation);
    }
    await activateAgent(tx, caller.tenantId, agentId, latestAgentVersion());
  });
  deps.agentSpaces.set(`${caller.tenantId}:${agentId}`, space);
  return { ...space, tenantId: caller.tenantId, agentId };
}

function newGeneration(deps: Deps): NewGeneration {
  return {
    provider: deps.embedder?.provider ?? "none",
    model: deps.embedder?.model ?? "none",
    dimensions: deps.embedder?.dimensions ?? null,
    chunkTokens: deps.settings.chunking.tokens,
    chunkOverlap: deps.settings.chunking.overlap,
    language: deps.settings.query.language,
  };
}

function spaceOf(row: Pick<AgentRow, "schemaName" | "roleName" | "schemaVersion">): AgentSpace {
  if (row.schemaVersion > latestAgentVersion()) {
    throw new AppError(
      "schema_too_new",
      "This agent's memory was migrated by a newer Recollect; use that version or a newer one.",
    );
  }
  return { schema: schemaName(row.schemaName), role: roleName(row.roleName) };
}

/** The active generation, read inside the agent's transaction. */
export async function requireGeneration(
  sql: Parameters<typeof activeGeneration>[0],
  agent: AgentSpace,
): Promise<Generation> {
  const generation = await activeGeneration(sql, agent.schema);
  if (!generation) throw new AppError("internal", "The agent has no active index generation.");
  return generation;
}

/** Whether the configured embedder may write to and search this generation: vectors of two models cannot be compared. */
export function embedderFor(deps: Deps, generation: Generation): Deps["embedder"] {
  const { embedder } = deps;
  const fits =
    embedder !== undefined &&
    embedder.provider === generation.provider &&
    embedder.model === generation.model &&
    embedder.dimensions === generation.dimensions;
  return fits ? embedder : undefined;
}
