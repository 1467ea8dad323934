import { describe, expect, test } from "vitest";
import { AppError } from "../../src/base/errors.ts";
import { leaves, operatorKeysIn, parseSettings, presentSettings } from "../../src/settings/settings.ts";
import { DEFAULT_SETTINGS } from "../../src/settings/settings-schema.ts";

const PATH = "agents.defaults.memorySearch";
const SECRET = "sk-live-4f9a";

/** The contract's table, key by key. */
const CONTRACT: Record<string, unknown> = {
  enabled: true,
  sources: ["memory", "sessions", "facts"],
  extraPaths: [],
  provider: "auto",
  model: undefined,
  fallback: "none",
  outputDimensionality: undefined,
  queryInputType: undefined,
  documentInputType: undefined,
  "remote.baseUrl": undefined,
  "remote.apiKey": undefined,
  "remote.former.apiKey": undefined,
  "remote.former.baseUrl": undefined,
  "remote.former.headers": undefined,
  "remote.headers": undefined,
  "remote.nonBatchConcurrency": 4,
  "remote.batch.enabled": false,
  "remote.batch.concurrency": 2,
  "remote.batch.pollIntervalMs": 2000,
  "remote.batch.timeoutMinutes": 60,
  "local.modelPath": undefined,
  "history.retentionDays": 30,
  "local.contextSize": 4096,
  "chunking.tokens": 400,
  "chunking.overlap": 80,
  // Keys beyond the contract.
  "chunking.headings": true,
  "sync.onSessionStart": true,
  "sync.onSearch": true,
  "sync.watch": true,
  "sync.watchDebounceMs": 1500,
  "sync.intervalMinutes": 0,
  "sync.sessions.deltaBytes": 100000,
  "sync.sessions.deltaMessages": 50,
  "sync.sessions.retentionDays": undefined,
  "query.maxResults": 6,
  "query.minScore": "auto",
  "query.hybrid.enabled": true,
  "query.hybrid.vectorWeight": 0.7,
  "query.hybrid.textWeight": 0.3,
  "query.hybrid.candidateMultiplier": 4,
  // The contract's `weighted` ranks measurably worse: bench/notes/quality.md, "Ranking features, on
  // and off".
  "query.hybrid.fusion": "adaptive",
  "query.hybrid.rrfK": 60,
  "query.hybrid.mmr.enabled": false,
  "query.hybrid.mmr.lambda": 0.7,
  "query.hybrid.temporalDecay.enabled": false,
  "query.hybrid.temporalDecay.halfLifeDays": 30,
  // Beyond the contract: features that can be switched off.
  "query.namedFiles": true,
  "query.deduplicate": true,
  "query.mergeNeighbours": true,
  "query.rerank.provider": "none",
  "query.rerank.model": undefined,
  "query.rerank.candidates": 30,
  "query.hyde.enabled": false,
  "query.hyde.model": undefined,
  "query.language": "auto",
  "facts.recall.maxInstructions": 10,
  "facts.recall.maxFacts": 5,
  "facts.recall.maxQuotes": 5,
  "facts.recall.maxDistance": "auto",
  "facts.recall.maxChars": 4000,
  "facts.capture.enabled": true,
  "facts.capture.onAppend": true,
  "facts.capture.extract": false,
  "facts.capture.model": undefined,
  "facts.ingest.chunkSize": 800,
  "facts.ingest.paths": ["skills/**/*.md", "TOOLS.md", "AGENTS.md"],
  "facts.ingest.model": undefined,
  "facts.halfLives.stable": 365,
  "facts.halfLives.active": 30,
  "facts.halfLives.session": 1,
  "facts.halfLives.transient": 0.25,
  "facts.retention.expiredDays": 0,
  "facts.retention.supersededDays": undefined,
  "facts.retention.afterHalfLives": undefined,
  "cache.enabled": true,
  "cache.maxEntries": 50000,
  timezone: undefined,
  citations: "auto",
};

function flatten(value: object, prefix = ""): [string, unknown][] {
  return Object.entries(value).flatMap(([key, child]) =>
    typeof child === "object" && child !== null && !Array.isArray(child)
      ? flatten(child, `${prefix}${key}.`)
      : [[`${prefix}${key}`, child] as [string, unknown]],
  );
}

