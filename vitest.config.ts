import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { LongFirst } from "./test/support/long-first.ts";

/**
 * The tests that do not need the run's database. In these folders, a test file that needs it is
 * named `*.database.test.ts`.
 */
const PURE = "test/{agents,architecture,base,cli,config,docs,embeddings,ingest,models,onnx,search,start}/**";
/** The release tests, which have a configuration of their own: `npm run test:release`. */
const RELEASE = "test/release/**";

/**
 * The tests that CI runs only once, although it runs the suite on Postgres and then on PGlite.
 * Tests that speak HTTP to the service, tests of a model's results, and tests with processes that
 * make an embedded database of their own give the same result on both, and take minutes.
 */
const ONCE =
  process.env.CI && process.env.RECOLLECT_TEST_DB === "pglite"
    ? ["test/{adapters,client,console,scenarios}/**", "test/acceptance/keys.test.ts"]
    : [];

/**
 * The tests that have a process each and run after the others. One of them compares times; the
 * others read state that OpenTelemetry keeps per process.
 */
const ALONE = ["test/acceptance/hostile-load.test.ts", "test/observe/*.test.ts"];

/**
 * Test files share a process and the modules that it has loaded. A process for each file took half
 * of the processor time.
 */
const SHARED = { isolate: false };

const NEEDS_DATABASE = { globalSetup: ["test/support/build-files.ts", "test/support/global-setup.ts"] };

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: "pure",
          include: [`${PURE}/*.test.ts`],
          exclude: [`${PURE}/*.database.test.ts`],
          ...SHARED,
        },
      },
      {
        extends: true,
        test: {
          name: "database",
          include: ["test/**/*.test.ts"],
          exclude: [`${PURE}/!(*.database).test.ts`, RELEASE, ...ALONE, ...ONCE],
          ...SHARED,
          ...NEEDS_DATABASE,
        },
      },
      {
        extends: true,
        test: {
          name: "alone",
          include: ALONE,
          ...NEEDS_DATABASE,
          sequence: { groupOrder: 1 },
          maxWorkers: 1,
        },
      },
    ],
    reporters: ["default", "./test/support/reporter.ts"],
    pool: "forks",
    // src/db/pglite-thread.ts explains this flag. Node's own type stripping also uses WebAssembly,
    // in each thread.
    execArgv: ["--no-wasm-code-gc"],
    sequence: { sequencer: LongFirst },
    // Many tests wait for processes and clocks. Vitest's default on two cores, one file at a time,
    // took twice as long. With three files, two cores are idle for a twentieth of the time.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    // Beside four busy processes, a test takes ten times as long. Each wait in a test has a limit
    // of its own, whose error names the awaited event.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 240_000 } },
  },
});
