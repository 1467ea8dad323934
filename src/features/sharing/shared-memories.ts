import { AppError } from "../../base/errors.ts";
import { sha256 } from "../../base/ids.ts";
import { deviationOfSample, readSharedProfile, type SharedProfile } from "../../db/agent/candidates/shared-profile.ts";
import { withAgentReads } from "../../db/agent/schema/agent-transaction.ts";
import { vectorTable } from "../../db/agent/schema/generation-tables.ts";
import type { Generation } from "../../db/agent/schema/generations.ts";
import type { Scope } from "../../db/agent/schema/scope.ts";
import { SOURCE_NUMBER } from "../../db/agent/schema/source-number.ts";
import { findAgent } from "../../db/control/agents.ts";
import { newestVersion } from "../../db/migrate/agent.ts";
import { ensureVersion } from "../../service/agent/find-agent.ts";
import { profileOf, spaceOf } from "../../service/core/agent-profile.ts";
import type { KnownAgent, MemoryRead } from "../../service/core/known-agent.ts";
import { type PlannedSearch, planSearch, searchedGeneration, sourcesOf } from "../../service/search/run-search.ts";
import type { SearchDeps } from "../../service/search/search-deps.ts";
import type { OtherMemory, OtherSearches } from "../../service/search/search-hooks.ts";
import type { SearchInput } from "../../service/search/search-schemas.ts";
import { unreadableMemory } from "../../service/search/unreadable-memory.ts";
import { parseSharedPath, sharedPrefix } from "../../settings/shared-paths.ts";

/** A sharer's memory as its reader sees it: an agent that has only the shared part. */
interface SharedMemory {
  agent: KnownAgent;
  /** The shared folders; empty: all files. */
  folders: readonly string[];
}

/**
 * The scope of every reader of a shared memory. Texts scoped to a user, agent or conversation are
 * not shared.
 */
const UNSCOPED: Scope = {};

/**
 * Plans the search of each memory that is shared with an agent. A plan covers the shared part, as
 * far as the sharer's own settings search it, and ranks hits by the reader's settings. A memory is
 * skipped if none of the search's `paths` can match in it. A search with `asOf` skips all of them:
 * the past of a memory, with texts that have been deleted since, is not shared.
 */
export async function planSharedSearches(
  deps: SearchDeps,
  reader: KnownAgent,
  input: SearchInput,
  now: Date,
): Promise<OtherSearches> {
  const shared: OtherSearches = { plans: [], warnings: [] };
  if (reader.reads.length === 0) return shared;
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

/**
 * Plans the search of one shared memory. Returns a warning if the memory cannot be read now,
 * undefined if there is nothing to search.
 */
async function planShared(
  deps: SearchDeps,
  reader: KnownAgent,
  read: MemoryRead,
  { input, now }: { input: SearchInput; now: Date },
): Promise<PlannedSearch | string | undefined> {
  try {
    const memory = await openShared(deps, reader, read);
    if (!memory) return undefined;
    const { query, timezone } = reader.settings;
    const agent = { ...memory.agent, settings: { ...memory.agent.settings, query, timezone } };
    const { generation, available, speakers } = await searchedGeneration(deps, agent, {
      query: input.query,
      scope: UNSCOPED,
    });
    const { sources } = sourcesOf(input.corpus, agent.settings, available);
    if (!generation || sources.length === 0) return undefined;
    const { folders } = memory;
    const shared = await profileOfShared(deps, memory, generation);
    if (shared.chunks === 0) return undefined;
    // Measurements of the whole index would reveal something about the unshared part to the reader.
    const known = { ...generation, languages: shared.languages, separation: null };
    const plan = planSearch(agent, known, { sources, speakers, now }, input);
    return {
      ...plan,
      reader,
      shared,
      visibleFacts: { at: now, isPresent: true, visibleTo: UNSCOPED },
      filter: {
        ...plan.filter,
        ...(folders.length > 0 ? { folders } : {}),
        ...(plan.filter.paths ? { prefix: sharedPrefix(agent.agentId) } : {}),
      },
    };
  } catch (error) {
    return unreadableMemory(error, read.row.id);
  }
}

/**
 * Returns measurements of an index's shared part. The scores of the hits in this part depend on
 * them.
 */
async function profileOfShared(
  deps: SearchDeps,
  { agent, folders }: SharedMemory,
  generation: Generation,
): Promise<SharedProfile> {
  const sources = agent.settings.sources.map((source) => SOURCE_NUMBER[source]);
  const { schema } = agent;
  const { id: generationId, changes, dimensions, language } = generation;
  const part = sha256(JSON.stringify([schema, generationId, sources, folders]));
  return deps.sharedProfiles.read(part, changes, () =>
    withAgentReads(deps.db, agent, async (tx) => {
      const filter = folders.length > 0 ? { folders } : {};
      const read = await readSharedProfile(tx, { schema, generationId, language }, filter, sources);
      if (dimensions === null) return read;
      return { ...read, deviation: await deviationOfSample(tx, vectorTable(schema, generation, dimensions), read) };
    }),
  );
}

/**
 * Returns a memory that is shared with an agent, after migrating its schema to this binary's
 * version; undefined while the sharer's memory is switched off.
 *
 * @throws AppError `agent_not_found`, `schema_too_new`, `agent_migration_failed`
 */
async function openShared(
  deps: SearchDeps,
  { tenantId }: KnownAgent,
  { row, tenant }: MemoryRead,
): Promise<SharedMemory | undefined> {
  const profile = profileOf(deps, { tenant, agent: { ...row, limits: {} } }, row.id);
  if (!profile.settings.enabled) return undefined;
  // Only a schema of another version costs another statement.
  if (row.schemaVersion !== newestVersion(deps.migrations).schemaVersion) {
    const whole = await findAgent(deps.db, tenantId, row.id);
    if (whole?.schemaName !== row.schemaName) throw new AppError("agent_not_found", "This agent no longer exists.");
    await ensureVersion(deps, whole);
  }
  const sources = profile.settings.sources.filter((source) =>
    row.folders.length > 0 ? source === "memory" : source !== "sessions" || row.sessions,
  );
  const settings = { ...profile.settings, sources };
  const agent = { ...profile, ...spaceOf(row), settings, usageKnown: true, facts: 0, reads: [] };
  return { agent, folders: row.folders };
}

/**
 * Opens the shared memory that a path such as `@handbook/notes.md` names; undefined if the path is
 * in the agent's own memory.
 *
 * @throws AppError `agent_not_found`, `schema_too_new`, `agent_migration_failed`
 */
export async function openSharedAt(
  deps: SearchDeps,
  reader: KnownAgent,
  path: string,
): Promise<OtherMemory | undefined> {
  const named = parseSharedPath(path);
  const read = named && reader.reads.find(({ row }) => row.id === named.sharedBy);
  if (!read) return undefined;
  const { sharedBy, rest } = named;
  const memory = await openShared(deps, reader, read);
  return { sharedBy, path: rest, prefix: sharedPrefix(sharedBy), scope: UNSCOPED, memory };
}

/** Returns whether a path with this prefix can match one of the patterns. */
function mayHave(prefix: string, patterns: readonly string[] | undefined): boolean {
  return (
    patterns?.some((pattern) => {
      const [literal = ""] = pattern.normalize("NFC").split("*");
      return prefix.startsWith(literal) || literal.startsWith(prefix);
    }) ?? true
  );
}