/** Returns `{a: {b: value}}` for `a.b`. */
function nested(path: string, value: unknown): unknown {
  return path.split(".").reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
}

function refusal(run: () => unknown): AppError {
  try {
    run();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

test("the defaults are the contract's table, no key more and none less", () => {
  expect(Object.fromEntries(flatten(DEFAULT_SETTINGS))).toStrictEqual(CONTRACT);
});

test("the defaults are valid settings", () => {
  expect(parseSettings(DEFAULT_SETTINGS, PATH)).toEqual(DEFAULT_SETTINGS);
});

const EDGES: [string, unknown[], unknown[]][] = [
  ["enabled", [true, false], ["yes", 1, null]],
  ["sources", [["memory"], ["sessions"], ["memory", "sessions"]], [[], ["files"], "memory"]],
  ["extraPaths", [[], ["a"], [{ path: "a", pattern: "*.md" }]], [[""], [3], [{ pattern: "x" }], [{ path: "a", p: 1 }]]],
  ["provider", ["auto", "builtin", "none", "openai-compatible"], ["Auto", "llama", ""]],
  ["fallback", ["none", "openai"], ["nothing"]],
  ["model", ["m"], ["", "x".repeat(1000)]],
  ["outputDimensionality", [1, 4000], [0, 4001, 1.5]],
  ["remote.baseUrl", ["http://h/v1", "https://h"], ["file:///etc/passwd", "h/v1", "javascript:1"]],
  ["remote.headers", [{}, { a: "b" }], [{ a: 1 }, { "": "b" }, "a: b"]],
  ["remote.nonBatchConcurrency", [1, 64], [0, 65]],
  ["remote.batch.pollIntervalMs", [2000], [-1, 0.5]],
  ["local.modelPath", ["/m.gguf"], [""]],
  ["chunking.tokens", [50, 2000], [49, 2001, "400"]],
  ["chunking.overlap", [0], [-1, 1.5]],
  ["sync.intervalMinutes", [0], [-1]],
  ["sync.sessions.retentionDays", [1], [0]],
  ["query.maxResults", [1, 100], [0, 101, 1.5, "6", Number.NaN]],
  ["query.minScore", [0, 0.35, 1], [-0.01, 1.01, Number.POSITIVE_INFINITY]],
  ["query.hybrid.vectorWeight", [0, 1], [-0.1, 1.1]],
  ["query.hybrid.textWeight", [0, 1], [-0.1, 1.1]],
  ["query.hybrid.candidateMultiplier", [1, 20], [0, 21]],
  ["query.hybrid.fusion", ["adaptive", "weighted", "rrf"], ["RRF"]],
  ["query.hybrid.rrfK", [1, 1000], [0, 1001]],
  ["query.hybrid.mmr.lambda", [0, 1], [-0.1, 1.1]],
  ["query.hybrid.temporalDecay.halfLifeDays", [0.5, 30], [0, -1]],
  ["query.rerank.provider", ["none", "cohere", "voyage", "cohere-compatible", "chat", "builtin"], ["Cohere", "acme"]],
  ["query.language", ["auto", "simple", "german", "yiddish"], ["klingon", "pg_catalog.english", "English"]],
  ["cache.maxEntries", [0, 50000], [-1]],
  ["timezone", ["UTC", "Europe/Lisbon"], ["Mars/Olympus", "", 1]],
  ["citations", ["auto", "on", "off"], [true, "always"]],
];

describe.each(EDGES)("%s", (key, good, bad) => {
  // Each value is wrapped, because vitest spreads a row that is itself a list.
  test.each(good.map((value) => [value]))("takes %j", (value) => {
    expect(parseSettings(nested(key, value), PATH)).toEqual(nested(key, value));
  });
  test.each(bad.map((value) => [value]))("refuses %j by its full path", (value) => {
    const error = refusal(() => parseSettings(nested(key, value), PATH));
    expect(error.code).toBe("invalid_settings");
    expect(error.message).toContain(`${PATH}.${key}`);
  });
});

test("a number out of range is told its range", () => {
  expect(refusal(() => parseSettings({ query: { maxResults: 101 } }, PATH)).message).toContain(
    "agents.defaults.memorySearch.query.maxResults: must be a whole number from 1 to 100",
  );
});

test.each(["querry", "query.maxResult", "query.hybrid.mmr.lamda", "remote.batch.size", "constructor", "toString"])(
  "the unknown key %s is refused by its full path",
  (key) => {
    const error = refusal(() => parseSettings(nested(key, {}), PATH));
    expect(error.code).toBe("invalid_settings");
    expect(error.message).toContain(`${PATH}.${key}`);
  },
);

test.each([[null], [[]], ["x"], [3]])("%j is no settings", (value) => {
  expect(refusal(() => parseSettings(value, PATH)).message).toContain(PATH);
});

test("an error names five problems at most and counts the rest", () => {
  const keys = Array.from({ length: 9 }, (_, i) => `bad${i}`);
  const { message } = refusal(() => parseSettings(Object.fromEntries(keys.map((key) => [key, 1])), PATH));
  expect(keys.filter((key) => message.includes(key))).toHaveLength(5);
  expect(message).toContain("4 more");
});

test.each([
  { remote: { apiKey: SECRET.repeat(1000) } },
  { remote: { apiKey: { id: SECRET } } },
  { remote: { apiKey: [SECRET] } },
  { remote: { headers: { Authorization: [SECRET] } } },
  { remote: { former: { apiKey: [SECRET] } } },
  { remote: { headers: { Authorization: SECRET.repeat(1000) } } },
  { remote: { baseUrl: `ftp://user:${SECRET}@host` } },
])("an error does not repeat the value, which may be a secret: case %#", (settings) => {
  const error = refusal(() => parseSettings(settings, PATH));
  expect(JSON.stringify([error.message, error.details])).not.toContain(SECRET);
});

test("only what makes the server reach a URL or a file is the operator's", () => {
  const settings = parseSettings(
    {
      extraPaths: ["a"],
      remote: { baseUrl: "http://h", headers: { a: "b" }, batch: { enabled: true } },
      local: { modelPath: "/m.gguf" },
      model: "m",
      query: { maxResults: 3 },
    },
    PATH,
  );
  const expected = ["extraPaths", "local.modelPath", "remote.baseUrl", "remote.batch.enabled", "remote.headers.a"];
  expect(operatorKeysIn(settings).toSorted()).toEqual(expected);
  expect(operatorKeysIn({ model: "m", query: { maxResults: 3 } })).toEqual([]);
});

test("settings are shown without their secrets and without what is unset", () => {
  const remote = { apiKey: SECRET, headers: { Authorization: SECRET, "X-Team": SECRET }, baseUrl: "http://h" };
  const shown = presentSettings({ remote, model: "m" });
  expect(shown).toEqual({
    model: "m",
    remote: { apiKey: "•••", headers: { Authorization: "•••", "X-Team": "•••" }, baseUrl: "http://h" },
  });
  const former = { apiKey: SECRET, headers: { Authorization: SECRET }, baseUrl: "http://old" };
  expect(presentSettings({ remote: { former } })).toEqual({
    remote: { former: { apiKey: "•••", headers: { Authorization: "•••" }, baseUrl: "http://old" } },
  });
  expect(JSON.stringify(presentSettings({ ...DEFAULT_SETTINGS }))).not.toContain("•••");
  expect(remote.apiKey).toBe(SECRET);
});

function branches(value: object, prefix = ""): string[] {
  return Object.entries(value).flatMap(([key, child]) =>
    typeof child === "object" && child !== null && !Array.isArray(child)
      ? [`${prefix}${key}`, ...branches(child, `${prefix}${key}.`)]
      : [],
  );
}

test.each(branches(DEFAULT_SETTINGS))("an unknown key in %s is refused", (branch) => {
  const error = refusal(() => parseSettings(nested(`${branch}.bogus`, 1), PATH));
  expect(error.message).toContain(`${PATH}.${branch}.bogus`);
});

test("the paths of all that is set", () => {
  expect(leaves({ a: 1, b: { c: [1, 2], d: undefined, e: null } }, "")).toEqual(["a", "b.c", "b.e"]);
});
