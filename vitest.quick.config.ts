import { defineConfig } from "vitest/config";
import { CORE_PATH, PACKAGES, PURE, PURE_WITH_DATABASE, SLOW, SLOW_PURE } from "./test/support/suites.ts";
import { COMMON, NEEDS_COMMAND, NEEDS_DATABASE, SHARED } from "./vitest.config.ts";

/**
 * `npm test`: the pure tests, and one path through every part of the core on the embedded database.
 * It needs no Docker, and is meant to take less than three minutes on two cores.
 */
export default defineConfig({
  test: {
    ...COMMON,
    projects: [
      {
        extends: true,
        test: {
          name: "pure",
          include: PURE,
          exclude: [...PACKAGES, ...PURE_WITH_DATABASE, ...SLOW.docs, ...SLOW_PURE],
          ...SHARED,
          ...NEEDS_COMMAND,
        },
      },
      {
        extends: true,
        test: { name: "core", include: CORE_PATH, ...SHARED, ...NEEDS_DATABASE },
      },
    ],
    reporters: [
      "default",
      [
        "./test/support/reporter.ts",
        {
          note:
            "This was the quick run. `npm run test:full` runs the whole suite on Postgres 17 in Docker,\n" +
            "`npx vitest run test/<folder>` a part of it. AGENTS.md lists the parts and their minutes.",
        },
      ],
    ],
  },
});
