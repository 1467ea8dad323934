import type { Scope } from "../../db/agent/schema/scope.ts";
import type { Registered } from "../core/hooks.ts";
import type { KnownAgent } from "../core/known-agent.ts";
import type { PlannedSearch } from "./run-search.ts";
import type { SearchDeps } from "./search-deps.ts";
import type { SearchInput } from "./search-schemas.ts";

/** Searches besides the search of the agent's own memory, and warnings about what is left out. */
export interface OtherSearches {
  plans: PlannedSearch[];
  warnings: string[];
}

/** A memory besides the agent's own, which a path names. */
export interface OtherMemory {
  /** The id of its agent. */
  sharedBy: string;
  /** The path inside this memory, and the prefix of its paths for the reader. */
  path: string;
  prefix: string;
  /** The scope whose sessions and facts the reader may see. */
  scope: Scope;
  /**
   * The agent as the reader sees it, and the folders that the reader may read (empty: all);
   * undefined while the memory is switched off.
   */
  memory: { agent: KnownAgent; folders: readonly string[] } | undefined;
}

/** The hooks of searches. */
export interface SearchHooks {
  /** Plans the searches of other memories whose hits the answer also has. */
  planOtherSearches(deps: SearchDeps, reader: KnownAgent, input: SearchInput, now: Date): Promise<OtherSearches>;
  /**
   * Opens the other memory that a path names; undefined if the path is in the agent's own memory.
   *
   * @throws AppError `agent_not_found`, `schema_too_new`, `agent_migration_failed`
   */
  openOtherMemory(deps: SearchDeps, reader: KnownAgent, path: string): Promise<OtherMemory | undefined>;
}

/** The dependencies of use cases that may search or read other memories too. */
export interface HookedSearchDeps extends SearchDeps {
  readonly hooks: Registered<SearchHooks>;
}

const NOT_SHARED = "The memories that other agents share are left out: sharing is switched off on this server.";

/** Plans the searches of all features. */
export async function planOtherSearches(
  deps: HookedSearchDeps,
  reader: KnownAgent,
  input: SearchInput,
  now: Date,
): Promise<OtherSearches> {
  if (reader.reads.length > 0 && deps.hooks.planOtherSearches.length === 0)
    return { plans: [], warnings: [NOT_SHARED] };
  const all = await Promise.all(deps.hooks.planOtherSearches.map((plan) => plan(deps, reader, input, now)));
  return { plans: all.flatMap(({ plans }) => plans), warnings: all.flatMap(({ warnings }) => warnings) };
}

/** Opens the other memory that a path names, if a feature knows it. */
export async function openOtherMemory(
  deps: HookedSearchDeps,
  reader: KnownAgent,
  path: string,
): Promise<OtherMemory | undefined> {
  for (const open of deps.hooks.openOtherMemory) {
    const found = await open(deps, reader, path);
    if (found) return found;
  }
  return undefined;
}
