import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ICruiseOptions, ICruiseResult, IForbiddenRuleType } from "dependency-cruiser";
import { describe, expect, test } from "vitest";
import { FEATURES } from "../../src/features.ts";
import { needsPackagesOf } from "../support/needs.ts";

/**
 * Folders by rank. A folder must not import from higher ranks or from other folders of its rank.
 */
const RANKS = [
  ["base"],
  ["observe"],
  ["config"],
  ["onnx"],
  ["db", "embeddings", "models", "queue"],
  ["relevance", "ingest", "settings"],
  ["service"],
  ["http", "mcp", "jobs"],
  ["client"],
  ["adapters", "cli"],
  ["wiring"],
  ["features"],
  ["start"],
];

/**
 * Rooms of `service`. Each may import from itself and from those before it. Only the last rooms and
 * the edges may import `deps.ts`, which names everything that they need.
 */
const ROOMS = [
  ...["core", "embedding", "agent", "files", "facts", "sessions", "history", "search", "indexing"],
  ...["tools", "admin"],
];
const ROOMS_BEFORE_DEPS = ROOMS.slice(0, ROOMS.indexOf("tools"));
/** The rooms of `relevance`, with the same rule. */
const RELEVANCE_ROOMS = ["words", "snippets", "ranking", "measures"];

/** The rooms of `db/agent`, with the same rule. */
const AGENT_ROOMS = ["schema", "files", "sessions", "facts", "history", "keyword", "chunks", "segments", "candidates"];

/** The list of the features. */
const LIST = "^src/features[.]ts$";

/** Adapters. Each may import its framework and `shared`, and no other adapter. */
const ADAPTERS = ["ai-sdk", "langchain", "mastra", "openai-agents"];

/** Packages with one owning folder, so that replacing one touches one folder. */
const OWNERS: Record<string, string> = {
  hono: "(http|features)",
  "@hono/[^/]+": "(http|features)",
  "@modelcontextprotocol/[^/]+": "mcp",
  commander: "(cli|features)",
  chokidar: "cli",
  "@streamparser/[^/]+": "cli",
  yauzl: "features/imports",
  "cli-progress": "cli",
  pg: "db",
  pgvector: "(db|features)",
  "drizzle-orm": "(db|features)",
  "@electric-sql/[^/]+": "db",
  "pg-boss": "queue",
  pino: "base",
  "prom-client": "observe",
  "@opentelemetry/[^/]+": "observe",
  openai: "(embeddings|models)",
  "@google/[^/]+": "base",
  "onnxruntime-[^/]+": "onnx",
  "markdown-it": "ingest",
  unpdf: "features/documents",
  mammoth: "features/documents",
  htmlparser2: "features/documents",
  fflate: "features/documents",
  "eventsource-parser": "client",
  ai: "adapters/ai-sdk",
  "@langchain/[^/]+": "adapters/langchain",
  "@openai/[^/]+": "adapters/openai-agents",
  "@mastra/[^/]+": "adapters/mastra",
  testcontainers: "start",
  "@testcontainers/[^/]+": "start",
};

const rule = (name: string, from: object, to: object): IForbiddenRuleType =>
  ({ name, severity: "error", from, to }) as IForbiddenRuleType;

/**
 * Makes the rules by which each room of a folder imports only from itself and the rooms before it.
 */
const inOrder = (folder: string, rooms: readonly string[]) =>
  rooms
    .slice(0, -1)
    .map((room, place) =>
      rule(
        `${folder}-${room}-only-before`,
        { path: `^src/${folder}/${room}/` },
        { path: `^src/${folder}/(${rooms.slice(place + 1).join("|")})/` },
      ),
    );

