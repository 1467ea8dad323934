import { z } from "zod";
import { isTimeZone } from "../base/civil-day.ts";
import { PROVIDERS } from "../base/providers.ts";
import { factSettings } from "./fact-settings.ts";
import { bool, defaultsOf, type Effective, modelName, number, oneOf, setting, text, whole } from "./setting.ts";

const url = z
  .string()
  .max(2048)
  .refine((value) => /^https?:$/.test(URL.canParse(value) ? new URL(value).protocol : ""), "must be an http(s) URL")
  // Settings are shown, and logs name addresses.
  .refine((value) => !hasSecret(value), "must hold no password and no key: put them into the headers or the apiKey");

/** Matches the name of a parameter that is a secret. */
const SECRET = /^(?:.*[_-])?(?:api)?(?:key|token|secret|password|passwd|signature|sig|auth)$/iu;

function hasSecret(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { username, password, searchParams } = new URL(value);
  return username !== "" || password !== "" || [...searchParams.keys()].some((name) => SECRET.test(name));
}

/**
 * The text search configurations that every Postgres has, and `auto` for each text's own language.
 */
const LANGUAGES = [
  ...([
    "auto",
    "simple",
    "arabic",
    "armenian",
    "basque",
    "catalan",
    "danish",
    "dutch",
    "english",
    "finnish",
    "french",
  ] as const),
  ...(["german", "greek", "hindi", "hungarian", "indonesian", "irish", "italian", "lithuanian", "nepali"] as const),
  ...(["norwegian", "portuguese", "romanian", "russian", "serbian", "spanish", "swedish", "tamil", "turkish"] as const),
  "yiddish",
] as const;

/** The rerankers. With `chat`, the operator's chat model grades passages. */
const RERANKERS = ["none", "cohere", "voyage", "cohere-compatible", "chat", "builtin"] as const;

/** The ways to combine the two arms of a search. */
export const FUSIONS = ["adaptive", "weighted", "rrf"] as const;

const extraPath = z.union([
  z.string().min(1).max(1024),
  z.strictObject({ path: z.string().min(1).max(1024), pattern: z.string().min(1).max(256).optional() }),
]);

const headers = z.record(z.string().min(1).max(200), z.string().max(4000));

/**
 * The provider's former address, at which an existing index was built, while the address changes.
 */
const former = z.strictObject({
  baseUrl: setting(
    url,
    undefined,
    "The provider's previous address. While it is set, an index that was built with that address keeps answering until the new index takes over, and questions and new texts are sent to that address too.",
  ),
  apiKey: text(1000, "The key for the former address. No other key is sent there."),
  headers: setting(headers, undefined, "Headers of every request to the former address."),
});

const remote = z.strictObject({
  baseUrl: setting(url, undefined, "The provider's address, if not its default. New index."),
  apiKey: text(1000, "The provider's key."),
  headers: setting(
    headers,
    undefined,
    "Headers of every request to the provider. A stronger layer replaces all of them.",
  ),
  former: former.optional(),
  nonBatchConcurrency: whole(
    1,
    64,
    4,
    "Concurrent requests of one process to the provider, for documents and queries separately. An agent's own value is its share of the operator's.",
  ),
  batch: z
    .strictObject({
      enabled: bool(
        false,
        "Send 200 or more chunks as provider batches (`openai`, `gemini`): half the price, up to a day.",
      ),
      concurrency: whole(1, 64, 2, "Concurrent batches."),
      pollIntervalMs: whole(100, 3_600_000, 2000, "Interval between polls of a batch."),
      timeoutMinutes: whole(
        1,
        10_080,
        60,
        "Time after which a batch is cancelled and its remaining texts are sent by single requests.",
      ),
    })
    .optional(),
});

const sync = z.strictObject({
  onSessionStart: bool(true, "A new session requests a sync, and loads the model that questions are embedded with."),
  onSearch: bool(true, "A search requests a sync of `extraPaths` and of unindexed messages; it does not wait for it."),
  watch: bool(
    true,
    "Whether `recollect watch` and `recollect sessions watch` may watch for this agent; false: they refuse, or stop before the next batch.",
  ),
  watchDebounceMs: whole(0, 600_000, 1500, "How long a file must be unchanged before it is sent."),
  intervalMinutes: whole(0, 525_600, 0, "Interval between syncs; 0: never."),
  sessions: z
    .strictObject({
      deltaBytes: whole(
        0,
        1_000_000_000,
        100_000,
        "If an append could not index at once, this many unindexed bytes of a session request a sync.",
      ),
      deltaMessages: whole(
        0,
        1_000_000,
        50,
        "If an append could not index at once, this many unindexed messages of a session request a sync.",
      ),
      retentionDays: whole(1, 36_500, undefined, "Each sync deletes messages older than this."),
    })
    .optional(),
});

