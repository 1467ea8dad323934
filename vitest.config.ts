import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { skipAbsentPackages } from "./test/support/absent-packages.ts";
import { LongFirst } from "./test/support/long-first.ts";
import {
  ALONE,
  CORE_PATH,
  NOT_PURE,
  ON_BOTH,
  PACKAGES,
  PURE,
  PURE_WITH_DATABASE,
  RELEASE,
  SLOW,
  SLOW_PURE,
} from "./test/support/suites.ts";

/**
 * Whether a test that gives the same result in another run of CI is left out. CI runs `npm test`,
 * then the suite on Postgres, then on PGlite the tests that depend on the database.
 */
const isOnce = process.env.RECOLLECT_TEST_ONCE === "true";
const isOnceOnPglite = isOnce && process.env.RECOLLECT_TEST_DB === "pglite";

/**
 * Test files share a process and the modules that it has loaded. A process for each file took half
 * of the processor time.
 */
export const SHARED = { isolate: false };

export const NEEDS_COMMAND = { globalSetup: ["test/support/build-command.ts"] };

export const NEEDS_DATABASE = {
  globalSetup: [...NEEDS_COMMAND.globalSetup, "test/support/build-files.ts", "test/support/global-setup.ts"],
};

/** The settings of all projects. */
export const COMMON = {
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
};

export default defineConfig({
  plugins: [skipAbsentPackages()],
  test: {
    ...COMMON,
    projects: [
      {
        extends: true,
        test: {
          name: "pure",
          include: isOnce ? SLOW_PURE : PURE,
          exclude: [...PACKAGES, ...PURE_WITH_DATABASE, ...SLOW.docs],
          ...SHARED,
          ...NEEDS_COMMAND,
        },
      },
      {
        extends: true,
        test: {
          name: "database",
          include: isOnceOnPglite ? ON_BOTH : ["test/**/*.test.ts"],
          exclude: [
            ...PACKAGES,
            ...NOT_PURE,
            ...RELEASE,
            ...ALONE,
            ...Object.values(SLOW).flat(),
            ...(isOnceOnPglite ? CORE_PATH : []),
          ],
          ...SHARED,
          ...NEEDS_DATABASE,
        },
      },
      ...Object.entries(SLOW).map(([name, include]) => ({
        extends: true as const,
        // The commands of documents and hosts make databases of their own.
        test: { name, include, ...SHARED, ...(name === "docs" || name === "hosts" ? NEEDS_COMMAND : NEEDS_DATABASE) },
      })),
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
  },
});
