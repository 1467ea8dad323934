import { expect, test } from "vitest";
import { parseConfigFile } from "../../src/settings/config-file.ts";
import { NOT_ABOUT_MEMORY } from "../../src/settings/ignored.ts";
import { resolveSettings } from "../../src/settings/settings.ts";

/**
 * A configuration as a user pastes it: every kind of section of OpenClaw's own schema, only a few
 * of them about memory.
 */
const OPENCLAW = {
  $schema: "https://openclaw.ai/config.json",
  meta: { lastTouchedVersion: "2026.2.9", lastTouchedAt: "2026-02-09T10:00:00.000Z" },
  env: { shellEnv: { enabled: true }, vars: { GROQ_API_KEY: "x" } },
  wizard: { lastRunMode: "local" },
  diagnostics: { enabled: false },
  logging: { level: "info", consoleStyle: "pretty" },
  update: { channel: "stable" },
  browser: { enabled: true, headless: true },
  ui: { seamColor: "#ff4500" },
  auth: { profiles: { "anthropic:default": { provider: "anthropic", mode: "api_key" } } },
  acp: { enabled: false },
  models: { mode: "merge", providers: { local: { baseUrl: "http://127.0.0.1:1234/v1", models: [] } } },
  nodeHost: { browserProxy: { enabled: false } },
  tools: { profile: "coding", deny: ["browser"], web: { search: { enabled: true } } },
  broadcast: { strategy: "parallel" },
  audio: { transcription: { command: ["whisper"] } },
  media: { preserveFilenames: true },
  messages: { ackReaction: "👀", groupChat: { mentionPatterns: ["@claw"] } },
  commands: { native: "auto" },
  approvals: { exec: { enabled: true } },
  session: { scope: "per-sender", reset: { mode: "daily", atHour: 4 } },
  cron: { enabled: true },
  hooks: { enabled: false },
  web: { enabled: true },
  channels: {
    whatsapp: { allowFrom: ["+15550001"], groups: { "*": { requireMention: true } } },
    telegram: { accounts: { default: { botToken: "1:a" }, alerts: { botToken: "2:b" } } },
    discord: { token: "d", guilds: { "123": { requireMention: false } } },
  },
  discovery: { mdns: { mode: "minimal" } },
  canvasHost: { enabled: true },
  talk: { provider: "elevenlabs" },
  gateway: { mode: "local", port: 18789, bind: "loopback", auth: { mode: "token", token: "t" } },
  mcp: { servers: { docs: { command: "npx", args: ["docs"] } } },
  skills: { entries: { peekaboo: { enabled: true } } },
  plugins: { slots: { memory: "memory-core" } },
  secrets: { providers: {} },
  memory: { backend: "builtin", qmd: { command: "qmd" } },
  agents: {
    defaults: {
      model: { primary: "anthropic/claude-sonnet-4-5", fallbacks: ["openai/gpt-5.2"] },
      models: { "anthropic/claude-sonnet-4-5": { alias: "sonnet" } },
      workspace: "~/.openclaw/workspace",
      userTimezone: "Europe/Berlin",
      contextTokens: 200000,
      contextPruning: { mode: "cache-ttl" },
      compaction: { mode: "safeguard", memoryFlush: { enabled: true } },
      heartbeat: { every: "30m" },
      sandbox: { mode: "non-main" },
      subagents: { maxConcurrent: 4 },
      maxConcurrent: 4,
      memorySearch: {
        provider: "openai",
        model: "text-embedding-3-small",
        remote: { apiKey: "sk-test", headers: { "X-Team": "a" }, batch: { enabled: true, concurrency: 4 } },
        sync: { watch: true, sessions: { deltaBytes: 50000 } },
        query: { maxResults: 8, hybrid: { vectorWeight: 0.6, textWeight: 0.4, mmr: { enabled: true } } },
        cache: { enabled: true, maxEntries: 10000 },
        store: { driver: "sqlite", path: "~/.openclaw/memory/{agentId}.sqlite", vector: { enabled: true } },
        experimental: { sessionMemory: true },
      },
    },
    list: [
      {
        id: "Home",
        default: true,
        name: "Home",
        workspace: "~/.openclaw/workspace-home",
        agentDir: "~/.openclaw/agents/home/agent",
        model: "anthropic/claude-haiku-4-5",
        identity: { name: "Claw", emoji: "🦞" },
        groupChat: { mentionPatterns: ["@claw"] },
        humanDelay: { mode: "natural" },
        skills: ["peekaboo"],
      },
      {
        id: "work",
        workspace: "~/.openclaw/workspace-work",
        tools: { allow: ["read"] },
        subagents: { allowAgents: ["*"] },
        sandbox: { mode: "all" },
        params: { temperature: 0 },
        memorySearch: { sources: ["memory", "sessions"], extraPaths: ["../team-docs"], query: { minScore: 0.2 } },
      },
    ],
  },
  bindings: [
    { agentId: "Home", match: { channel: "whatsapp", accountId: "personal" } },
    { agentId: "work", match: { channel: "whatsapp", peer: { kind: "group", id: "1203630@g.us" } } },
    { agentId: "work", match: { channel: "discord", guildId: "123", roles: ["mod"] } },
    { agentId: "work", match: { channel: "telegram", accountId: "*" } },
  ],
};

