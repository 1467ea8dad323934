import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { z } from "zod";
import { PROVIDERS } from "../base/providers.ts";
import { httpUrlProblem, KEY_RULE, KEY_TEXT, postgresUrlProblem } from "./command-config.ts";

/** Treats an empty variable as unset; as a number it would be 0. */
const unlessEmpty = (value: unknown) => (value === "" ? undefined : value);
const port = z.coerce.number().int().min(0).max(65_535);
const count = (least: number, most: number) => z.coerce.number().int().min(least).max(most);
const optional = z
  .string()
  .optional()
  .transform((value) => (value === "" ? undefined : value));

/** A key. A key that was read from a file often ends with a newline, which is removed. */
const key = z
  .string()
  .optional()
  .transform((value) => value?.trim() || undefined);

/** Refuses a text with the problem that the function returns. */
const without = (problemOf: (text: string) => string | undefined) =>
  z.string().superRefine((value, context) => {
    const message = problemOf(value);
    if (message !== undefined) context.addIssue({ code: "custom", message });
  });
const postgresUrl = optional.pipe(without(postgresUrlProblem).optional());
const httpUrl = optional.pipe(without(httpUrlProblem).meta({ format: "uri" }).optional());

/**
 * Returns whether a text is an origin as a browser sends it: scheme, host and port, without path or
 * pattern. `*` is not accepted, nor is the `null` of a local file.
 */
