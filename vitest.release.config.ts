import { defineConfig } from "vitest/config";

/** What is published, as its users have it: slow, and the same whatever database the suite runs on, so it runs once. */
export default defineConfig({
  test: {
    include: ["test/release/*.test.ts"],
    reporters: ["default", "./test/support/reporter.ts"],
    pool: "forks",
    maxWorkers: 1,
    testTimeout: 120_000,
    hookTimeout: 600_000,
  },
});
