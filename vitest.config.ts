import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // They have a configuration of their own: `npm run test:release`.
    exclude: ["test/release/**"],
    globalSetup: ["test/support/global-setup.ts"],
    reporters: ["default", "./test/support/reporter.ts"],
    pool: "forks",
    // Many tests wait for processes and clocks: one file at a time, vitest's default on two cores, took twice as long.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
