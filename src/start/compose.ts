import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { LRUCache } from "lru-cache";
import { systemClock } from "../base/clock.ts";
import { AppError } from "../base/errors.ts";
import type { Logger } from "../base/logger.ts";
import type { Config } from "../config/config.ts";
import { createSegmentCache } from "../db/agent/segments/segments.ts";
import { createRateLimiter } from "../db/control/rate-limiter.ts";
import type { Database } from "../db/database.ts";
import { type AgentMigration, loadAgentMigrations } from "../db/migrate/agent.ts";
import { hasControlSchema, notPrepared } from "../db/migrate/control.ts";
import { observeDatabase } from "../db/observed-database.ts";
import { isOutage } from "../db/pg-error.ts";
import type { Embedder } from "../embeddings/embedder.ts";
import { observeEmbedder } from "../embeddings/observed-embedder.ts";
import { buildApp } from "../http/app.ts";
import { createBodyMemory } from "../http/body/body-memory.ts";
import { type BuiltFiles, readBuiltFiles } from "../http/built-files.ts";
import { withoutFeatures } from "../http/console.ts";
import type { App } from "../http/context.ts";
import { createStreamPlaces } from "../http/streams/stream-places.ts";
import type { Job } from "../jobs/job.ts";
import { createMcpEndpoint } from "../mcp/mcp-endpoint.ts";
import type { BuiltinModels } from "../models/builtin-reranker.ts";
import { observeModels } from "../models/observed-models.ts";
import { openModels } from "../models/open-models.ts";
import { createMetrics, type Metrics } from "../observe/metrics.ts";
import type { Gauged } from "../observe/process-metrics.ts";
import { startQueue } from "../queue/queue.ts";
import { ensureAdminKey, readAdminKey } from "../service/admin/manage-keys.ts";
import { requestSweep } from "../service/admin/migrate-fleet.ts";
import { startActivity } from "../service/core/activity.ts";
import { purgeStaleEntries } from "../service/core/cache-expiry.ts";
import { createCoalescedRequests, createWholeMemories } from "../service/core/core-deps.ts";
import { createGroupCommits, createTurns } from "../service/core/group-commit.ts";
import { createKeyLookups } from "../service/core/key-lookups.ts";
import { startParseThreads } from "../service/core/parse-threads.ts";
import { probeReady } from "../service/core/probe-health.ts";
import type { Deps } from "../service/deps.ts";
import { createQueryVectors } from "../service/embedding/embed-query.ts";
import { createEmbedderRegistry, type EmbeddingSettings } from "../service/embedding/embedder-registry.ts";
import type { Embedders } from "../service/embedding/embedding-deps.ts";
import { startQueryUsage } from "../service/embedding/query-usage.ts";
import { startFilePreparer } from "../service/files/prepare-file.ts";
import { startSchedule } from "../service/indexing/schedule-syncs.ts";
import { SEARCH_TIMEOUT_MS } from "../service/search/search-limits.ts";
import { createSearchAnswers } from "../service/search/search-memory.ts";
import { SharedProfiles } from "../service/search/shared-profiles.ts";
import type { ServiceDefaults } from "../settings/service-defaults.ts";
import { resolveSettings } from "../settings/settings.ts";
import { openDatabase, prepareAtStart } from "../wiring/open-database.ts";
import { embedderOpener } from "../wiring/open-embedder.ts";
import { readDefaults } from "../wiring/read-defaults.ts";
import { type LoadedFeatures, loadFeatures } from "./load-features.ts";
import { VERSION } from "./version.ts";

/** A wired process: use cases over adapters, with the HTTP app on top. */
export interface Runtime {
  readonly deps: Deps;
  readonly app: App;
  /** The provider and model for agents without settings of their own. */
  readonly embedding: { provider: string; model: string };
  /** The values that the process's metrics read. */
  readonly gauged: Gauged;
  /** Returns whether the process accepts work and the database answers. */
  ready(): Promise<boolean>;
  /** Makes `ready` false from now on, so that a load balancer sends its requests elsewhere. */
  stopAccepting(): void;
  /** Hands unfinished jobs back, for some seconds at most. Requests are still answered. */
  handBackJobs(): Promise<void>;
  /** Hands unfinished jobs back and closes everything, in the reverse order of opening. */
  close(): Promise<void>;
}

export interface ComposeOptions {
  logger: Logger;
  /** Whether this process takes jobs. */
  worker: boolean;
  /**
   * Whether warnings about the database are reported only by `recollect doctor` and the start of a server.
   * Otherwise every command would repeat them.
   */
  skipsDatabaseWarnings?: boolean;
  /** Whether requests on loopback, or from this process, need no key. */
  keyless: boolean;
  /** Parts made elsewhere, such as a test's embedder or database. */
  embedder?: (settings: EmbeddingSettings) => Promise<Embedder | undefined>;
  /** Thread pools that somebody outside has started and closes. */
  threads?: Threads;
  database?: Database;
  /** Whether a database in which no Recollect has stored anything yet is refused. */
  mustExist?: boolean;
  migrations?: readonly AgentMigration[];
  /**
   * The metrics that the process counts into. A set of its own is made unless somebody outside
   * reads them.
   */
  metrics?: Metrics;
}