function isOrigin(text: string): boolean {
  return /^https?:\/\/[^*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

/**
 * Every environment variable that Recollect reads, with its default and bounds. docs/SETTINGS.md is
 * generated from it.
 */
export const environmentSchema = z.object({
  DATABASE_URL: without(postgresUrlProblem)
    .optional()
    .describe("The Postgres server. Unset: an embedded database in `RECOLLECT_DATA_DIR`. Empty: refused."),
  DATABASE_DIRECT_URL: postgresUrl.describe(
    "The same server without a transaction-mode pooler, since LISTEN needs its own session.",
  ),
  RECOLLECT_CLUSTER_ADMIN_URL: postgresUrl.describe(
    "A superuser on the coordinator of a Citus cluster, for `recollect cluster` only.",
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
    .describe("Folder of files that can be rebuilt: the built-in model in the form in which it runs, 24 MB."),
  RECOLLECT_MODELS_DIR: optional.describe(
    "Folder of models that run in the process, one subfolder each, besides the models of npm packages. Unset: none.",
  ),
  RECOLLECT_HOST: z.string().min(1).default("127.0.0.1").describe("The address that the API listens on."),
  RECOLLECT_PORT: z.preprocess(unlessEmpty, port.default(7420)).describe("The API's port; 0: any free port."),
  RECOLLECT_CORS_ORIGINS: optional
    .transform((value) => value?.split(",").map((origin) => origin.trim()) ?? [])
    .refine(
      (origins) => origins.every(isOrigin),
      "must be origins, such as https://app.example.com, separated by commas",
    )
    .describe("Origins whose web pages may call the API from a browser, separated by commas. Unset: none."),
  RECOLLECT_FEATURES: optional.describe(
    "Features to switch off, such as `-branches,-archives`; `none`: all of them (docs/ARCHITECTURE.md lists them). All processes of a service need the same value.",
  ),
  RECOLLECT_CONSOLE: z
    .preprocess(unlessEmpty, z.stringbool().default(true))
    .describe("Whether the console is served at `/console/`."),
  RECOLLECT_ADMIN_KEY: key.describe(
    "The operator's key. Every start registers it, so a new service has a key from its first start.",
  ),
  RECOLLECT_API_KEY: key
    .pipe(z.string().regex(KEY_TEXT, KEY_RULE).optional())
    .describe("The key that a command sends to a server."),
  RECOLLECT_REQUESTS_PER_MINUTE: count(1, 1_000_000).default(6000).describe("Rate limit of keys without their own."),
  RECOLLECT_URL: httpUrl.describe("The server that a command uses."),
  RECOLLECT_PROFILE: optional.describe(
    "The server profile (`recollect profile`) that a command uses, or `embedded` for this machine's database.",
  ),
  RECOLLECT_LOG_LEVEL: z
    .enum(["debug", "info", "warn", "error", "silent"])
    .default("info")
    .describe("The lowest level logged to standard error, as JSON; a command without a server logs plain sentences."),
  RECOLLECT_SLOW_QUERY_MS: z
    .preprocess(unlessEmpty, count(0, 3_600_000).default(1000))
    .describe("Statements that take longer are logged; 0: none."),
  RECOLLECT_METRICS_PORT: z
    .preprocess(unlessEmpty, port.optional())
    .describe("The port for metrics and probes, without a key. Unset: none."),
  RECOLLECT_METRICS_HOST: z.string().min(1).default("127.0.0.1").describe("The address for that port."),
  OTEL_EXPORTER_OTLP_ENDPOINT: optional
    .pipe(z.url({ protocol: /^https?$/ }).optional())
    .describe("Base URL of an OpenTelemetry receiver for traces (OTLP over HTTP). Unset: no traces."),
  OTEL_SERVICE_NAME: z
    .preprocess(unlessEmpty, z.string().default("recollect"))
    .describe("The service's name in traces."),
  OTEL_TRACES_SAMPLER_ARG: z
    .preprocess(unlessEmpty, z.coerce.number().min(0).max(1).default(1))
    .describe("The share of requests to trace, if the caller sends no `traceparent`."),
  RECOLLECT_DB_POOL: count(2, 200)
    .default(12)
    .describe(
      "Database connections of one process, plus one for `LISTEN`; a Postgres server allows 100 in all by default.",
    ),
  // A stream costs memory and a regular check of its key. The number of polls does not grow with
  // the number of streams.
  RECOLLECT_STREAMS: count(1, 100_000).default(500).describe("Event streams that a process serves at a time."),
  RECOLLECT_TENANT_STREAMS: count(1, 100_000)
    .default(50)
    .describe("Event streams that one tenant may have open in a process, with all its keys."),
  RECOLLECT_KEYWORD_CACHE_MB: count(1, 1_000_000)
    .optional()
    .describe(
      "Cache for posting lists of all agents, per process: about 4 bytes per chunk and word. Unset: 1/32 of the memory that the process may use, from 64 to 512.",
    ),
  RECOLLECT_ARCHIVE_MAX_BYTES: count(1_000_000, 1_000_000_000_000)
    .default(20_000_000_000)
    .describe("The largest unpacked size of an imported archive."),
  RECOLLECT_EXPORT_DIR: optional.describe(
    "Folder to which workers write every agent's archive at intervals; it must exist. Unset: none.",
  ),
  RECOLLECT_EXPORT_HOURS: count(1, 8760)
    .default(24)
    .describe("Hours between two archives of an agent in `RECOLLECT_EXPORT_DIR`."),
  RECOLLECT_EXPORT_KEEP: count(1, 10_000)
    .default(7)
    .describe("Archives of an agent that are kept in `RECOLLECT_EXPORT_DIR`."),
  // The minimum is 64 MB, because one key may use an eighth of it and the largest body has 8 MB.
  RECOLLECT_BODY_MEMORY_MB: count(64, 100_000)
    .default(128)
    .describe(
      "Memory for the request bodies that a process holds at a time; one tenant may use a quarter of it, one key an eighth.",
    ),
  // Measured: bench/notes/vectors.md, "When an index pays".
  RECOLLECT_VECTOR_INDEX_THRESHOLD: z
    .preprocess(unlessEmpty, count(0, 100_000_000).default(10_000))
    .describe("An agent with this many chunks gets an HNSW index."),
  // The built-in model takes two seconds to start.
  RECOLLECT_QUERY_EMBED_TIMEOUT_MS: count(10, 60_000)
    .default(10_000)
    .describe("A search waits this long for its query's embedding, then answers by keyword."),
  RECOLLECT_EXTRA_PATH_ROOTS: optional
    .transform((value) => value?.split(delimiter).filter((root) => root !== ""))
    .describe(
      "Folders that agents' `extraPaths` may name, separated as in `PATH`. Unset: the folders that the config files name, or none.",
    ),
  RECOLLECT_PROVIDER: optional.pipe(z.enum(PROVIDERS).optional()).describe("The setting `provider`."),
  RECOLLECT_MODEL: optional.describe("The setting `model`."),
  RECOLLECT_BASE_URL: httpUrl.describe("The setting `remote.baseUrl`."),
  RECOLLECT_FORMER_BASE_URL: httpUrl.describe("The setting `remote.former.baseUrl`."),
  RECOLLECT_FORMER_API_KEY: optional.describe("For `RECOLLECT_FORMER_BASE_URL`."),
  RECOLLECT_OUTPUT_DIMENSIONALITY: count(1, 4000).optional().describe("The setting `outputDimensionality`."),
  OPENAI_API_KEY: optional.describe("For OpenAI's own address, or for `RECOLLECT_BASE_URL`."),
  GEMINI_API_KEY: optional.describe(
    "For Gemini's own address, or for `RECOLLECT_BASE_URL` with the provider `gemini`.",
  ),
  VOYAGE_API_KEY: optional.describe(
    "For Voyage's own address, or for `RECOLLECT_BASE_URL` with the provider `voyage`; also for reranking.",
  ),
  MISTRAL_API_KEY: optional.describe(
    "For Mistral's own address, or for `RECOLLECT_BASE_URL` with the provider `mistral`.",
  ),
  RECOLLECT_CHAT_PROVIDER: optional
    .pipe(z.enum(["openai", "gemini", "openai-compatible"]).optional())
    .describe("The provider of the chat model for reranking (`chat`), HyDE and fact extraction. Unset: none."),
  RECOLLECT_CHAT_MODEL: optional.describe("The chat model's name, if not the provider's default."),
  RECOLLECT_CHAT_BASE_URL: httpUrl.describe("The chat provider's address, if not its default."),
  RECOLLECT_CHAT_API_KEY: optional.describe(
    "For `RECOLLECT_CHAT_BASE_URL`; the provider's default address uses the provider's own key.",
  ),
  RECOLLECT_RERANK_BASE_URL: httpUrl.describe(
    "A server with Cohere's `/rerank`, for `query.rerank.provider: cohere-compatible`.",
  ),
  RECOLLECT_RERANK_API_KEY: optional.describe("The key for `RECOLLECT_RERANK_BASE_URL`, if that server needs one."),
  COHERE_API_KEY: optional.describe("Cohere's key, for `query.rerank.provider: cohere`."),
  RECOLLECT_MODEL_CONCURRENCY: count(1, 256)
    .default(8)
    .describe(
      "Concurrent requests of one process to the chat provider, and to each rerank server; tenants take turns.",
    ),
  RECOLLECT_ALLOWED_MODELS: z
    .string()
    .regex(/[^\s,]/, "is empty; name the models, or unset it to allow any")
    .optional()
    .transform((value) =>
      value
        ?.split(",")
        .map((name) => name.trim())
        .filter((name) => name !== ""),
    )
    .describe(
      "Names of the models that tenants and agents may choose, separated by commas, besides those of the operator's own settings. Unset: any. Empty: refused.",
    ),
  RECOLLECT_MODEL_TIMEOUT_MS: count(10, 120_000)
    .default(5000)
    .describe("A search waits this long for a reranker, and again for a hypothetical answer, then continues without."),
});

/** The environment variables after they were checked and converted. */
export type Environment = z.infer<typeof environmentSchema>;
