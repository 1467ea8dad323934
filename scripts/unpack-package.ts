import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const LOCK = join(import.meta.dirname, "packages/package-lock.json");

/**
 * Unpacks a few files of a package of `scripts/packages`, whose lock file has the version and the
 * hash. To install these packages as a whole would take 440 MB, of which 50 are used.
 *
 * @param paths files and folders of the package
 * @param to the folder that gets them, at their paths in the package
 * @throws Error when the loaded package is not the one of the lock file
 */
export function unpackPackage(name: string, paths: readonly string[], to: string): void {
  const { packages } = JSON.parse(readFileSync(LOCK, "utf8")) as {
    packages: Record<string, { version: string; integrity: string }>;
  };
  const locked = packages[`node_modules/${name}`];
  if (!locked) throw new Error(`The lock file ${LOCK} has no ${name}.`);
  const folder = mkdtempSync(join(tmpdir(), "recollect-package-"));
  try {
    const args = ["pack", `${name}@${locked.version}`, "--pack-destination", folder, "--loglevel=error"];
    execFileSync("npm", args, {
      cwd: folder,
      stdio: ["ignore", "ignore", "inherit"],
      shell: process.platform === "win32",
    });
    const file = join(folder, readdirSync(folder)[0] ?? "");
    const integrity = `sha512-${createHash("sha512").update(readFileSync(file)).digest("base64")}`;
    if (integrity !== locked.integrity) throw new Error(`${name} ${locked.version} has the hash ${integrity}.`);
    mkdirSync(to, { recursive: true });
    const packed = paths.map((path) => `package/${path}`);
    execFileSync("tar", ["-xzf", file, "-C", to, "--strip-components=1", ...packed], { stdio: "inherit" });
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Unpacks files of a package into a temporary folder, lends it to a function, and deletes it. */
export function withUnpacked(name: string, paths: readonly string[], use: (folder: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), "recollect-unpacked-"));
  try {
    unpackPackage(name, paths, folder);
    use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
