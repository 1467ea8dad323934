import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/**
 * Installs the packages of folders that have a lock file of their own, because only some tests and
 * builds need them: `npm run packages test/adapters`. A folder whose packages are installed is left
 * alone.
 *
 * The packages are linked into the root's `node_modules`: the source and the examples import them
 * too, and Node.js and TypeScript search only the folders above the importing file.
 */
const ROOT = resolve(import.meta.dirname, "..");

/** The folders whose packages files outside of the folder import. */
const LINKED = ["test/adapters", "test/console"];

/** Installs the packages of a folder, unless those of its lock file are installed. */
export function installPackages(folder: string): void {
  const at = join(ROOT, folder);
  if (changedAt(join(at, "node_modules/.package-lock.json")) < changedAt(join(at, "package-lock.json"))) {
    console.log(`Installing the packages of ${folder}…`);
    npmCi(at);
  }
  linkPackages(folder);
}

/** Runs `npm ci` in a folder, without install scripts. */
function npmCi(folder: string): void {
  execFileSync("npm", ["ci", "--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], {
    stdio: ["ignore", "ignore", "inherit"],
    shell: process.platform === "win32",
  });
}

/**
 * Links the packages that the package.json of a linked folder names, as far as they are installed.
 * npm removes the links when it installs.
 */
export function linkPackages(folder: string): void {
  if (!LINKED.includes(folder)) return;
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, folder, "package.json"), "utf8")) as {
    dependencies: Record<string, string>;
  };
  for (const name of Object.keys(dependencies)) {
    const from = join(ROOT, "node_modules", name);
    const to = join(ROOT, folder, "node_modules", name);
    if (!existsSync(to)) continue;
    // A folder that is no link holds the package of an older checkout.
    if (lstatSync(from, { throwIfNoEntry: false })) rmSync(from, { recursive: true });
    mkdirSync(dirname(from), { recursive: true });
    symlinkSync(to, from, "junction");
  }
}

/** Links the packages of all linked folders. */
export function linkAllPackages(): void {
  for (const folder of LINKED) linkPackages(folder);
}

function changedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

if (import.meta.main) for (const folder of process.argv.slice(2)) installPackages(folder.replace(/\/$/, ""));
