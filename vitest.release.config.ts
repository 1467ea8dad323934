import { defineConfig } from "vitest/config";

/**
 * The tests of the published package as its users have it. They are slow and do not depend on the
 * database of the run, so they run once.
 */
export default defineConfig({
  test: {
    include: ["test/release/*.test.ts"],
    reporters: ["default", "./test/support/reporter.ts"],
    globalSetup: ["test/support/build-command.ts"],
    pool: "forks",
    maxWorkers: 1,
    testTimeout: 120_000,
    hookTimeout: 600_000,
  },
});
