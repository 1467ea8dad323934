import { execFileSync } from "node:child_process";
import { delimiter, dirname, join } from "node:path";

/** The report of `npm pack` and `npm publish` about a package. */
export interface Packed {
  name: string;
  version: string;
  filename: string;
  size: number;
  unpackedSize: number;
  files: { path: string }[];
}

const LIMIT_MS = 240_000;
const CURRENT_NODE = dirname(process.execPath);

/** Both packages of this repository: the service, and the client alone. */
export const WORKSPACES = { recollect: ".", "@recollect/client": "clients/typescript" } as const;

/**
 * Returns the environment without npm's settings, which belong to this repository and which users
 * do not have, and without the variables of this run.
 */
export function cleanEnvironment(node = CURRENT_NODE, more: Record<string, string> = {}): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(npm_|vitest|recollect_|node_(env|options))/i.test(name),
  );
  return { ...Object.fromEntries(kept), PATH: `${node}${delimiter}${process.env.PATH}`, NO_COLOR: "1", ...more };
}

/**
 * Runs a command as a user would and returns its standard output.
 *
 * @param env the environment, which chooses the Node.js
 */
export function runIn(cwd: string, command: string, args: readonly string[], env = cleanEnvironment()): string {
  const options = { cwd, env, encoding: "utf8", timeout: LIMIT_MS } as const;
  return execFileSync(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
}

/** Packs one of our packages into a folder, as it would be published. */
export function pack(name: keyof typeof WORKSPACES, folder: string): Packed {
  const said = runIn(WORKSPACES[name], "npm", ["pack", "--json", "--silent", "--pack-destination", folder]);
  return onlyOf(said, name);
}

/**
 * Returns what npm would publish of a built package.
 *
 * @throws if npm would change its package.json, or refuse it
 */
export function dryPublish(name: keyof typeof WORKSPACES): Packed {
  const args = ["publish", "--dry-run", "--json", "--ignore-scripts"];
  return onlyOf(runIn(WORKSPACES[name], "npm", args), name);
}

/**
 * Returns the one package of npm's answer, which is a list or an object by name. Lines of scripts
 * come before it.
 */
function onlyOf(said: string, name: string): Packed {
  const json = JSON.parse(said.slice(said.search(/^[[{]/m))) as Packed | Packed[] | Record<string, Packed>;
  const packed = Array.isArray(json)
    ? json[0]
    : name in json
      ? (json as Record<string, Packed>)[name]
      : (json as Packed);
  if (packed?.name !== name) throw new Error(`npm packed another package than ${name}: ${said}`);
  return packed;
}

/**
 * Installs programs into a separate folder.
 *
 * @param packages with their versions;
 * @returns the folder of their commands
 */
export function installTools(folder: string, packages: readonly string[]): string {
  runIn(dirname(folder), "npm", ["install", "--no-audit", "--no-fund", "--prefix", folder, ...packages]);
  return join(folder, "node_modules/.bin");
}

export const LINTERS = ["publint@0.3.25", "@arethetypeswrong/cli@0.18.5"];

/**
 * Looks for mistakes in the exports of a tarball.
 *
 * @throws with the mistakes
 * @param tools from `installTools` with LINTERS
 */
export function lintPackage(tools: string, tarball: string): void {
  const folder = dirname(tarball);
  runIn(folder, join(tools, "publint"), ["--strict", tarball]);
  // Users of `require` get the same modules: the Node.js that we require can load them.
  runIn(folder, join(tools, "attw"), [tarball, "--profile", "esm-only", "--no-emoji", "--no-color"]);
}
