import { existsSync } from "node:fs";
import { inject, type TestOptions } from "vitest";
import { clientPython, inPython } from "./client-python.ts";
import { missingOpenClaw } from "./openclaw.ts";

declare module "vitest" {
  interface TaskMeta {
    /** The reason why a test is skipped, which the end of the run prints. */
    skipped?: string;
  }
}

const ON_POSTGRES = inject("serverUrl") !== undefined;

/**
 * Options of a test or a suite that is skipped on PGlite.
 *
 * @param why what PGlite lacks, and which test covers it there, if any
 */
export function needsPostgres(why: string): TestOptions {
  return ON_POSTGRES ? {} : skipped(`needs Postgres: ${why}`);
}

/**
 * Options of a test or a suite that starts containers. With TEST_DATABASE_URL there may be no
 * Docker.
 */
export function needsDocker(why: string): TestOptions {
  if (ON_POSTGRES && process.env.TEST_DATABASE_URL === undefined) return {};
  return skipped(`needs Docker: ${why}`);
}

/**
 * Options of a suite that needs a Citus cluster. TEST_CITUS_URL names a database of its
 * coordinator, with a superuser.
 */
export function needsCluster(): TestOptions {
  return process.env.TEST_CITUS_URL ? {} : skipped("needs a Citus cluster: name one in TEST_CITUS_URL");
}

/**
 * Options of a suite that kills servers of the cluster. TEST_CITUS_NODE_COMMAND gets a word of
 * control-node.ts and the host as the other servers know it.
 */
export function needsNodeControl(): TestOptions {
  if (process.env.TEST_CITUS_NODE_COMMAND) return needsCluster();
  return skipped("needs to kill a server of a Citus cluster: name how in TEST_CITUS_NODE_COMMAND");
}

/** The paths at which Debian and others install the browser that the console's tests drive. */
const BROWSERS = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"].map(
  (name) => `/usr/bin/${name}`,
);

/**
 * The browser of this machine: CHROME_PATH, or the path of a package; undefined if there is none.
 */
export const BROWSER = process.env.CHROME_PATH ?? BROWSERS.find((path) => existsSync(path));

/** Options of a suite that drives a browser, by the packages of test/console. */
export function needsBrowser(): TestOptions {
  if (BROWSER === undefined) return skipped("needs Chromium: install it, or name it in CHROME_PATH");
  return needsPackagesOf("test/console");
}

/** Options of a test or a suite that runs the Python client. */
export function needsPython(): TestOptions {
  const python = clientPython();
  return "missing" in python ? skipped(python.missing) : {};
}

/** Options of a test or a suite that installs Python packages. */
export function needsPythonPackages(): TestOptions {
  return inPython("import ensurepip, venv") ? needsPython() : skipped("needs Debian's python3-venv, or its like");
}

/** Options of a suite that runs OpenClaw. */
export function needsOpenClaw(): TestOptions {
  const missing = missingOpenClaw();
  return missing === undefined ? {} : skipped(missing);
}

/** Options of a test or a suite that is always skipped. */
export function skipped(why: string): TestOptions {
  return { skip: true, meta: { skipped: why } };
}

/**
 * Options of a suite that needs the packages of a folder below test/ with a lockfile of its own. Few
 * people need them, so `npm ci` of the repository does not install them.
 */
export function needsPackagesOf(folder: string): TestOptions {
  if (existsSync(`${folder}/node_modules`)) return {};
  return skipped(`needs packages of its own: npm run packages ${folder}`);
}
