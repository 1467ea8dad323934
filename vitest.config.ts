import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { LongFirst } from "./test/support/long-first.ts";

/** Tests that need no database of the run. In these folders a file that does need one is a `*.database.test.ts`. */
const PURE = "test/{agents,architecture,base,cli,config,docs,embeddings,ingest,models,onnx,search,start}/**";
/** They have a configuration of their own: `npm run test:release`. */
const RELEASE = "test/release/**";

/**
 * CI runs the suite on Postgres and then on PGlite. What speaks HTTP to the service, what a model finds, and processes that make an
 * embedded database of their own are the same on both, and take minutes: once.
 */
const ONCE =
  process.env.CI && process.env.RECOLLECT_TEST_DB === "pglite"
    ? ["test/{adapters,client,console,scenarios}/**", "test/acceptance/keys.test.ts"]
    : [];

/** They have a process each and run after the others: one compares times, the others read what OpenTelemetry keeps for a process. */
const ALONE = ["test/acceptance/hostile-load.test.ts", "test/observe/*.test.ts"];

/** A file shares its process and what it has loaded with those before it: a process for each took half of the processor time. */
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
    // See src/db/pglite-thread.ts. Node's own removal of types is WebAssembly too, in each thread.
    execArgv: ["--no-wasm-code-gc"],
    sequence: { sequencer: LongFirst },
    // Many tests wait for processes and clocks: one file at a time, vitest's default on two cores, took twice as long. With three files
    // two cores are idle for a twentieth of the time.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    // Beside four busy processes a test takes ten times as long. What is waited for has a limit of its own, with its name.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 240_000 } },
  },
});
