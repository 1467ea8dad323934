import { homedir } from "node:os";
import { describe, expect, test } from "vitest";
import { AppError } from "../../src/base/errors.ts";
import { parseConfigFile } from "../../src/settings/config-file.ts";

const paths = ({ ignored }: ReturnType<typeof parseConfigFile>) => ignored.map(({ at }) => at);
const search = (memorySearch: object) => parseConfigFile({ agents: { defaults: { memorySearch } } });

describe("memorySearch as OpenClaw has it", () => {
  test.each([
    [{ store: { driver: "sqlite" } }, "store.driver"],
    [{ store: { fts: { tokenizer: "trigram" } } }, "store.fts.tokenizer"],
    [{ experimental: { sessionMemory: true } }, "experimental.sessionMemory"],
    [{ multimodal: { enabled: true } }, "multimodal.enabled"],
    [{ qmd: { extraCollections: [] } }, "qmd.extraCollections"],
    [{ rememberAcrossConversations: true }, "rememberAcrossConversations"],
    [{ local: { modelCacheDir: "~/m" } }, "local.modelCacheDir"],
    [{ remote: { batch: { wait: true } } }, "remote.batch.wait"],
    [{ sync: { embeddingBatchTimeoutSeconds: 60 } }, "sync.embeddingBatchTimeoutSeconds"],
    [{ sync: { sessions: { postCompactionForce: true } } }, "sync.sessions.postCompactionForce"],
    [{ ingest: { overlap: 90 } }, "ingest.overlap"],
  ])("%j has no effect, and says why", (memorySearch, key) => {
    const file = search({ ...memorySearch, model: "m" });
    expect(file.defaults).toEqual({ model: "m" });
    expect(file.ignored).toEqual([
      { at: `agents.defaults.memorySearch.${key}`, why: expect.stringMatching(/\w+ \w+/) },
    ]);
  });

  test("what lies beside such a key stays", () => {
    const memorySearch = { remote: { baseUrl: "http://h", batch: { wait: true, concurrency: 3 } } };
    expect(search(memorySearch).defaults).toEqual({ remote: { baseUrl: "http://h", batch: { concurrency: 3 } } });
  });

  test("OpenClaw's own overlap of 100 characters is as it is here", () => {
    expect(search({ ingest: { overlap: 100 } })).toMatchObject({ defaults: {}, ignored: [] });
  });

  test("a section with very many values is named as a whole", () => {
    const store = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`key${n}`, n]));
    expect(paths(search({ store }))).toEqual(["agents.defaults.memorySearch.store"]);
  });

  test("renamed keys are the settings that they are now", () => {
    expect(search({ inputType: "q", dimensions: 512, ingest: { paths: ["a.md"], chunkSize: 900 } })).toMatchObject({
      defaults: {
        queryInputType: "q",
        documentInputType: "q",
        outputDimensionality: 512,
        facts: { ingest: { paths: ["a.md"], chunkSize: 900 } },
      },
      ignored: [],
    });
    const both = search({ inputType: "both", queryInputType: "question" });
    expect(both.defaults).toEqual({ queryInputType: "question", documentInputType: "both" });
    expect(both.ignored).toEqual([
      {
        at: "agents.defaults.memorySearch.inputType",
        why: "agents.defaults.memorySearch.queryInputType is set too and takes precedence",
      },
    ]);
  });
});

