/**
 * The parts of the suite. `vitest.config.ts` has all of them, `vitest.quick.config.ts` those that
 * `npm test` runs.
 */

/**
 * The tests that do not need the run's database. In these folders, a test file that needs it is
 * named `*.database.test.ts`.
 */
const PURE_FOLDERS =
  "test/{architecture,base,cli,config,docs,embeddings,features/capture/reading,features/documents/formats,ingest,models,onnx,relevance,settings,start}/**";

export const PURE = [`${PURE_FOLDERS}/*.test.ts`];
export const PURE_WITH_DATABASE = [`${PURE_FOLDERS}/*.database.test.ts`];
export const NOT_PURE = [`${PURE_FOLDERS}/!(*.database).test.ts`];

/** The tests of other programs' packages, which some folders of tests install. */
export const PACKAGES = ["**/node_modules/**"];

/** The tests that import frameworks, which `npm run packages test/adapters` installs. */
export const NEEDS_FRAMEWORKS = [
  "test/adapters/{ai-sdk,langchain,mastra,openai-agents,scopes}.test.ts",
  "test/features/sharing/shares-names.test.ts",
];

/** The release tests, which have a configuration of their own: `npm run test:release`. */
export const RELEASE = ["test/release/**"];

/** The slow suites, each with its name as a vitest project. AGENTS.md lists their minutes. */
export const SLOW = {
  /** Kills of processes, restarts of Postgres, full disks. */
  crash: [
    "test/acceptance/{crash,crash-postgres,full-disk,rolling-restart,upgrade}.test.ts",
    "test/features/fact-ingest/crash-ingest.test.ts",
    "test/db/pglite-full-disk.test.ts",
  ],
  /** Realistic weeks, whose questions have bounds. */
  scenarios: ["test/scenarios/**/*.test.ts"],
  /** The console in a browser. */
  console: ["test/console/**/*.test.ts"],
  /** The programs that use Recollect, against a scripted model. `npm ci --prefix test/hosts` installs them. */
  hosts: ["test/hosts/*.test.ts"],
  /** The code blocks of the documents, run from top to bottom. */
  docs: ["test/docs/{code-blocks,recipes}.test.ts"],
};

/**
 * The tests that have a process each and run after the others. One of them compares times; the
 * others read state that OpenTelemetry keeps per process.
 */
export const ALONE = ["test/acceptance/hostile-load.test.ts", "test/observe/*.test.ts"];

/**
 * Pure tests that `npm test` leaves out, because each takes more than ten seconds: watched folders
 * and processes, the built-in models, hostile texts, a provider's faults.
 */
export const SLOW_PURE = [
  "test/cli/{log-lines,watch,watch-outage}.test.ts",
  "test/embeddings/{builtin,builtin-start,builtin-order,provider-faults}.test.ts",
  "test/{ingest/chunk-markdown.hostile,features/capture/reading/hostile}.test.ts",
  "test/onnx/{model-table,tiny-models}.test.ts",
];

/** One path through every part of the core: the tests with a database that `npm test` runs. */
export const CORE_PATH = [
  // The database: both schemas, the isolation of agents, keywords, the embedded database.
  "test/migrations/{agent,control}.test.ts",
  "test/db/{isolation,isolation-erase,keyword-compounds,pglite,vector-codec}.test.ts",
  // The queue and the jobs of the index.
  "test/queue/{queue,pg-boss-sql}.test.ts",
  "test/service/maintain-index.test.ts",
  // Files, searches, facts and conversations of an agent.
  "test/service/{search,search-hits,memory-get,list-folder,facts,session-path-filter}.test.ts",
  // History.
  "test/service/as-of.test.ts",
  // The core without its features.
  "test/features/switched-off.test.ts",
  // The edges: HTTP, MCP, commands, a program over the client.
  "test/http/{keys,openapi,search-route}.test.ts",
  "test/mcp/{mcp-access,mcp-facts}.test.ts",
  "test/cli/{admin-agents,own-agent}.database.test.ts",
  "test/examples/agent-loop.test.ts",
];

/**
 * The tests that CI runs on both databases: their subject is SQL, transactions or sessions. The
 * others give the same result on both. `npm run test:pglite` runs them all.
 */
export const ON_BOTH = [
  "test/{db,migrations,queue}/*.test.ts",
  "test/service/{append-index,appends-together,chunk-borders,erase,fact-index,facts,fleet}.test.ts",
  "test/service/{group-commit-writes,history-model,jobs,maintain-index,reindex,session-index}.test.ts",
  "test/service/{session-retention,session-search,sessions,spare-spaces,vector-index}.test.ts",
  "test/service/{languages,deleted-hits,fact-scopes}.test.ts",
  "test/http/database-states.test.ts",
  "test/features/{archives/archive,branches/branch,branches/branch-security,branches/merge,snapshots/rollback}.test.ts",
  "test/features/sharing/{shares,shares-security}.test.ts",
];