const forbidden: IForbiddenRuleType[] = [
  ...RANKS.flatMap((folders, rank) =>
    folders.map((folder) =>
      rule(
        `${folder}-only-below`,
        { path: `^src/${folder}/` },
        { path: "^src/", pathNot: `^src/(${[folder, ...RANKS.slice(0, rank).flat()].join("|")})/|${LIST}` },
      ),
    ),
  ),
  ...inOrder("service", ROOMS),
  ...inOrder("relevance", RELEVANCE_ROOMS),
  ...inOrder("db/agent", AGENT_ROOMS),
  rule(
    "segments-by-their-door",
    { path: "^src/", pathNot: "^src/db/agent/segments/" },
    { path: "^src/db/agent/segments/", pathNot: "/segments[.]ts$" },
  ),
  rule("deps-by-part", { path: `^src/service/(${ROOMS_BEFORE_DEPS.join("|")})/` }, { path: "^src/service/deps[.]ts$" }),
  rule("no-cycles", { path: "^src/" }, { circular: true }),
  rule(
    "edges-use-service",
    { path: "^src/(http|mcp|cli)/" },
    { path: "^src/(db|embeddings|models|queue|relevance|ingest|settings)/" },
  ),
  rule("jobs-use-service", { path: "^src/jobs/" }, { path: "^src/(db|embeddings|models|relevance|ingest|settings)/" }),
  rule(
    "config-is-passed",
    { path: "^src/", pathNot: "^src/(config|start|wiring|features)/" },
    { path: "^src/config/", dependencyTypesNot: ["type-only"] },
  ),
  // The client is a separate package that runs in browsers: it must not even import types of the
  // server.
  rule("client-stands-alone", { path: "^src/client/" }, { pathNot: "^(src/client/|node_modules/eventsource-parser/)" }),
  // Adapters run where their users' agents run, with the user's copy of the client. The one
  // excepted file has no imports.
  rule(
    "adapters-know-the-clients-types",
    { path: "^src/adapters/" },
    {
      path: "^src/",
      pathNot: "^src/(adapters/|relevance/snippets/memory-block[.]ts$)",
      dependencyTypesNot: ["type-only"],
    },
  ),
  ...ADAPTERS.map((adapter) =>
    rule(
      `${adapter}-alone`,
      { path: `^src/adapters/${adapter}/` },
      { path: "^src/adapters/", pathNot: `^src/adapters/(${adapter}|shared)/` },
    ),
  ),
  // A feature can be deleted: no other module depends on it, and it says which features it needs.
  rule(
    "features-by-their-list",
    { path: "^src/", pathNot: `^src/features/|${LIST}` },
    { path: "^src/features/(?!feature[.]ts$)" },
  ),
  rule("list-of-features-only-in-start", { path: "^src/", pathNot: "^src/start/" }, { path: LIST }),
  ...FEATURES.map(({ name, requires = [] }) =>
    rule(
      `feature-${name}-alone`,
      { path: `^src/features/${name}/` },
      { path: "^src/features/", pathNot: `^src/features/(feature[.]ts$|(${[name, ...requires].join("|")})/)` },
    ),
  ),
  rule("src-not-test", { path: "^src/" }, { path: "^(test|bench)/", pathNot: "/node_modules/" }),
  ...Object.entries(OWNERS).map(([name, folder]) =>
    rule(
      `${name}-only-in-${folder}`,
      { path: "^src/", pathNot: `^src/${folder}/` },
      { path: `node_modules/${name}(/|$)` },
    ),
  ),
];

const sources = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name) && !name.includes("node_modules"))
    .map((name) => join(folder, name).replaceAll("\\", "/"));

/** The reader of imports is a package of this folder. */
const CRUISER = needsPackagesOf("test/architecture");

async function cruise(files: string[], options: ICruiseOptions): Promise<ICruiseResult> {
  const cruiser = await import("dependency-cruiser");
  const { output } = await cruiser.cruise(files, { validate: true, parser: "swc", ...options });
  return output as ICruiseResult;
}

