import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";

const CACHE = join(process.cwd(), "node_modules/.cache");

/** The Python for the tests of the Python client: its command, or the reason why there is none. */
type ClientPython = { command: string } | { missing: string };

const HAS_HTTPX = `
import httpx, sys
version = tuple(int(part) for part in httpx.__version__.split(".")[:2])
sys.exit(not (0, 28) <= version < (1,))
`;

let found: ClientPython | undefined;

/**
 * Returns a Python 3.11 or newer with the packages that the Python client needs.
 *
 * Uses `python3` if it has them. Otherwise it installs them once, into a virtual environment below
 * `node_modules/.cache`.
 */
export function clientPython(): ClientPython {
  found ??= findPython();
  return found;
}

/** Returns whether `python3` runs a program without an error. */
export function inPython(program: string): boolean {
  return spawnSync("python3", ["-c", program]).status === 0;
}

function findPython(): ClientPython {
  if (!inPython("import sys; sys.exit(sys.version_info < (3, 11))"))
    return { missing: "needs Python 3.11 or newer as python3" };
  if (inPython(HAS_HTTPX)) return { command: "python3" };
  try {
    return { command: join(environmentWith(requirements()), "bin/python") };
  } catch (error) {
    const { stderr } = error as { stderr?: string };
    const why = stderr?.trim().split("\n").at(-1) ?? String(error);
    return { missing: `needs httpx for python3, which pip could not install: ${why}` };
  }
}

/** Returns the packages that the Python client declares. */
function requirements(): string[] {
  const declared = /^dependencies = \[$([^\]]+)^\]$/m.exec(readFileSync("clients/python/pyproject.toml", "utf8"))?.[1];
  return [...(declared ?? "").matchAll(/^ *"(.+)",$/gm)].map(([, one]) => one ?? "");
}

/** Returns the folder of a virtual environment with these packages. */
function environmentWith(packages: readonly string[]): string {
  const run = (command: string, ...args: string[]) =>
    execFileSync(command, args, { encoding: "utf8", timeout: 240_000, stdio: ["ignore", "pipe", "pipe"] });
  const version = run("python3", "--version");
  const hash = createHash("sha256")
    .update(JSON.stringify([version, packages]))
    .digest("hex");
  const folder = join(CACHE, `python-${hash.slice(0, 12)}`);
  if (existsSync(folder)) return folder;
  mkdirSync(CACHE, { recursive: true });
  // Processes that run tests at the same time each make one. The first to finish keeps its own.
  const own = mkdtempSync(join(CACHE, "python-new-"));
  try {
    run("python3", "-m", "venv", own);
    run(join(own, "bin/python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", ...packages);
    if (!existsSync(folder)) renameSync(own, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
  return folder;
}
