import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { FEATURES } from "../src/features.ts";

/**
 * Proves for each feature that it can be deleted: copies the tree, deletes the folder and the tests
 * of the feature and of every feature that requires it, deletes their lines in `features.ts`, and
 * compiles the rest. Arguments name the features to try; without arguments, all are tried.
 */
const FOLDERS = ["src", "test", "bench", "examples", "scripts", "clients/typescript"];
const FILES = /^(package\.json|tsconfig\.json|.*\.config\.ts)$/;

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !FEATURES.some((feature) => feature.name === name));
if (unknown.length > 0) throw new Error(`There is no feature ${unknown.join(", ")}.`);
const failed = FEATURES.map(({ name }) => name)
  .filter((name) => asked.length === 0 || asked.includes(name))
  .filter((name) => !canBeDeleted(name));
if (failed.length > 0) {
  process.stderr.write(`These features cannot be deleted: ${failed.join(", ")}.\n`);
  process.exitCode = 1;
}

function canBeDeleted(name: string): boolean {
  const folder = mkdtempSync(join(tmpdir(), "recollect-without-"));
  try {
    for (const path of [...FOLDERS, ...readdirSync(".").filter((name) => FILES.test(name))])
      cpSync(path, join(folder, path), { recursive: true, filter: (from) => basename(from) !== "node_modules" });
    for (const path of ["node_modules", "clients/typescript/node_modules"])
      if (existsSync(path)) symlinkSync(resolve(path), join(folder, path));
    const deleted = withDependents(name);
    for (const one of deleted) deleteFeature(folder, one);
    const { status, stdout } = spawnSync(resolve("node_modules/.bin/tsc"), { cwd: folder, encoding: "utf8" });
    const others = deleted.filter((one) => one !== name);
    const rest = others.length > 0 ? ` (with ${others.join(", ")})` : "";
    process.stdout.write(
      `${name}${rest}: ${status === 0 ? "can be deleted" : `does not compile without it\n${stdout}`}\n`,
    );
    return status === 0;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Returns a feature and all features that require it, directly or not. */
function withDependents(name: string): string[] {
  const all = new Set([name]);
  // A feature stands after the features that it requires.
  for (const feature of FEATURES) if (feature.requires?.some((required) => all.has(required))) all.add(feature.name);
  return [...all];
}

function deleteFeature(folder: string, name: string): void {
  rmSync(join(folder, "src/features", name), { recursive: true });
  rmSync(join(folder, "test/features", name), { recursive: true, force: true });
  const list = join(folder, "src/features.ts");
  const text = readFileSync(list, "utf8");
  const imported = new RegExp(`^import \\{ (\\w+) \\} from "\\./features/${name}/feature\\.ts";\\n`, "m").exec(text);
  if (!imported) throw new Error(`src/features.ts does not import the feature ${name} in a line of its own.`);
  const [line, value] = imported;
  writeFileSync(list, text.replace(line, "").replace(new RegExp(`(?<=[[\\s])${value},?(?=[\\]\\s])`), ""));
}