describe("the section memory", () => {
  const memory = (value: object, more: object = {}) => parseConfigFile({ memory: value, ...more });
  const qmd = (value: object) => memory({ backend: "qmd", qmd: value });

  test("what has an equal here takes effect", () => {
    const file = memory({
      backend: "qmd",
      citations: "off",
      qmd: {
        includeDefaultMemory: true,
        update: { interval: "5m", debounceMs: 15000, onBoot: true },
        sessions: { enabled: true, retentionDays: 30 },
        limits: { maxResults: 8 },
        paths: [{ path: "~/notes", pattern: "**/*.md" }, { path: "/srv/docs" }],
      },
    });
    expect(file.defaults).toEqual({
      citations: "off",
      sources: ["memory", "sessions", "facts"],
      sync: { intervalMinutes: 5, watchDebounceMs: 15000, sessions: { retentionDays: 30 } },
      query: { maxResults: 8 },
      extraPaths: [{ path: `${homedir()}/notes`, pattern: "**/*.md" }, { path: "/srv/docs" }],
    });
    expect(paths(file)).toEqual(["memory.backend"]);
  });

  test("what has none is named, leaf by leaf, with the reason", () => {
    const file = qmd({
      command: "/usr/bin/qmd",
      searchMode: "vsearch",
      includeDefaultMemory: false,
      mcporter: { enabled: true },
      update: { onBoot: false, waitForBootSync: true, embedInterval: "60m" },
      sessions: { exportDir: "~/x" },
      limits: { maxSnippetChars: 900, timeoutMs: 4000 },
      scope: { default: "deny", rules: [] },
      paths: [{ name: "docs", path: "/srv/docs" }],
    });
    expect(file.defaults).toEqual({ extraPaths: [{ path: "/srv/docs" }] });
    expect(paths(file).toSorted()).toEqual(
      [
        ...["memory.backend", "memory.qmd.command", "memory.qmd.searchMode", "memory.qmd.includeDefaultMemory"],
        ...["memory.qmd.mcporter.enabled", "memory.qmd.update.onBoot", "memory.qmd.update.waitForBootSync"],
        ...["memory.qmd.update.embedInterval", "memory.qmd.sessions.exportDir", "memory.qmd.limits.maxSnippetChars"],
        ...["memory.qmd.limits.timeoutMs", "memory.qmd.scope.default", "memory.qmd.scope.rules"],
        "memory.qmd.paths[0].name",
      ].toSorted(),
    );
  });

  test.each([
    ["5m", 5],
    ["90s", 2],
    ["10s", 1],
    ["1h30m", 90],
    ["1d", 1440],
    [" 2H ", 120],
    [15, 15],
    ["0", 0],
    ["0m", 0],
  ])("an interval of %j is %j minutes", (interval, intervalMinutes) => {
    expect(qmd({ update: { interval } }).defaults.sync).toEqual({ intervalMinutes });
  });

  test("sessions that are off are not searched", () => {
    expect(qmd({ sessions: { enabled: false } }).defaults.sources).toEqual(["memory", "facts"]);
  });

  test("settings that the file names as such are stronger, and that is said", () => {
    const value = { backend: "qmd", citations: "on", qmd: { limits: { maxResults: 8 }, update: { interval: "5m" } } };
    const memorySearch = { citations: "off", query: { maxResults: 3 } };
    const file = memory(value, { agents: { defaults: { memorySearch } } });
    expect(file.defaults).toEqual({ ...memorySearch, sync: { intervalMinutes: 5 } });
    expect(file.ignored).toContainEqual({
      at: "memory.citations",
      why: "agents.defaults.memorySearch.citations is set too and takes precedence",
    });
    expect(paths(file)).toEqual(["memory.backend", "memory.citations", "memory.qmd.limits.maxResults"]);
  });

  test("QMD's settings have no effect beside another backend, as in OpenClaw", () => {
    const file = memory({ backend: "builtin", qmd: { update: { interval: "5m" } } });
    expect(file.defaults).toEqual({});
    expect(paths(file)).toEqual(["memory.backend", "memory.qmd.update.interval"]);
  });

  test("an agent has its own", () => {
    const file = parseConfigFile({ agents: { entries: { a: { memory: { citations: "on" } } } } });
    expect(file.agents[0]?.settings).toEqual({ citations: "on" });
  });

  test.each<[object, string]>([
    [{ qmd: { update: { interval: "soon" } } }, "memory.qmd.update.interval: must be a duration"],
    [{ qmd: { update: { interval: -5 } } }, "memory.qmd.update.interval: must be a duration"],
    [{ qmd: { update: { interval: "9999d" } } }, "memory.qmd.update.interval: must be a whole number"],
    [{ qmd: { limits: { maxResults: 0 } } }, "memory.qmd.limits.maxResults: must be a whole number from 1 to 100"],
    [{ qmd: { sessions: { retentionDays: 0 } } }, "memory.qmd.sessions.retentionDays: must be"],
    [{ qmd: { sessions: { enabled: "yes" } } }, "memory.qmd.sessions.enabled: must be true or false"],
    [{ qmd: { paths: "x" } }, "memory.qmd.paths: must be a list"],
    [{ qmd: { paths: [{ pattern: "x" }] } }, "memory.qmd.paths[0].path: "],
    [{ citations: "sometimes" }, "memory.citations: must be one of auto, on, off"],
    [{ citation: "on" }, "memory.citation: unknown key"],
  ])("%j is refused by the name that it has in the file", (value, problem) => {
    expect(() => memory(value)).toThrow(AppError);
    expect(() => memory(value)).toThrow(problem);
  });
});

