import { z } from "zod";
import { PROVIDERS } from "../base/providers.ts";
import { GLOB_RULE, isGlob } from "./memory-path.ts";
import { bool, defaultsOf, type Effective, modelName, number, oneOf, setting, text, whole } from "./setting.ts";

const url = z
  .string()
  .max(2048)
  .refine((value) => /^https?:$/.test(URL.canParse(value) ? new URL(value).protocol : ""), "must be an http(s) URL");

/** The text-search configurations that every Postgres has, and the one that each text asks for. */
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

/** `chat`: the operator's chat model grades passages. */
const RERANKERS = ["none", "cohere", "voyage", "cohere-compatible", "chat", "builtin"] as const;

/** Those that `ingest/capture/languages.ts` has rules for. */
const CAPTURE_LANGUAGES = ["en", "de", "fr", "es", "ja", "zh"] as const;

const glob = z.string().min(1).max(256).refine(isGlob, GLOB_RULE);

const extraPath = z.union([
  z.string().min(1).max(1024),
  z.strictObject({ path: z.string().min(1).max(1024), pattern: z.string().min(1).max(256).optional() }),
]);

const remote = z.strictObject({
  baseUrl: setting(url, undefined, "Address of the provider, in place of its own. New index."),
  apiKey: text(1000, "The provider's key."),
  headers: setting(
    z.record(z.string().min(1).max(200), z.string().max(4000)),
    undefined,
    "Headers of every request to the provider. Replaced whole by a stronger layer.",
  ),
  nonBatchConcurrency: whole(
    1,
    64,
    4,
    "Requests of one process to the provider at a time, for documents and for queries each.",
  ),
  batch: z
    .strictObject({
      enabled: bool(
        false,
        "Send 200 chunks or more as the provider's batches (`openai`, `gemini`): half the price, up to a day.",
      ),
      concurrency: whole(1, 64, 2, "Batches under way at a time."),
      pollIntervalMs: whole(100, 3_600_000, 2000, "How often a batch is asked for."),
      timeoutMinutes: whole(1, 10_080, 60, "After this a batch is cancelled and the rest sent by single requests."),
    })
    .optional(),
});

const sync = z.strictObject({
  onSessionStart: bool(true, "A new session asks for a sync."),
  onSearch: bool(
    true,
    "A search asks for a sync, which it does not wait for: of `extraPaths`, and of messages not indexed yet.",
  ),
  watch: bool(true, "Whether `recollect watch` and `recollect sessions watch` may watch for this agent."),
  watchDebounceMs: whole(0, 600_000, 1500, "How long changes must rest before they are sent."),
  intervalMinutes: whole(0, 525_600, 0, "A sync every so often; 0: never."),
  sessions: z
    .strictObject({
      deltaBytes: whole(
        0,
        1_000_000_000,
        100_000,
        "Appending indexes at once. Where it could not, so many unindexed bytes of a session ask for a sync.",
      ),
      deltaMessages: whole(0, 1_000_000, 50, "The same for so many unindexed messages."),
      retentionDays: whole(1, 36_500, undefined, "Messages older than this are deleted by each sync."),
    })
    .optional(),
});

const hybrid = z.strictObject({
  enabled: bool(true, "Search by words and by meaning; false: by meaning alone."),
  vectorWeight: number(0, 1, 0.7, "Weight of the similarity of meaning."),
  textWeight: number(0, 1, 0.3, "Weight of the words (BM25)."),
  candidateMultiplier: whole(1, 20, 4, "Candidates of each arm, times `maxResults`; at most 200."),
  fusion: oneOf(
    ["adaptive", "weighted", "rrf"],
    "adaptive",
    "How the arms are brought together: weights fitted to each query, fixed weights, or ranks (reciprocal rank fusion).",
  ),
  rrfK: whole(1, 1000, 60, "The constant of `rrf`."),
  mmr: z
    .strictObject({
      enabled: bool(false, "Prefer hits that differ from each other (maximal marginal relevance)."),
      lambda: number(0, 1, 0.7, "1: relevance alone; 0: difference alone."),
    })
    .optional(),
  temporalDecay: z
    .strictObject({
      enabled: bool(false, "Older files count less; `MEMORY.md` and undated files under `memory/` do not age."),
      halfLifeDays: number(0.01, 36_500, 30, "After so many days a score is halved."),
    })
    .optional(),
});

const query = z.strictObject({
  maxResults: whole(1, 100, 6, "Hits of a search that does not say how many."),
  minScore: setting(
    z.union([z.literal("auto"), z.number().min(0).max(1)], "must be auto or a number from 0 to 1"),
    "auto",
    "No hit has a lower score; `auto`: hits for which no more speaks than chance are left out.",
  ),
  hybrid: hybrid.optional(),
  namedFiles: bool(true, "Put files first that the query names."),
  deduplicate: bool(true, "Show equal texts once."),
  mergeNeighbours: bool(true, "Show hits that stand next to each other as one."),
  rerank: z
    .strictObject({
      provider: oneOf(
        RERANKERS,
        "none",
        "Who orders the best candidates anew; `chat` is the operator's chat model, `builtin` a cross-encoder of the operator's in the process.",
      ),
      model: modelName("The reranker's model, unless it is its default."),
      candidates: whole(1, 200, 30, "Candidates that are ordered anew."),
    })
    .optional(),
  hyde: z
    .strictObject({
      enabled: bool(false, "Also search with a passage that the chat model makes up as an answer."),
      model: modelName("The chat model, unless it is the operator's."),
    })
    .optional(),
  language: oneOf(
    LANGUAGES,
    "auto",
    "Stemming and stop words: a text-search configuration of Postgres, or `auto`, that of each text's own language. New index.",
  ),
});

