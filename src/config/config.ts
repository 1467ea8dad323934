import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { z } from "zod";
import { AppError } from "../base/errors.ts";
import { type RawConfigFile, readConfigFiles } from "./config-files.ts";

const port = z.coerce.number().int().min(0).max(65_535);
const count = (least: number, most: number) => z.coerce.number().int().min(least).max(most);
const optional = z
  .string()
  .optional()
  .transform((value) => (value === "" ? undefined : value));

/** An empty variable is like none: as a number it would be 0. */
const unlessEmpty = (value: unknown) => (value === "" ? undefined : value);

const PROVIDERS = [
  ...([
    "auto",
    "openai",
    "gemini",
    "voyage",
    "mistral",
    "ollama",
    "openai-compatible",
    "local",
    "builtin",
    "none",
  ] as const),
] as const;

/** The variable that holds a provider's key; those that speak OpenAI's API share its variable. */
const KEY_OF: Partial<Record<string, "OPENAI_API_KEY" | "GEMINI_API_KEY" | "VOYAGE_API_KEY" | "MISTRAL_API_KEY">> = {
  gemini: "GEMINI_API_KEY",
  voyage: "VOYAGE_API_KEY",
  mistral: "MISTRAL_API_KEY",
};

/** Every environment variable Recollect reads, with its default and bounds; docs/SETTINGS.md is made of this. */
export const environmentSchema = z.object({
  DATABASE_URL: optional
    .pipe(
      z
        .string()
        .regex(/^postgres(ql)?:\/\//, "must begin with postgres://")
        .optional(),
    )
    .describe("A Postgres server. Unset: an embedded database in `RECOLLECT_DATA_DIR`."),
  RECOLLECT_DATA_DIR: z
    .string()
    .min(1)
    .default(".recollect")
    .describe("Folder of the embedded database; one process at a time."),
  RECOLLECT_CACHE_DIR: z
    .string()
    .min(1)
    .default(join(homedir(), ".cache", "recollect"))
    .describe("Files that can be made again: the built-in model as compiled for this machine, 90 MB."),
  RECOLLECT_HOST: z.string().min(1).default("127.0.0.1").describe("The address that the API listens on."),
  RECOLLECT_PORT: port.default(7420).describe("Its port; 0: any that is free."),
  RECOLLECT_ADMIN_KEY: optional.describe(
    "The operator's key, known before there is any other: the start makes sure that it opens the service.",
  ),
  RECOLLECT_API_KEY: optional
    .pipe(
      z
        .string()
        .regex(/^[!-~]+$/, "has characters that no key has")
        .optional(),
    )
    .describe("The key that a command presents to a server."),
  RECOLLECT_REQUESTS_PER_MINUTE: count(1, 1_000_000)
    .default(6000)
    .describe("Rate limit of a key that has none of its own."),
  RECOLLECT_URL: optional.pipe(z.url().optional()).describe("The server that a command talks to."),
  RECOLLECT_PROFILE: optional.describe(
    "The profile of a server (`recollect profile`) that a command talks to, or `embedded`: this machine's database.",
  ),
  RECOLLECT_LOG_LEVEL: z
    .enum(["debug", "info", "warn", "error", "silent"])
    .default("info")
    .describe("From which level on lines are logged: JSON on standard error."),
  RECOLLECT_SLOW_QUERY_MS: count(0, 3_600_000)
    .default(1000)
    .describe("Statements that take longer are logged; 0: none is."),
  RECOLLECT_METRICS_PORT: z
    .preprocess(unlessEmpty, port.optional())
    .describe("Where metrics and probes are read, without a key. Unset: nowhere."),
  RECOLLECT_METRICS_HOST: z.string().min(1).default("127.0.0.1").describe("The address of that port."),
  OTEL_EXPORTER_OTLP_ENDPOINT: optional
    .pipe(z.url({ protocol: /^https?$/ }).optional())
    .describe("Base URL of an OpenTelemetry receiver (OTLP over HTTP), which gets traces. Unset: there are none."),
  OTEL_SERVICE_NAME: z
    .preprocess(unlessEmpty, z.string().default("recollect"))
    .describe("The name of the service in traces."),
  OTEL_TRACES_SAMPLER_ARG: z
    .preprocess(unlessEmpty, z.coerce.number().min(0).max(1).default(1))
    .describe("The share of requests that are traced, of those whose caller traces nothing."),
  RECOLLECT_DB_POOL: count(2, 200)
    .default(12)
    .describe(
      "Connections of one process, besides one for `LISTEN`; a Postgres server allows 100 in all unless told otherwise.",
    ),
  RECOLLECT_PREPARE_THREADS: count(1, 64).default(2).describe("Threads that chunk files, each one file at a time."),
  RECOLLECT_KEYWORD_CACHE_MB: count(1, 1_000_000)
    .default(64)
    .describe("Posting lists that a process remembers, of all agents: about 4 bytes for a chunk and a word of it."),
  // Measured: docs/BENCHMARKS.md.
  RECOLLECT_VECTOR_INDEX_THRESHOLD: count(0, 100_000_000)
    .default(10_000)
    .describe("Chunks of an agent from which on an HNSW index is built."),
  // Starting the built-in model takes two seconds.
  RECOLLECT_QUERY_EMBED_TIMEOUT_MS: count(10, 60_000)
    .default(10_000)
    .describe("A search waits this long for its query's embedding, then answers by keyword."),
  RECOLLECT_EXTRA_PATH_ROOTS: optional
    .transform((value) => value?.split(delimiter).filter((root) => root !== ""))
    .describe(
      "Folders that agents' `extraPaths` may name, separated as in `PATH`. Unset: those of the config files, else none.",
    ),
  RECOLLECT_PROVIDER: optional.pipe(z.enum(PROVIDERS).optional()).describe("The setting `provider`."),
  RECOLLECT_MODEL: optional.describe("The setting `model`."),
  RECOLLECT_BASE_URL: optional.pipe(z.url().optional()).describe("The setting `remote.baseUrl`."),
  RECOLLECT_OUTPUT_DIMENSIONALITY: count(1, 4000).optional().describe("The setting `outputDimensionality`."),
  OPENAI_API_KEY: optional.describe("For OpenAI's own address, or for `RECOLLECT_BASE_URL`."),
  GEMINI_API_KEY: optional.describe(
    "For Gemini's own address, or for `RECOLLECT_BASE_URL` with the provider `gemini`.",
  ),
  VOYAGE_API_KEY: optional.describe("The same for Voyage, also for reranking."),
  MISTRAL_API_KEY: optional.describe("The same for Mistral."),
  RECOLLECT_CHAT_PROVIDER: optional
    .pipe(z.enum(["openai", "gemini", "openai-compatible"]).optional())
    .describe("The chat model for reranking (`chat`), HyDE, and facts out of conversations and files. Unset: none."),
  RECOLLECT_CHAT_MODEL: optional.describe("Its name, unless it is the provider's default."),
  RECOLLECT_CHAT_BASE_URL: optional.pipe(z.url().optional()).describe("Its address, unless it is the provider's own."),
  RECOLLECT_CHAT_API_KEY: optional.describe(
    "For `RECOLLECT_CHAT_BASE_URL`; the provider's own address gets the provider's own key.",
  ),
  RECOLLECT_RERANK_BASE_URL: optional
    .pipe(z.url().optional())
    .describe("A server with Cohere's `/rerank`, for `query.rerank.provider: cohere-compatible`."),
  RECOLLECT_RERANK_API_KEY: optional.describe("Its key, if it wants one."),
  COHERE_API_KEY: optional.describe("For `query.rerank.provider: cohere`."),
  RECOLLECT_MODEL_TIMEOUT_MS: count(10, 120_000)
    .default(5000)
    .describe("A search waits this long for a reranker, and as long for a hypothetical passage, then goes on without."),
});

export interface EmbeddingConfig {
  readonly provider: (typeof PROVIDERS)[number] | undefined;
  readonly model: string | undefined;
  readonly baseUrl: string | undefined;
  readonly outputDimensionality: number | undefined;
  /** For the address in `baseUrl`, whichever provider that is. */
  readonly apiKey: string | undefined;
  /** For each provider's own address. */
  readonly keys: Readonly<Record<"openai" | "gemini" | "voyage" | "mistral", string | undefined>>;
}

/** Models besides embedders, as far as the operator has set them up. */
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
}

