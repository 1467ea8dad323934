import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { z } from "zod";
import { PROVIDERS } from "../base/providers.ts";

const port = z.coerce.number().int().min(0).max(65_535);
const count = (least: number, most: number) => z.coerce.number().int().min(least).max(most);
const optional = z
  .string()
  .optional()
  .transform((value) => (value === "" ? undefined : value));

/** An empty variable is like none: as a number it would be 0. */
const unlessEmpty = (value: unknown) => (value === "" ? undefined : value);

const postgresUrl = optional.pipe(
  z
    .string()
    .regex(/^postgres(ql)?:\/\//, "must begin with postgres://")
    .optional(),
);

/** Every environment variable Recollect reads, with its default and bounds; docs/SETTINGS.md is made of this. */
export const environmentSchema = z.object({
  DATABASE_URL: postgresUrl.describe("A Postgres server. Unset: an embedded database in `RECOLLECT_DATA_DIR`."),
  DATABASE_DIRECT_URL: postgresUrl.describe(
    "The same past a pooler of transactions: LISTEN needs a session of its own.",
  ),
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
  RECOLLECT_MODELS_DIR: optional.describe(
    "Folder of models that run in the process and that no package brings, each in a folder of its own. Unset: none.",
  ),
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
    .describe(
      "From which level on lines are logged on standard error: JSON; in words, by a command that needs no server.",
    ),
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
  RECOLLECT_ARCHIVE_MAX_BYTES: count(1_000_000, 1_000_000_000_000)
    .default(20_000_000_000)
    .describe("What an agent's archive may unpack to when it is imported."),
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

/** The environment as it was checked. */
export type Environment = z.infer<typeof environmentSchema>;