const facts = z.strictObject({
  recall: z
    .strictObject({
      maxFacts: whole(1, 50, 5, "Facts that a recall answers at most."),
      corpus: oneOf(["all", "facts"], "all", "What a recall draws on: all that `sources` names, or facts alone."),
      maxQuotes: whole(0, 20, 5, "Passages of conversations and files that a recall answers at most."),
      maxDistance: setting(
        z.union([z.literal("auto"), z.number().min(0).max(2)], "must be auto or a number from 0 to 2"),
        "auto",
        "Cosine distance from the message within which a fact is recalled; `auto`: what is well above chance.",
      ),
      maxChars: whole(200, 100_000, 4000, "Characters of the recalled block."),
    })
    .optional(),
  duplicateDistance: number(
    0,
    0.2,
    0.03,
    "Cosine distance within which facts with the same names and numbers are one.",
  ),
  capture: z
    .strictObject({
      enabled: bool(true, "Whether anything of what a turn says is stored as facts."),
      onAppend: bool(
        true,
        "Capture what the user says in messages as they are appended, unless the call says `capture`.",
      ),
      languages: setting(
        z
          .array(z.enum(CAPTURE_LANGUAGES, `must be one of ${CAPTURE_LANGUAGES.join(", ")}`))
          .max(CAPTURE_LANGUAGES.length),
        [...CAPTURE_LANGUAGES],
        "Languages whose rules are tried.",
      ),
      extract: bool(false, "Ask the chat model too, after the rules."),
      model: modelName("The chat model, unless it is the operator's."),
    })
    .optional(),
  ingest: z
    .strictObject({
      paths: setting(
        z.array(glob).min(1).max(20),
        ["skills/**/*.md", "TOOLS.md", "AGENTS.md"],
        "Globs of the files that become facts.",
      ),
      model: modelName("The chat model, unless it is the operator's."),
    })
    .optional(),
  halfLives: z
    .strictObject({
      stable: number(0.01, 36_500, 365, "Days after which a fact of this class has lost half of what it can lose."),
      active: number(0.01, 36_500, 30, "The same."),
      session: number(0.01, 36_500, 1, "The same."),
      transient: number(0.01, 36_500, 0.25, "The same."),
    })
    .optional(),
  retention: z
    .strictObject({
      expiredDays: whole(0, 36_500, 0, "Days after `expiresAt` that a fact is deleted."),
      supersededDays: whole(0, 36_500, undefined, "Days after its end that a fact is deleted; unset: never."),
      afterHalfLives: number(
        1,
        1000,
        undefined,
        "Half-lives since it was last said that a fact is deleted; unset: never.",
      ),
    })
    .optional(),
});

/** Every key of `agents.defaults.memorySearch`, all optional, with its range and its default. */
export const settingsSchema = z.strictObject({
  enabled: bool(true, "Whether the agent has its memory's tools; false: models are offered none."),
  sources: setting(
    z
      .array(z.enum(["memory", "sessions", "facts"], "must be memory, sessions or facts"))
      .min(1)
      .max(3),
    ["memory", "sessions", "facts"],
    "What is searched: files (`memory`), conversations, which are indexed only if they stand here, and facts.",
  ),
  extraPaths: setting(
    z.array(extraPath).max(100),
    [],
    "Folders and files of the server, as a text or `{ path, pattern }`, inside the operator's roots.",
  ),
  provider: oneOf(PROVIDERS, "auto", "Who makes the embeddings; `auto`: the first that is there. New index."),
  model: modelName("The provider's model, unless it is its default. New index."),
  fallback: oneOf(PROVIDERS, "none", "What `auto` takes before `builtin` when no other is there. New index."),
  outputDimensionality: whole(1, 4000, undefined, "Length of the vectors, for models that let one choose. New index."),
  queryInputType: text(100, "What the provider is told of a query, in place of its default. New index."),
  documentInputType: text(100, "What the provider is told of a document. New index."),
  remote: remote.optional(),
  local: z
    .strictObject({
      modelPath: text(1024, "A GGUF file of the server, for the provider `local`. New index."),
      contextSize: whole(128, 131_072, 4096, "Tokens that the model reads at once. New index."),
    })
    .optional(),
  chunking: z
    .strictObject({
      tokens: whole(50, 2000, 400, "Length of a chunk. New index."),
      overlap: whole(0, 1000, 80, "What a chunk repeats of the one before; less than `tokens`. New index."),
      headings: bool(true, "Index a chunk under the headings above it. New index."),
    })
    .optional(),
  sync: sync.optional(),
  query: query.optional(),
  facts: facts.optional(),
  cache: z
    .strictObject({
      enabled: bool(true, "Share embeddings with the tenant's other agents, both ways."),
      maxEntries: whole(0, 100_000_000, 50_000, "Embeddings that this agent may bring into the cache; the oldest go."),
    })
    .optional(),
  citations: oneOf(
    ["auto", "on", "off"],
    "auto",
    "Whether hits say where they stand: `off` never; `auto` lets the prompt ask for it in direct chats only.",
  ),
});

/** Some of the settings, as one layer gives them. */
export type SettingsPatch = z.infer<typeof settingsSchema>;

/** The settings of an agent's memory in effect. */
export type MemorySettings = Effective<typeof settingsSchema>;

export const DEFAULT_SETTINGS: MemorySettings = defaultsOf(settingsSchema);