export interface Config {
  readonly databaseUrl: string | undefined;
  readonly dataDir: string;
  readonly cacheDir: string;
  readonly host: string;
  readonly port: number;
  readonly adminKey: string | undefined;
  readonly apiKey: string | undefined;
  readonly requestsPerMinute: number;
  readonly url: string | undefined;
  readonly profile: string | undefined;
  /** Whether the environment says which database this machine's is; then the profile in use is not meant. */
  readonly namesDatabase: boolean;
  readonly logLevel: string;
  readonly slowQueryMs: number;
  readonly metricsHost: string;
  readonly metricsPort: number | undefined;
  readonly tracing: { readonly endpoint: string; readonly serviceName: string; readonly ratio: number } | undefined;
  readonly dbPool: number;
  readonly prepareThreads: number;
  /** Posting lists that the process remembers. */
  readonly keywordCacheMb: number;
  readonly vectorIndexThreshold: number;
  readonly queryEmbedTimeoutMs: number;
  readonly extraPathRoots: readonly string[] | undefined;
  readonly embedding: EmbeddingConfig;
  readonly models: ModelsConfig;
  readonly modelTimeoutMs: number;
  /** The operator's YAML files, weakest first. */
  readonly files: readonly RawConfigFile[];
}

/**
 * Reads and checks the environment and the config files once.
 *
 * @throws AppError `config_invalid`, naming each bad variable but never its value: a value may hold a password.
 */
