import { parseSharedPath, sharedPrefix } from "../../agents/shared-paths.ts";
import { AppError } from "../../base/errors.ts";
import { findAgent } from "../../db/control/agents.ts";
import { newestVersion } from "../../db/migrate/agent.ts";
import { ensureVersion } from "../agent/find-agent.ts";
import { profileOf, spaceOf } from "../core/agent-profile.ts";
import type { KnownAgent, MemoryRead } from "../core/known-agent.ts";
import { type PlannedSearch, planSearch, searchedGeneration, sourcesOf } from "./run-search.ts";
import type { SearchDeps } from "./search-deps.ts";
import type { SearchInput } from "./search-schemas.ts";

/** The sharer's memory as its reader sees it, which is an agent that knows only what is shared. */
export interface SharedMemory {
  agent: KnownAgent;
  /** Folders of files; empty: all. */
  folders: readonly string[];
}

/** The searches of an agent's shared memories, and what could not be read. */
interface SharedPlans {
  plans: PlannedSearch[];
  warnings: string[];
}

/**
 * Plans the search of each memory that is shared with an agent: what is shared and the sharer's settings have, ranked as the reader
 * has its hits ranked. A memory that no path of the search can be in is not asked. What a sharer's memory was in the past, with what
 * was taken out of it since, is not shared.
 */
export async function planSharedSearches(
  deps: SearchDeps,
  reader: KnownAgent,
  input: SearchInput,
  now: Date,
): Promise<SharedPlans> {
  const shared: SharedPlans = { plans: [], warnings: [] };
  if (input.asOf)
    return { plans: [], warnings: ["Memories that others share are searched only as they are now, without asOf."] };
  const asked = reader.reads.filter(({ row }) => mayHave(sharedPrefix(row.id), input.paths));
  const planned = await Promise.all(asked.map((read) => planShared(deps, reader, read, { input, now })));
  for (const one of planned) {
    if (typeof one === "string") shared.warnings.push(one);
    else if (one) shared.plans.push(one);
  }
  return shared;
}

/** The search of one shared memory; a warning when it cannot be read now, undefined when there is nothing to search. */
async function planShared(
  deps: SearchDeps,
  reader: KnownAgent,
  read: MemoryRead,
  { input, now }: { input: SearchInput; now: Date },
): Promise<PlannedSearch | string | undefined> {
  try {
    const memory = await openShared(deps, reader, read);
    if (!memory.agent.settings.enabled) return undefined;
    const agent = { ...memory.agent, settings: { ...memory.agent.settings, query: reader.settings.query } };
    const { generation, available, speakers } = await searchedGeneration(deps, agent, input.query);
    const { sources } = sourcesOf(input.corpus, agent.settings, available);
    if (!generation || sources.length === 0) return undefined;
    const plan = planSearch(agent, generation, { sources, speakers, now }, input);
    const { folders } = memory;
    return {
      ...{ ...plan, reader },
      // What is for one user, agent or conversation is not shared, whoever asks.
      visibleFacts: { at: now, visibleTo: {} },
      filter: {
        ...plan.filter,
        ...(folders.length > 0 ? { folders } : {}),
        ...(plan.filter.paths ? { prefix: sharedPrefix(agent.agentId) } : {}),
      },
    };
  } catch (error) {
    return unreadable(error, read.row.id);
  }
}

/**
 * A memory that is shared with an agent, brought to this binary's version.
 *
 * @throws AppError `agent_not_found`, `schema_too_new`, `agent_migration_failed`
 */
export async function openShared(
  deps: SearchDeps,
  { tenantId }: KnownAgent,
  { row, tenant }: MemoryRead,
): Promise<SharedMemory> {
  // Only an older schema costs a statement more.
  if (row.schemaVersion !== newestVersion(deps.migrations).schemaVersion) {
    const whole = await findAgent(deps.db, tenantId, row.id);
    if (whole?.schemaName !== row.schemaName) throw new AppError("agent_not_found", "This agent no longer exists.");
    await ensureVersion(deps, whole);
  }
  const profile = profileOf(deps, { tenant, agent: { ...row, limits: {} } }, row.id);
  const sources = profile.settings.sources.filter((source) =>
    row.folders.length > 0 ? source === "memory" : source !== "sessions" || row.sessions,
  );
  const settings = { ...profile.settings, sources };
  const agent = { ...profile, ...spaceOf(row), settings, usageKnown: true, facts: 0, reads: [] };
  return { agent, folders: row.folders };
}

/** The shared memory that a path begins with, such as `@handbook/`, and the path in it; undefined: the path is in the agent's own. */
export function placeInShared(
  { reads }: KnownAgent,
  path: string,
): { read: MemoryRead; path: string; prefix: string } | undefined {
  const named = parseSharedPath(path);
  const read = named && reads.find(({ row }) => row.id === named.sharedBy);
  return read && { read, path: named.rest, prefix: sharedPrefix(named.sharedBy) };
}

/** What a search says of a memory that cannot be read now; nothing of one that is gone. @throws what is a fault */
function unreadable(error: unknown, agentId: string): string | undefined {
  if (!(error instanceof AppError)) throw error;
  if (error.code === "agent_not_found") return undefined;
  if (error.code !== "agent_migration_failed" && error.code !== "schema_too_new") throw error;
  return `The shared memory @${agentId} was not searched. ${error.message}`;
}

/** Whether a path that begins so can match one of the patterns. */
function mayHave(prefix: string, patterns: readonly string[] | undefined): boolean {
  return (
    patterns?.some((pattern) => {
      const [literal = ""] = pattern.normalize("NFC").split("*");
      return prefix.startsWith(literal) || literal.startsWith(prefix);
    }) ?? true
  );
}