describe("other places of a pasted file", () => {
  test("agents.<id>.memorySearch is an agent; another key there is not", () => {
    const file = parseConfigFile({
      agents: { Support: { memorySearch: { citations: "off" }, model: "x" }, sandboxes: { a: 1 } },
    });
    expect(file.agents).toEqual([{ id: "support", name: undefined, isDefault: false, settings: { citations: "off" } }]);
    expect(paths(file).toSorted()).toEqual(["agents.Support.model", "agents.sandboxes"]);
    expect(() => parseConfigFile({ agents: { default: { memorySearch: {} } } })).toThrow("agents.default: unknown key");
    const twice = { list: [{ id: "a" }], a: { memorySearch: {} } };
    expect(() => parseConfigFile({ agents: twice })).toThrow("'a'");
  });

  test("hydeEnabled and hydeModel, wherever the documents put them", () => {
    const hyde = { hydeEnabled: true, hydeModel: "small" };
    const expected = { query: { hyde: { enabled: true, model: "small" } } };
    const plugins = { entries: { "memory-pg": { config: { search: hyde } } } };
    for (const file of [
      { search: hyde },
      { plugins },
      { memory: { search: hyde } },
      { agents: { defaults: { memorySearch: hyde } } },
      { agents: { defaults: { memorySearch: { search: hyde } } } },
    ])
      expect(parseConfigFile(file).defaults).toEqual(expected);
    expect(() => parseConfigFile({ search: { hydeEnabled: "perhaps" } })).toThrow(/search\.hydeEnabled/);
    expect(paths(parseConfigFile({ search: { ...hyde, mode: "x" } }))).toEqual(["search.mode"]);
  });

  test("ingest and store, at the top and in a memory plugin's configuration", () => {
    const ingest = { paths: ["docs/**/*.md"], chunkSize: 1000, overlap: 50 };
    const expected = { facts: { ingest: { paths: ["docs/**/*.md"], chunkSize: 1000 } } };
    const top = parseConfigFile({ ingest, store: { fuzzyDedupe: true, classifyBeforeWrite: true } });
    expect(top.defaults).toEqual(expected);
    expect(paths(top).toSorted()).toEqual(["ingest.overlap", "store.classifyBeforeWrite"]);
    const config = { ingest: { ...ingest, enabled: true }, autoCapture: true, embedding: { apiKey: "sk-secret" } };
    const entries = { "openclaw-hybrid-memory": { enabled: true, config }, other: { config: { token: "t" } } };
    const plugin = parseConfigFile({ plugins: { slots: { memory: "openclaw-hybrid-memory" }, entries } });
    expect(plugin.defaults).toEqual(expected);
    const at = "plugins.entries.openclaw-hybrid-memory";
    expect(paths(plugin).toSorted()).toEqual(
      [
        ...[`${at}.config.autoCapture`, `${at}.config.embedding`, `${at}.config.ingest.enabled`, `${at}.enabled`],
        ...[`${at}.config.ingest.overlap`, "plugins.entries.other", "plugins.slots"],
      ].toSorted(),
    );
    expect(JSON.stringify(plugin.ignored)).not.toContain("sk-secret");
  });

  test("folders below the home folder", () => {
    const { defaults, extraPathRoots } = parseConfigFile({
      memory: { search: { extraPaths: ["~/notes", { path: "~", pattern: "*.md" }], local: { modelPath: "~/m.gguf" } } },
      extraPathRoots: ["~/", "~/notes"],
    });
    expect(defaults).toEqual({
      extraPaths: [`${homedir()}/notes`, { path: homedir(), pattern: "*.md" }],
      local: { modelPath: `${homedir()}/m.gguf` },
    });
    expect(extraPathRoots).toEqual([homedir(), `${homedir()}/notes`]);
  });
});