describe("architecture", () => {
  test("imports keep to the ranks, edges go through service, packages have one owner, no cycles", CRUISER, async () => {
    const result = await cruise(["src"], {
      ruleSet: { forbidden },
      doNotFollow: { path: "node_modules" },
      tsPreCompilationDeps: true,
      tsConfig: { fileName: "tsconfig.json" },
    });
    expect(result.summary.totalDependenciesCruised).toBeGreaterThan(100);
    expect(
      result.summary.violations.map((violation) => `${violation.rule.name}: ${violation.from} -> ${violation.to}`),
    ).toEqual([]);
  });

  test("the console's files import each other without a circle", CRUISER, async () => {
    const result = await cruise(["console/src"], {
      ruleSet: { forbidden: [rule("no-cycles", {}, { circular: true })] },
      doNotFollow: { path: "node_modules" },
      tsPreCompilationDeps: true,
      tsConfig: { fileName: "console/tsconfig.json" },
    });
    expect(result.summary.totalDependenciesCruised).toBeGreaterThan(100);
    expect(result.summary.violations.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
  });

  test("a planted breach is reported, so that an empty result means something", CRUISER, async () => {
    const result = await cruise(["test/architecture/fixture"], {
      ruleSet: { forbidden: [rule("planted", { path: "fixture/low" }, { path: "fixture/high" })] },
      tsPreCompilationDeps: true,
    });
    expect(result.summary.violations.map((violation) => violation.rule.name)).toEqual(["planted"]);
  });

  test("the console imports its own files, the client, and packages", () => {
    const imported = sources("console/src").flatMap((file) =>
      [...readFileSync(file, "utf8").matchAll(/from "([^"]+)"/g)].map(([, name = ""]) => ({ file, name })),
    );
    expect(imported.length).toBeGreaterThan(100);
    const outside = imported.filter(({ file, name }) =>
      name.startsWith(".")
        ? !join(dirname(file), name).startsWith("console/src/")
        : name.startsWith("recollect") && name !== "recollect/client",
    );
    expect(outside.map(({ file, name }) => `${file}: ${name}`)).toEqual([]);
    // The frame and the pages use the kit; the kit must not import pages.
    const upward = imported.filter(
      ({ file, name }) => /^console\/src\/(ui|lib)\//.test(file) && /\/pages\//.test(name),
    );
    expect(upward).toEqual([]);
  });

  test("process.env is read only in config, SQL stands only in db, modules are never mocked", () => {
    const matching = (files: string[], pattern: RegExp) =>
      files.filter((file) => pattern.test(readFileSync(file, "utf8")));
    const outside = (folder: string) => sources("src").filter((file) => !file.startsWith(`src/${folder}/`));
    // This file sets a variable that a library reads, for the library only.
    expect(matching(outside("config"), /process\.env/)).toEqual(["src/onnx/no-telemetry.ts"]);
    const sql = /[`"'](SELECT|INSERT INTO|UPDATE|DELETE FROM|CREATE (TABLE|INDEX|SCHEMA|ROLE)|ALTER TABLE|GRANT)\s/;
    // The files of the queue use pg-boss's table.
    const excepted = ["src/queue/pg-boss-health.ts", "src/queue/pg-boss-sql.ts"];
    const ofFeature = /^src\/features\/[^/]+\/sql(\/|[.]ts$)/;
    const allowed = (file: string) => excepted.includes(file) || ofFeature.test(file);
    expect(matching(outside("db"), sql).filter((file) => !allowed(file))).toEqual([]);
    const mocking = new RegExp(["vi", "(mock|doMock|hoisted)\\("].join("\\."));
    expect(matching(sources("test"), mocking)).toEqual([]);
  });

  test("every folder of features is in the list, and features that are required come first", () => {
    const folders = readdirSync("src/features", { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(folders.map(({ name }) => name).sort()).toEqual(FEATURES.map(({ name }) => name).sort());
    const earlier = new Set<string>();
    for (const { name, requires = [] } of FEATURES) {
      expect(requires.filter((required) => !earlier.has(required))).toEqual([]);
      earlier.add(name);
    }
  });

  test("the architecture's page has a line for each feature", () => {
    const page = readFileSync("docs/ARCHITECTURE.md", "utf8");
    const table = page.slice(page.indexOf("### The features"));
    const lines = [...table.slice(0, table.indexOf("\n## ")).matchAll(/^\| `([\w-]+)` \|/gm)];
    expect(lines.map(([, name]) => name)).toEqual(FEATURES.map(({ name }) => name));
  });

  test("migrations are numbered without a gap", () => {
    const names = readdirSync("migrations").sort();
    expect(names.map((name) => name.slice(0, 4))).toEqual(names.map((_, index) => String(index + 1).padStart(4, "0")));
  });
});
