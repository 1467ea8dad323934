import { availableParallelism } from "node:os";
import type { z } from "zod";
import { expandHome } from "../base/expand-home.ts";
import { plainProblem } from "../base/plain-problem.ts";
import type { PROVIDERS } from "../base/providers.ts";
import { removedVariablesIn } from "../base/removed-keys.ts";
import { type CommandConfig, invalidEnvironment } from "./command-config.ts";
import { type RawConfigFile, readConfigFiles } from "./config-files.ts";
import { type Environment, environmentSchema } from "./environment.ts";
import { keywordCacheFor, memoryBytes, prepareThreadsFor } from "./memory-budget.ts";
import { foreignVariables, misspeltVariables } from "./misspelt-variables.ts";

/**
 * The variable that holds a provider's key. Providers with OpenAI's API share OpenAI's variable.
 */
const KEY_OF: Partial<Record<string, "OPENAI_API_KEY" | "GEMINI_API_KEY" | "VOYAGE_API_KEY" | "MISTRAL_API_KEY">> = {
  gemini: "GEMINI_API_KEY",
  voyage: "VOYAGE_API_KEY",
  mistral: "MISTRAL_API_KEY",
};

export interface EmbeddingConfig {
  readonly provider: (typeof PROVIDERS)[number] | undefined;
  readonly model: string | undefined;
  readonly baseUrl: string | undefined;
  readonly outputDimensionality: number | undefined;
  /** The key for the address in `baseUrl`, whichever provider has that address. */
  readonly apiKey: string | undefined;
  /** The address before a change of address, and its key. */
  readonly former: { readonly baseUrl: string | undefined; readonly apiKey: string | undefined };
  /** The keys for each provider's own address. */
  readonly keys: Readonly<Record<"openai" | "gemini" | "voyage" | "mistral", string | undefined>>;
}

/** Models other than embedders, as far as the operator has set them up. */
export interface ModelsConfig {
  readonly chat: {
    readonly provider: "openai" | "gemini" | "openai-compatible" | undefined;
    readonly model: string | undefined;
    readonly baseUrl: string | undefined;
    readonly apiKey: string | undefined;
  };
  readonly rerank: {
    readonly baseUrl: string | undefined;
    readonly keys: Readonly<Record<"cohere" | "voyage" | "cohere-compatible", string | undefined>>;
  };
  readonly concurrency: number;
}

export interface Config extends CommandConfig {
  readonly databaseDirectUrl: string | undefined;
  /** The URL of a superuser on the coordinator of a cluster. */
  readonly clusterAdminUrl: string | undefined;
  readonly cacheDir: string;
  /** The folder of the operator's models, one subfolder each. */
  readonly modelsDir: string | undefined;
  readonly host: string;
  readonly port: number;
  /** Origins whose pages may call the API from a browser. */
  readonly corsOrigins: readonly string[];
  readonly adminKey: string | undefined;
  readonly requestsPerMinute: number;
  readonly logLevel: string;
  readonly slowQueryMs: number;
  /** The features that are switched off, as the operator wrote them. */
  readonly features: string | undefined;
  /** Whether the console is served. */
  readonly console: boolean;
  readonly metricsHost: string;
  readonly metricsPort: number | undefined;
  readonly tracing: { readonly endpoint: string; readonly serviceName: string; readonly ratio: number } | undefined;
  readonly dbPool: number;
  readonly streams: { readonly tenant: number; readonly process: number };
  /**
   * Threads that chunk one tenant's texts, each one text at a time. The process has one more, for
   * another tenant. As many further threads check large request bodies.
   */
  readonly prepareThreads: number;
  /** The size of the process's cache of posting lists. */
  readonly keywordCacheMb: number;
  readonly vectorIndexThreshold: number;
  readonly archiveMaxBytes: number;
  /** The archives that workers write at intervals; undefined if they write none. */
  readonly exports: { readonly folder: string; readonly intervalHours: number; readonly keep: number } | undefined;
  /** The request bodies that the process holds at a time. */
  readonly bodyMemoryMb: number;
  readonly queryEmbedTimeoutMs: number;
  readonly extraPathRoots: readonly string[] | undefined;
  readonly embedding: EmbeddingConfig;
  readonly models: ModelsConfig;
  readonly modelTimeoutMs: number;
  /**
   * Models that tenants may choose besides the operator's own; undefined if they may choose any.
   */
  readonly allowedModels: readonly string[] | undefined;
  /** A sentence for each variable whose name is misspelt, and which therefore has no effect. */
  readonly misspelt: readonly string[];
  /** The names of variables that begin like Recollect's, and are unlike each of them. */
  readonly foreign: readonly string[];
  /** The operator's YAML files, weakest first. */
  readonly files: readonly RawConfigFile[];
}

function problemOf(issue: z.core.$ZodIssue): string {
  return `${issue.path.join(".")}: ${plainProblem(issue.message)}`;
}

/**
 * Reads and checks the environment and the config files once.
 *
 * @throws AppError `config_invalid`, naming each bad variable but never its value, which may be a
 *   password
 */