const hybrid = z.strictObject({
  enabled: bool(true, "Search by keyword and by vector; false: by vector only."),
  vectorWeight: number(0, 1, 0.7, "Weight of the vector similarity. With `rrf` both weights are 1 unless one is set."),
  textWeight: number(0, 1, 0.3, "Weight of the keyword score (BM25)."),
  candidateMultiplier: whole(1, 20, 4, "Each arm returns this many times `maxResults` candidates, at most 200."),
  fusion: oneOf(
    FUSIONS,
    "adaptive",
    "How the arms are combined: by evidence compared with chance, by fixed weights, or by reciprocal rank fusion: the sum of 1 / (k + rank).",
  ),
  rrfK: whole(1, 1000, 60, "The constant k of `rrf`."),
  mmr: z
    .strictObject({
      enabled: bool(false, "Prefer hits that differ from each other (maximal marginal relevance)."),
      lambda: number(0, 1, 0.7, "1: relevance only; 0: difference only."),
    })
    .optional(),
  temporalDecay: z
    .strictObject({
      enabled: bool(
        false,
        "Older files score lower, by the day in their path or front matter, else their last change; `MEMORY.md` and undated files under `memory/` do not age.",
      ),
      halfLifeDays: number(0.01, 36_500, 30, "Days after which a score is halved."),
    })
    .optional(),
});

const query = z.strictObject({
  maxResults: whole(1, 100, 6, "Hits of a search without `maxResults`."),
  minScore: setting(
    z.union([z.literal("auto"), z.number().min(0).max(1)], "must be auto or a number from 0 to 1"),
    "auto",
    "The lowest score of a hit; `auto`: removes hits with evidence below half the chance level.",
  ),
  hybrid: hybrid.optional(),
  namedFiles: bool(true, "Put files first if the query names them."),
  deduplicate: bool(true, "Show equal texts once; short texts are compared without regard to case."),
  mergeNeighbours: bool(true, "Merge adjacent hits."),
  rerank: z
    .strictObject({
      provider: oneOf(
        RERANKERS,
        "none",
        "The reranker that reorders the best candidates; `chat` is the operator's chat model, `builtin` the operator's cross-encoder in the process.",
      ),
      model: modelName("The reranker's model, if not its default."),
      candidates: whole(1, 200, 30, "Candidates to reorder."),
    })
    .optional(),
  hyde: z
    .strictObject({
      enabled: bool(false, "Also search with a hypothetical answer written by the chat model."),
      model: modelName("The chat model to use, if not the operator's."),
    })
    .optional(),
  language: oneOf(
    LANGUAGES,
    "auto",
    "Stemming and stop words: a text-search configuration of Postgres, or `auto` for each text's own language. New index.",
  ),
});

const history = z.strictObject({
  retentionDays: whole(
    0,
    3650,
    30,
    "Days for which earlier versions of files are kept; 0: none, unless a snapshot needs them.",
  ),
});

/** Every key of `agents.defaults.memorySearch`, all optional, with its range and its default. */
export const settingsSchema = z.strictObject({
  enabled: bool(true, "Offer the memory's tools to models."),
  sources: setting(
    z
      .array(z.enum(["memory", "sessions", "facts"], "must be memory, sessions or facts"))
      .min(1)
      .max(3),
    ["memory", "sessions", "facts"],
    "The sources that are searched: files (`memory`), conversations (only indexed if listed here), and facts.",
  ),
  extraPaths: setting(
    z.array(extraPath).max(100),
    [],
    "Folders and files of the server, each a path or `{ path, pattern }`, inside the operator's roots; `~` is the server's home folder.",
  ),
  provider: oneOf(PROVIDERS, "auto", "The embedding provider; `auto`: the first available. New index."),
  model: modelName("The provider's model, if not its default. New index."),
  fallback: oneOf(
    PROVIDERS,
    "none",
    "The provider that is used when `provider` is unavailable or keeps failing; `auto` tries it before `builtin`. New index.",
  ),
  outputDimensionality: whole(1, 4000, undefined, "Dimensions of the vectors, for models with a choice. New index."),
  queryInputType: text(100, "The provider's input type for queries, if not its default. New index."),
  documentInputType: text(100, "The provider's input type for documents, if not its default. New index."),
  remote: remote.optional(),
  local: z
    .strictObject({
      modelPath: text(1024, "A GGUF file of the server, for the provider `local`. New index."),
      contextSize: whole(128, 131_072, 4096, "The model's context size in tokens. New index."),
    })
    .optional(),
  chunking: z
    .strictObject({
      tokens: whole(50, 2000, 400, "Chunk length in tokens. New index."),
      overlap: whole(0, 1000, 80, "Overlap with the previous chunk, in tokens; less than `tokens`. New index."),
      headings: bool(true, "Index a chunk with its headings. New index."),
    })
    .optional(),
  sync: sync.optional(),
  query: query.optional(),
  facts: factSettings.optional(),
  history: history.optional(),
  cache: z
    .strictObject({
      enabled: bool(
        true,
        "Share embeddings with the tenant's other agents, in both directions, and let a process remember answers and the embeddings of questions.",
      ),
      maxEntries: whole(
        0,
        100_000_000,
        50_000,
        "The most embeddings that this agent adds to the cache; the oldest are removed.",
      ),
    })
    .optional(),
  timezone: setting(
    z.string().max(64).refine(isTimeZone, "must be the name of a time zone, such as Europe/Lisbon"),
    undefined,
    "The time zone in which days begin and end, such as `Europe/Lisbon`, for questions about days and for filters by date; unset: the server's.",
  ),
  citations: oneOf(
    ["auto", "on", "off"],
    "auto",
    "Whether hits have a citation; `auto`: in conversations with one person, not in groups and channels, as the search's `sessionKey` tells.",
  ),
});

/** Some of the settings, as one layer sets them. */
export type SettingsPatch = z.infer<typeof settingsSchema>;

/** The effective settings of an agent's memory. */
export type MemorySettings = Effective<typeof settingsSchema>;

export const DEFAULT_SETTINGS: MemorySettings = defaultsOf(settingsSchema);