const pasted = JSON.parse(JSON.stringify(OPENCLAW)) as typeof OPENCLAW;
const file = parseConfigFile(pasted);

test("its agents and their settings are ours", () => {
  expect(file.agents.map(({ id, name, isDefault }) => [id, name, isDefault])).toEqual([
    ["home", "Home", true],
    ["work", undefined, false],
  ]);
  const { memorySearch } = OPENCLAW.agents.defaults;
  const { store: _store, experimental: _experimental, ...ours } = memorySearch;
  expect(file.defaults).toEqual(ours);
});

test("its settings take effect", () => {
  const work = file.agents[1]?.settings ?? {};
  const { settings, origins } = resolveSettings([
    { origin: "defaults", settings: file.defaults },
    { origin: "agent", settings: work },
  ]);
  expect(settings.query).toMatchObject({ maxResults: 8, minScore: 0.2 });
  expect(settings).toMatchObject({ extraPaths: ["../team-docs"], chunking: { tokens: 400, overlap: 80 } });
  expect(origins).toMatchObject({ "query.maxResults": "defaults", "query.minScore": "agent", sources: "agent" });
});

test("its bindings are kept, except the one about a guild", () => {
  expect(file.bindings).toEqual([
    { agentId: "home", match: { channel: "whatsapp", accountId: "personal" } },
    { agentId: "work", match: { channel: "whatsapp", peer: { kind: "group", id: "1203630@g.us" } } },
    { agentId: "work", match: { channel: "telegram", accountId: "*" } },
  ]);
});

test("all the rest is named, key by key, and nothing of ours is among it", () => {
  const { agents: _agents, bindings: _bindings, memory: _memory, ...sections } = OPENCLAW;
  const { memorySearch: _memorySearch, ...defaults } = OPENCLAW.agents.defaults;
  const [home, work] = OPENCLAW.agents.list;
  const foreign = (entry: object | undefined, index: number) =>
    Object.keys(entry ?? {})
      .filter((key) => !["id", "name", "default", "memorySearch"].includes(key))
      .map((key) => `agents.list[${index}].${key}`);
  expect(file.ignored.map(({ at }) => at).toSorted()).toEqual(
    [
      ...Object.keys(sections).filter((name) => name !== "plugins"),
      "plugins.slots",
      ...Object.keys(defaults).map((key) => `agents.defaults.${key}`),
      ...foreign(home, 0),
      ...foreign(work, 1),
      "agents.defaults.memorySearch.store.driver",
      "agents.defaults.memorySearch.store.path",
      "agents.defaults.memorySearch.store.vector.enabled",
      "agents.defaults.memorySearch.experimental.sessionMemory",
      "memory.backend",
      "memory.qmd.command",
      "bindings[2].match.guildId",
    ].toSorted(),
  );
});

test("each of it has a reason, and what is not about memory is told apart from what is", () => {
  const why = (path: string) => file.ignored.find(({ at }) => at === path)?.why;
  expect(file.ignored.every((one) => one.why.length > 10)).toBe(true);
  expect(why("gateway")).toBe(NOT_ABOUT_MEMORY);
  expect(why("agents.list[1].sandbox")).toBe(NOT_ABOUT_MEMORY);
  expect(why("agents.defaults.workspace")).toContain("recollect sync");
  expect(why("agents.defaults.memorySearch.store.path")).toContain("Postgres");
  expect(why("memory.qmd.command")).toBe("memory.backend is not qmd");
});

test("no secret of it appears among what is ignored", () => {
  expect(JSON.stringify(file.ignored)).not.toMatch(/sk-test|1:a|botToken/);
});