export function readConfig(env: Readonly<Record<string, string | undefined>> = process.env): Config {
  const parsed = environmentSchema.safeParse(env);
  const issues = parsed.error?.issues ?? [];
  const problems = [...removedVariablesIn(env), ...issues.map(problemOf)];
  if (!parsed.success || problems.length > 0) throw invalidEnvironment(problems);
  const value = parsed.data;
  const home = env.HOME ?? env.USERPROFILE;
  // A shell expands ~ in `A=~/x`, but a container's environment or a file of variables is not
  // expanded.
  const folder = (path: string) => expandHome(path, home);
  return Object.freeze({
    databaseUrl: value.DATABASE_URL,
    databaseDirectUrl: value.DATABASE_DIRECT_URL,
    clusterAdminUrl: value.RECOLLECT_CLUSTER_ADMIN_URL,
    dataDir: folder(value.RECOLLECT_DATA_DIR),
    cacheDir: folder(value.RECOLLECT_CACHE_DIR),
    modelsDir: value.RECOLLECT_MODELS_DIR === undefined ? undefined : folder(value.RECOLLECT_MODELS_DIR),
    host: value.RECOLLECT_HOST,
    port: value.RECOLLECT_PORT,
    corsOrigins: value.RECOLLECT_CORS_ORIGINS,
    adminKey: value.RECOLLECT_ADMIN_KEY,
    apiKey: value.RECOLLECT_API_KEY,
    requestsPerMinute: value.RECOLLECT_REQUESTS_PER_MINUTE,
    url: value.RECOLLECT_URL,
    profile: value.RECOLLECT_PROFILE,
    namesDatabase: value.DATABASE_URL !== undefined || Boolean(env.RECOLLECT_DATA_DIR),
    logLevel: value.RECOLLECT_LOG_LEVEL,
    slowQueryMs: value.RECOLLECT_SLOW_QUERY_MS,
    features: value.RECOLLECT_FEATURES,
    console: value.RECOLLECT_CONSOLE,
    metricsHost: value.RECOLLECT_METRICS_HOST,
    metricsPort: value.RECOLLECT_METRICS_PORT,
    tracing: tracingConfig(value),
    dbPool: value.RECOLLECT_DB_POOL,
    streams: { tenant: value.RECOLLECT_TENANT_STREAMS, process: value.RECOLLECT_STREAMS },
    prepareThreads: prepareThreadsFor(availableParallelism(), memoryBytes()),
    keywordCacheMb: value.RECOLLECT_KEYWORD_CACHE_MB ?? keywordCacheFor(memoryBytes()),
    vectorIndexThreshold: value.RECOLLECT_VECTOR_INDEX_THRESHOLD,
    archiveMaxBytes: value.RECOLLECT_ARCHIVE_MAX_BYTES,
    exports: exportsConfig(value, folder),
    bodyMemoryMb: value.RECOLLECT_BODY_MEMORY_MB,
    queryEmbedTimeoutMs: value.RECOLLECT_QUERY_EMBED_TIMEOUT_MS,
    extraPathRoots: value.RECOLLECT_EXTRA_PATH_ROOTS?.map(folder),
    embedding: embeddingConfig(value),
    models: modelsConfig(value),
    modelTimeoutMs: value.RECOLLECT_MODEL_TIMEOUT_MS,
    allowedModels: value.RECOLLECT_ALLOWED_MODELS,
    misspelt: misspeltVariables(env),
    foreign: foreignVariables(env),
    files: readConfigFiles({ home, cwd: process.cwd(), env }),
  });
}

function embeddingConfig(value: Environment): EmbeddingConfig {
  return {
    provider: value.RECOLLECT_PROVIDER,
    model: value.RECOLLECT_MODEL,
    baseUrl: value.RECOLLECT_BASE_URL,
    former: { baseUrl: value.RECOLLECT_FORMER_BASE_URL, apiKey: value.RECOLLECT_FORMER_API_KEY },
    outputDimensionality: value.RECOLLECT_OUTPUT_DIMENSIONALITY,
    apiKey: value[KEY_OF[value.RECOLLECT_PROVIDER ?? "openai"] ?? "OPENAI_API_KEY"],
    keys: {
      openai: value.OPENAI_API_KEY,
      gemini: value.GEMINI_API_KEY,
      voyage: value.VOYAGE_API_KEY,
      mistral: value.MISTRAL_API_KEY,
    },
  };
}

function exportsConfig(value: Environment, folder: (path: string) => string): Config["exports"] {
  if (value.RECOLLECT_EXPORT_DIR === undefined) return undefined;
  return {
    folder: folder(value.RECOLLECT_EXPORT_DIR),
    intervalHours: value.RECOLLECT_EXPORT_HOURS,
    keep: value.RECOLLECT_EXPORT_KEEP,
  };
}

function tracingConfig(value: Environment): Config["tracing"] {
  const endpoint = value.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (endpoint === undefined) return undefined;
  return { endpoint, serviceName: value.OTEL_SERVICE_NAME, ratio: value.OTEL_TRACES_SAMPLER_ARG };
}

function modelsConfig(value: Environment): ModelsConfig {
  const provider = value.RECOLLECT_CHAT_PROVIDER;
  const baseUrl = value.RECOLLECT_CHAT_BASE_URL;
  const own = provider === "gemini" ? value.GEMINI_API_KEY : value.OPENAI_API_KEY;
  return {
    // If the setting names another address, OpenAI's key is not sent to it.
    chat: {
      provider,
      model: value.RECOLLECT_CHAT_MODEL,
      baseUrl,
      apiKey: value.RECOLLECT_CHAT_API_KEY ?? (baseUrl ? undefined : own),
    },
    rerank: {
      baseUrl: value.RECOLLECT_RERANK_BASE_URL,
      keys: {
        cohere: value.COHERE_API_KEY,
        voyage: value.VOYAGE_API_KEY,
        "cohere-compatible": value.RECOLLECT_RERANK_API_KEY,
      },
    },
    concurrency: value.RECOLLECT_MODEL_CONCURRENCY,
  };
}