/**
 * Wires configuration to adapters to use cases. If a step fails, the parts that are already open
 * are closed.
 */
export async function compose(config: Config, options: ComposeOptions): Promise<Runtime> {
  const { logger, metrics = createMetrics() } = options;
  // The key and the features are checked before the database is opened: a new database takes seconds
  // to create, in vain if the start is refused.
  const adminKey = config.adminKey === undefined ? undefined : readAdminKey(config.adminKey);
  const features = await loadFeatures(config);
  const opened: (() => Promise<void>)[] = [...features.closers];
  const close = async () => {
    for (const closeOne of opened.splice(0).reverse()) await closeOne();
  };
  try {
    const db = await openObserved(config, options, metrics);
    opened.push(() => db.close());
    await prepareAtStart(db, config, (message) => {
      if (!options.skipsDatabaseWarnings) logger.warn(message);
    });
    const defaults = readDefaults(config, logger);
    warnOfBindings(defaults, features, logger);
    const embedders = createEmbedderRegistry(observed(openerOf(config, options, defaults), metrics));
    opened.push(() => embedders.close());
    const embedding = await usualEmbedding(embedders, defaults, logger);
    const threads = options.threads ?? startThreads(config.prepareThreads, logger);
    if (!options.threads) opened.push(...Object.values(threads).map((one) => () => one.close()));
    const queue = await startQueue(db, { logger, metrics, kinds: features.kinds, supervise: options.worker });
    opened.push(() => queue.stop());
    const [queryUsage, activity] = [startQueryUsage(db, logger), startActivity(db, systemClock, logger)];
    opened.push(queryUsage.stop, activity.stop);
    const models = observeModels(openModels(config.models, builtinModels(config, logger)), metrics);
    opened.push(() => models.close());
    const deps: Deps = {
      db,
      queue,
      embedders,
      ...threads,
      ...createCommits(),
      coalesced: createCoalescedRequests(),
      wholeMemories: createWholeMemories(),
      defaults,
      hooks: features.hooks,
      version: VERSION,
      migrations: options.migrations ?? loadAgentMigrations(),
      rateLimiter: createRateLimiter(db),
      keyLookups: createKeyLookups(db),
      requestsPerMinute: config.requestsPerMinute,
      clock: systemClock,
      logger,
      metrics,
      queryVectors: createQueryVectors(),
      searchSyncs: new LRUCache({ max: 10_000 }),
      searchTimeoutMs: SEARCH_TIMEOUT_MS,
      queryUsage,
      activity,
      searchAnswers: createSearchAnswers(),
      sharedProfiles: new SharedProfiles(),
      segmentCache: createSegmentCache(config.keywordCacheMb * 1e6),
      vectorIndexThreshold: config.vectorIndexThreshold,
      models,
      modelTimeoutMs: config.modelTimeoutMs,
      queryEmbedTimeoutMs: config.queryEmbedTimeoutMs,
    };
    opened.push(purgeStaleEntries(memoriesOf(deps)));
    if (adminKey) await ensureAdminKey(deps, adminKey);
    if (options.worker) await startWork(deps, features.jobs);
    const { close: closeEdge, ...edge } = openEdge(deps, config, { ...options, ...features });
    opened.push(closeEdge);
    return { deps, embedding, gauged: gaugedOf(deps), ...edge, handBackJobs: () => queue.handBack(), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Warns of rules in the operator's files that route messages, if no request can ask for a route. */
function warnOfBindings({ bindings }: ServiceDefaults, { on }: LoadedFeatures, logger: Pick<Logger, "warn">): void {
  if (bindings.length > 0 && !on.includes("routing"))
    logger.warn("the bindings of the config files have no effect, because the feature routing is switched off");
}

function createCommits(): Pick<Deps, "fileCommits" | "appendCommits" | "factTurns"> {
  return {
    fileCommits: createGroupCommits(isOutage),
    appendCommits: createGroupCommits(isOutage, { inTurn: true }),
    factTurns: createTurns(),
  };
}

/** The thread pools for texts and large bodies. */
export type Threads = Pick<Deps, "preparer" | "parseThreads">;

/**
 * Sets up the thread pools. Each thread starts when it is needed.
 *
 * @param threads the number of threads that one tenant may use to cut texts
 */
export function startThreads(threads: number, logger: Pick<Logger, "warn">): Threads {
  return {
    preparer: startFilePreparer({ threads, logger }),
    parseThreads: startParseThreads(threads),
  };
}

/** Takes jobs from now on. */
async function startWork(deps: Deps, jobs: readonly Job[]): Promise<void> {
  for (const job of jobs) await job.start(deps.queue, deps);
  await requestSweep(deps);
  await startSchedule(deps);
}

function builtinModels({ modelsDir, cacheDir }: Config, logger: Logger): BuiltinModels {
  return { modelsDir, cacheDir: join(cacheDir, "models"), onWarning: (message) => logger.warn(message) };
}

/**
 * Returns the files that the build has put into `dist/<name>`. The folder is searched for relative
 * to the sources and relative to the built code.
 */
function built(name: string): BuiltFiles | undefined {
  const folders = [`../../dist/${name}`, `../${name}`].map((path) => fileURLToPath(new URL(path, import.meta.url)));
  return folders.map(readBuiltFiles).find((files) => files !== undefined);
}

/** Builds the HTTP app, with the MCP edge behind one of its routes. */
function openEdge(
  service: Deps,
  config: Config,
  { logger, keyless, routes, off }: ComposeOptions & Pick<LoadedFeatures, "routes" | "off">,
) {
  const mcp = createMcpEndpoint({ version: VERSION, logger });
  let accepting = true;
  const app = buildApp({
    service,
    logger,
    routes,
    off,
    keyless,
    corsOrigins: config.corsOrigins,
    takeStreamPlace: createStreamPlaces(config.streams),
    accepting: () => accepting,
    answerMcp: mcp.answer,
    bodyMemory: createBodyMemory(config.bodyMemoryMb * 1e6),
    readConsole: () => (config.console ? withoutFeatures(built("console"), off) : undefined),
    readReference: () => built("reference"),
  });
  const stopAccepting = () => {
    accepting = false;
  };
  const ready = async () => accepting && (await probeReady(service)) === "ready";
  return { app, ready, stopAccepting, close: () => mcp.close() };
}

function memoriesOf({ queryVectors, searchAnswers, sharedProfiles, segmentCache: { chunks, postings } }: Deps) {
  return [queryVectors, searchAnswers, sharedProfiles, chunks, postings];
}

function gaugedOf({ queue, db }: Deps): Gauged {
  return { depths: () => queue.depths(), silentMs: () => queue.silentMs(), pool: () => db.pool?.() };
}

type EmbedderOpener = (settings: EmbeddingSettings) => Promise<Embedder | undefined>;

/**
 * Returns the function that opens embedders. The operator's own settings say how many requests one
 * provider gets at once from all agents together.
 */
function openerOf(config: Config, { embedder, logger }: ComposeOptions, defaults: ServiceDefaults): EmbedderOpener {
  const { nonBatchConcurrency } = resolveSettings(defaults.layers).settings.remote;
  return embedder ?? embedderOpener(config, logger, nonBatchConcurrency);
}

function observed(open: EmbedderOpener, metrics: Metrics): EmbedderOpener {
  return async (settings) => {
    const embedder = await open(settings);
    return embedder && observeEmbedder(embedder, metrics);
  };
}

/**
 * Returns the provider and model of agents without settings of their own. They are resolved at the
 * start, so that a provider without its key stops the start and not the first search. A provider
 * that does not answer just now, or refuses a key that was good before, stops nothing: after a restart, texts are
 * still found by keyword.
 */
async function usualEmbedding(embedders: Embedders, defaults: ServiceDefaults, logger: Logger) {
  try {
    const embedder = await embedders.forSettings(resolveSettings(defaults.layers).settings);
    return { provider: embedder?.provider ?? "none", model: embedder?.model ?? "none" };
  } catch (error) {
    if (!(error instanceof AppError) || !STOPS_NOTHING.has(error.code)) throw error;
    logger.warn({ code: error.code }, `${error.message} Until the provider answers, search is by keyword only.`);
    return { provider: "none", model: "none" };
  }
}

const STOPS_NOTHING: ReadonlySet<string> = new Set(["embedder_unavailable", "embedder_rejected"]);

async function openObserved(config: Config, options: ComposeOptions, metrics: Metrics): Promise<Database> {
  const { logger, database, mustExist = false } = options;
  const db = database ?? (await openDatabase(config, logger, metrics));
  if (mustExist) await requireOurs(db);
  return observeDatabase(db, { metrics, logger, slowMs: config.slowQueryMs });
}

/** Refuses an empty database. `prepareDatabase` mends an older one, and refuses every other. */
async function requireOurs(db: Database): Promise<void> {
  const isThere = await hasControlSchema(db).catch(async (error: unknown) => {
    await db.close();
    throw error;
  });
  if (isThere) return;
  await db.close();
  throw notPrepared("No Recollect has stored anything in the Postgres database that DATABASE_URL names");
}
