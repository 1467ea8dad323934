import type { PendingChunk } from "../../db/agent/chunks/vectors.ts";
import type { Generation } from "../../db/agent/schema/generations.ts";
import type { AgentInUse } from "../../db/control/agents.ts";
import type { SqlExecutor } from "../../db/database.ts";
import type { Embedder } from "../../embeddings/embedder.ts";
import { extraPathsOf } from "../../settings/extra-paths.ts";
import type { CoreDeps } from "../core/core-deps.ts";
import type { Registered } from "../core/hooks.ts";
import type { KnownAgent } from "../core/known-agent.ts";
import type { EmbeddingDeps } from "../embedding/embedding-deps.ts";
import type { FileDeps } from "../files/file-deps.ts";
import type { HookedFileDeps } from "../files/file-hooks.ts";

/** The chunks of a generation that the job `embed` embeds next, by single requests. */
export interface ChosenChunks {
  chunks: PendingChunk[];
  /**
   * Whether the feature embeds other chunks of the generation, or is about to. It then enqueues the
   * job `embed` when these are done.
   */
  batched: boolean;
}

/** One extra path in an agent's status. */
export interface ExtraPathStatus {
  path: string;
  pattern?: string;
  files: number;
  /** Files that are no text, documents that cannot be read, files that are too large, and links. */
  skipped: number;
  /** Files that cannot be read just now, or that a limit refused. */
  failed: number;
  lastSyncAt: string | null;
  error?: string;
}

/** The hooks of jobs that maintain indexes. */
export interface IndexHooks {
  /**
   * Enqueues the jobs of a feature that are due for an agent. The schedule calls it once a minute
   * for every enabled agent.
   *
   * @param fallsDue returns whether work that repeats at this interval is due in this minute. The
   *   key spreads the work of many agents over the interval
   */
  scheduleAgent(
    deps: CoreDeps,
    agent: AgentInUse,
    fallsDue: (key: string, intervalMinutes: number) => boolean,
  ): Promise<void>;
  /**
   * Brings an agent's memory in line with the folders of the server that its settings name. This is
   * the last step of a sync: it commits its own work, and can be repeated.
   *
   * @returns "unfinished" when `signal` ended the step
   */
  syncFolders(deps: HookedFileDeps, agent: KnownAgent, signal: AbortSignal): Promise<"done" | "unfinished">;
  /** Returns the results of the last sync for the extra paths of the settings. */
  readFolderStatus(deps: FileDeps, agent: KnownAgent): Promise<ExtraPathStatus[]>;
  /**
   * Returns the schemas of all agents whose folders of the server were ever synced. Files of folders
   * that the settings no longer name must be deleted, so these agents are synced too.
   */
  schemasWithFolders(sql: SqlExecutor): Promise<ReadonlySet<string>>;
  /**
   * Plans the embedding of chunks by the feature. A job `embed` with `plan` calls it before the
   * job's first request, because no text of the agent is then on its way to a provider.
   *
   * @param isOver returns whether to stop early; the job is then enqueued again
   * @returns whether the planning came to an end
   */
  planBatches(deps: EmbeddingDeps, agent: KnownAgent, isOver: () => boolean): Promise<boolean>;
  /**
   * Chooses the chunks that single requests embed next, without those that the feature embeds
   * itself.
   *
   * @param afterId the last chunk of the previous page; "0" at the beginning
   * @returns undefined if the feature embeds no chunks of the generation
   */
  chooseChunks(
    deps: EmbeddingDeps,
    agent: KnownAgent,
    generation: Generation,
    embedder: Embedder,
    afterId: string,
  ): Promise<ChosenChunks | undefined>;
}

const SWITCHED_OFF =
  "Folders of the server are switched off on this server (RECOLLECT_FEATURES). Files that were read before stay as they are.";

/**
 * Returns the extra paths of the settings with the results of the last sync. If folders of the server
 * are switched off, each path has this as its error.
 */
export async function readFolderStatus(
  deps: FileDeps & { readonly hooks: Registered<IndexHooks> },
  agent: KnownAgent,
): Promise<ExtraPathStatus[]> {
  const [read] = deps.hooks.readFolderStatus;
  if (read) return read(deps, agent);
  return extraPathsOf(agent.settings).map(({ path, pattern }) => ({
    path,
    ...(pattern === undefined ? {} : { pattern }),
    files: 0,
    skipped: 0,
    failed: 0,
    lastSyncAt: null,
    error: SWITCHED_OFF,
  }));
}