export function readConfig(env: Readonly<Record<string, string | undefined>> = process.env): Config {
  const parsed = environmentSchema.safeParse(env);
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
    throw new AppError("config_invalid", `The environment is not valid. ${problems.join("; ")}.`);
  }
  const value = parsed.data;
  return Object.freeze({
    databaseUrl: value.DATABASE_URL,
    dataDir: value.RECOLLECT_DATA_DIR,
    cacheDir: value.RECOLLECT_CACHE_DIR,
    host: value.RECOLLECT_HOST,
    port: value.RECOLLECT_PORT,
    adminKey: value.RECOLLECT_ADMIN_KEY,
    apiKey: value.RECOLLECT_API_KEY,
    requestsPerMinute: value.RECOLLECT_REQUESTS_PER_MINUTE,
    url: value.RECOLLECT_URL,
    profile: value.RECOLLECT_PROFILE,
    namesDatabase: value.DATABASE_URL !== undefined || Boolean(env.RECOLLECT_DATA_DIR),
    logLevel: value.RECOLLECT_LOG_LEVEL,
    slowQueryMs: value.RECOLLECT_SLOW_QUERY_MS,
    metricsHost: value.RECOLLECT_METRICS_HOST,
    metricsPort: value.RECOLLECT_METRICS_PORT,
    tracing: tracingConfig(value),
    dbPool: value.RECOLLECT_DB_POOL,
    prepareThreads: value.RECOLLECT_PREPARE_THREADS,
    keywordCacheMb: value.RECOLLECT_KEYWORD_CACHE_MB,
    vectorIndexThreshold: value.RECOLLECT_VECTOR_INDEX_THRESHOLD,
    queryEmbedTimeoutMs: value.RECOLLECT_QUERY_EMBED_TIMEOUT_MS,
    extraPathRoots: value.RECOLLECT_EXTRA_PATH_ROOTS,
    embedding: {
      provider: value.RECOLLECT_PROVIDER,
      model: value.RECOLLECT_MODEL,
      baseUrl: value.RECOLLECT_BASE_URL,
      outputDimensionality: value.RECOLLECT_OUTPUT_DIMENSIONALITY,
      apiKey: value[KEY_OF[value.RECOLLECT_PROVIDER ?? "openai"] ?? "OPENAI_API_KEY"],
      keys: {
        openai: value.OPENAI_API_KEY,
        gemini: value.GEMINI_API_KEY,
        voyage: value.VOYAGE_API_KEY,
        mistral: value.MISTRAL_API_KEY,
      },
    },
    models: modelsConfig(value),
    modelTimeoutMs: value.RECOLLECT_MODEL_TIMEOUT_MS,
    files: readConfigFiles({ home: env.HOME ?? env.USERPROFILE, cwd: process.cwd(), env }),
  });
}

function tracingConfig(value: z.infer<typeof environmentSchema>): Config["tracing"] {
  const endpoint = value.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (endpoint === undefined) return undefined;
  return { endpoint, serviceName: value.OTEL_SERVICE_NAME, ratio: value.OTEL_TRACES_SAMPLER_ARG };
}

function modelsConfig(value: z.infer<typeof environmentSchema>): ModelsConfig {
  const provider = value.RECOLLECT_CHAT_PROVIDER;
  const baseUrl = value.RECOLLECT_CHAT_BASE_URL;
  const own = provider === "gemini" ? value.GEMINI_API_KEY : value.OPENAI_API_KEY;
  return {
    // A key of OpenAI must not go to whatever address stands beside it.
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
  };
}

/**
 * Whether to write in colour to a stream, by the conventions of FORCE_COLOR and NO_COLOR, of which the first wins, as in Node.
 * Asked before the rest of the environment is known to be valid.
 */
export function wantsColour(
  stream: { isTTY?: boolean },
  env: Readonly<Record<string, string | undefined>> = process.env,
): boolean {
  const { FORCE_COLOR: forced, NO_COLOR: none, TERM: terminal } = env;
  if (forced !== undefined) return forced !== "0" && forced !== "false";
  return !none && terminal !== "dumb" && stream.isTTY === true;
}
