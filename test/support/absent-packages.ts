import { existsSync } from "node:fs";
import { matchesGlob, relative } from "node:path";
import type { Plugin } from "vitest/config";
import { NEEDS_FRAMEWORKS } from "./suites.ts";

const FOLDER = "test/adapters";

/**
 * Replaces the test files that import the frameworks of `test/adapters` by a skipped test with the
 * reason, while the frameworks are not installed. Such a file cannot skip its tests itself, because
 * its imports fail first.
 */
export function skipAbsentPackages(): Plugin {
  return {
    name: "skip absent packages",
    enforce: "pre",
    load(id) {
      const path = relative(process.cwd(), id).replaceAll("\\", "/");
      if (existsSync(`${FOLDER}/node_modules`) || !NEEDS_FRAMEWORKS.some((glob) => matchesGlob(path, glob))) return;
      return `import { test } from "vitest";
        import { needsPackagesOf } from "/test/support/needs.ts";
        test("its framework", needsPackagesOf("${FOLDER}"), () => {});`;
    },
  };
}
