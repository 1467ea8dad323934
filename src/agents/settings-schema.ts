import { z } from "zod";
import { GLOB_RULE, isGlob } from "./glob.ts";

const bool = z.boolean().optional();
const whole = (least: number, most: number) =>
  z
    .int(`must be a whole number from ${least} to ${most}`)
    .min(least, `must be a whole number from ${least} to ${most}`)
    .max(most, `must be a whole number from ${least} to ${most}`)
    .optional();
const number = (least: number, most: number) =>
  z
    .number(`must be a number from ${least} to ${most}`)
    .min(least, `must be a number from ${least} to ${most}`)
    .max(most, `must be a number from ${least} to ${most}`)
    .optional();
const oneOf = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.enum(values, `must be one of ${values.join(", ")}`).optional();
const text = (most: number) => z.string().min(1).max(most).optional();
/** Goes into URLs and file names, so it may be a name and no path out of its place. */
const modelName = z
  .string()
  .max(200)
  .regex(/^[\w.:@-]+(\/[\w.:@-]+)*$/, "must be a model's name")
  .refine((name) => !name.includes(".."), "must be a model's name")
  .optional();
const url = z
  .string()
  .max(2048)
  .refine((value) => /^https?:$/.test(URL.canParse(value) ? new URL(value).protocol : ""), "must be an http(s) URL");

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

/** The text-search configurations that every Postgres has. */
const LANGUAGES = [
  ...([
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
const RERANKERS = ["none", "cohere", "voyage", "cohere-compatible", "chat"] as const;

/** Those that `ingest/capture/languages.ts` has rules for. */
const CAPTURE_LANGUAGES = ["en", "de", "fr", "es", "ja", "zh"] as const;

const glob = z.string().min(1).max(256).refine(isGlob, GLOB_RULE);

const extraPath = z.union([
  z.string().min(1).max(1024),
  z.strictObject({ path: z.string().min(1).max(1024), pattern: z.string().min(1).max(256).optional() }),
]);

/** Every key of `agents.defaults.memorySearch`, all optional, with its range: the contract's table. */
export const settingsSchema = z.strictObject({
  enabled: bool,
  sources: z
    .array(z.enum(["memory", "sessions"], "must be memory or sessions"))
    .min(1)
    .max(2)
    .optional(),
  extraPaths: z.array(extraPath).max(100).optional(),
  provider: oneOf(PROVIDERS),
  model: modelName,
  fallback: oneOf(PROVIDERS),
  outputDimensionality: whole(1, 4000),
  queryInputType: text(100),
  documentInputType: text(100),
  remote: z
    .strictObject({
      baseUrl: url.optional(),
      apiKey: text(1000),
      headers: z.record(z.string().min(1).max(200), z.string().max(4000)).optional(),
      nonBatchConcurrency: whole(1, 64),
      batch: z
        .strictObject({
          enabled: bool,
          concurrency: whole(1, 64),
          pollIntervalMs: whole(100, 3_600_000),
          timeoutMinutes: whole(1, 10_080),
        })
        .optional(),
    })
    .optional(),
  local: z.strictObject({ modelPath: text(1024), contextSize: whole(128, 131_072) }).optional(),
  chunking: z.strictObject({ tokens: whole(50, 2000), overlap: whole(0, 1000), headings: bool }).optional(),
  sync: z
    .strictObject({
      onSessionStart: bool,
      onSearch: bool,
      watch: bool,
      watchDebounceMs: whole(0, 600_000),
      intervalMinutes: whole(0, 525_600),
      sessions: z
        .strictObject({
          deltaBytes: whole(0, 1_000_000_000),
          deltaMessages: whole(0, 1_000_000),
          retentionDays: whole(1, 36_500),
        })
        .optional(),
    })
    .optional(),
  query: z
    .strictObject({
      maxResults: whole(1, 100),
      minScore: number(0, 1),
      hybrid: z
        .strictObject({
          enabled: bool,
          vectorWeight: number(0, 1),
          textWeight: number(0, 1),
          candidateMultiplier: whole(1, 20),
          fusion: oneOf(["adaptive", "weighted", "rrf"]),
          rrfK: whole(1, 1000),
          mmr: z.strictObject({ enabled: bool, lambda: number(0, 1) }).optional(),
          temporalDecay: z.strictObject({ enabled: bool, halfLifeDays: number(0.01, 36_500) }).optional(),
        })
        .optional(),
      /** Put files first that the query names; show equal texts once, and hits that stand next to each other as one. */
      namedFiles: bool,
      deduplicate: bool,
      mergeNeighbours: bool,
      rerank: z.strictObject({ provider: oneOf(RERANKERS), model: modelName, candidates: whole(1, 200) }).optional(),
      hyde: z.strictObject({ enabled: bool, model: modelName }).optional(),
      language: oneOf(LANGUAGES),
    })
    .optional(),
  facts: z
    .strictObject({
      recall: z
        .strictObject({ maxFacts: whole(1, 50), maxDistance: number(0, 2), maxChars: whole(200, 100_000) })
        .optional(),
      duplicateDistance: number(0, 0.2),
      /** `extract`: a chat model is asked too, after the rules. */
      capture: z
        .strictObject({
          enabled: bool,
          languages: z
            .array(z.enum(CAPTURE_LANGUAGES, `must be one of ${CAPTURE_LANGUAGES.join(", ")}`))
            .max(CAPTURE_LANGUAGES.length)
            .optional(),
          extract: bool,
          model: modelName,
        })
        .optional(),
      ingest: z.strictObject({ paths: z.array(glob).min(1).max(20).optional(), model: modelName }).optional(),
      /** Days after which a fact of the class has lost half of what it can lose. */
      halfLives: z
        .strictObject({
          stable: number(0.01, 36_500),
          active: number(0.01, 36_500),
          session: number(0.01, 36_500),
          transient: number(0.01, 36_500),
        })
        .optional(),
      retention: z
        .strictObject({
          expiredDays: whole(0, 36_500),
          supersededDays: whole(0, 36_500),
          afterHalfLives: number(1, 1000),
        })
        .optional(),
    })
    .optional(),
  cache: z.strictObject({ enabled: bool, maxEntries: whole(0, 100_000_000) }).optional(),
  citations: oneOf(["auto", "on", "off"]),
});

/** Some of the settings, as one layer gives them. */
export type SettingsPatch = z.infer<typeof settingsSchema>;
