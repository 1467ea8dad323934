import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { inject, type TestOptions } from "vitest";

declare module "vitest" {
  interface TaskMeta {
    /** Why a test is skipped: the end of the run says it. */
    skipped?: string;
  }
}

const ON_POSTGRES = inject("serverUrl") !== undefined;

/** Options of a test or a suite that is skipped on PGlite. @param why what PGlite lacks, and what tests it there if anything does */
export function needsPostgres(why: string): TestOptions {
  return ON_POSTGRES ? {} : skipped(`needs Postgres: ${why}`);
}

/** Options of a test or a suite that starts containers. With TEST_DATABASE_URL there may be no Docker. */
export function needsDocker(why: string): TestOptions {
  if (ON_POSTGRES && process.env.TEST_DATABASE_URL === undefined) return {};
  return skipped(`needs Docker: ${why}`);
}

/** Options of a suite that needs a Citus cluster: TEST_CITUS_URL is a superuser in a database of its coordinator. */
export function needsCluster(): TestOptions {
  return process.env.TEST_CITUS_URL ? {} : skipped("needs a Citus cluster: name one in TEST_CITUS_URL");
}

/** Options of a suite that kills servers of the cluster: TEST_CITUS_NODE_COMMAND is given a word of control-node.ts and the host as the others know it. */
export function needsNodeControl(): TestOptions {
  if (process.env.TEST_CITUS_NODE_COMMAND) return needsCluster();
  return skipped("needs to kill a server of a Citus cluster: name how in TEST_CITUS_NODE_COMMAND");
}

/** Where Debian and others put the browser that the console's tests drive. */
const BROWSERS = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"].map(
  (name) => `/usr/bin/${name}`,
);

/** The browser of this machine: CHROME_PATH, or where packages put it; undefined when there is none. */
export const BROWSER = process.env.CHROME_PATH ?? BROWSERS.find((path) => existsSync(path));

/** Options of a suite that drives a browser. */
export function needsBrowser(): TestOptions {
  return BROWSER === undefined ? skipped("needs Chromium: install it, or name it in CHROME_PATH") : {};
}

/** Options of a test or a suite that runs Python. */
export function needsPython(): TestOptions {
  return inPython("import sys; sys.exit(sys.version_info < (3, 11))")
    ? {}
    : skipped("needs Python 3.11 or newer as python3");
}

/** Options of a test or a suite that installs Python packages. */
export function needsPythonPackages(): TestOptions {
  return inPython("import ensurepip, venv") ? needsPython() : skipped("needs Debian's python3-venv, or its like");
}

function inPython(program: string): boolean {
  return spawnSync("python3", ["-c", program]).status === 0;
}

/** Options of a test or a suite that is skipped whatever it needs. */
export function skipped(why: string): TestOptions {
  return { skip: true, meta: { skipped: why } };
}
