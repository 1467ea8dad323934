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
 *
 * The whole tree is compiled first. The compiler's notes of it are copied with the tree, so that
 * without a feature only the files are checked again which the deletion reaches: 5 seconds of
 * processor time instead of 30.
 */
const TSC = resolve("node_modules/.bin/tsc");
/** The root, and the folders whose types have a configuration of their own. */
const CHECKED = [".", "test/adapters", "test/console"].filter(
  (folder) => folder === "." || existsSync(join(folder, "node_modules")),
);
const FOLDERS = ["src", "test", "bench", "examples", "scripts", "clients/typescript", "clients/openclaw/src"];
const FILES = /^(package\.json|tsconfig.*\.json|.*\.config\.ts)$/;
/** The file of the compiler's notes about a compiled tree. */
const NOTES = "whole.tsbuildinfo";

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !FEATURES.some((feature) => feature.name === name));
if (unknown.length > 0) throw new Error(`There is no feature ${unknown.join(", ")}.`);

const whole = copyOf(".");
process.on("exit", () => rmSync(whole, { recursive: true, force: true }));
const compiled = compile(whole);
if (compiled !== "") throw new Error(`The tree does not compile with all features.\n${compiled}`);

const failed = FEATURES.map(({ name }) => name)
  .filter((name) => asked.length === 0 || asked.includes(name))
  .filter((name) => !canBeDeleted(name));
if (failed.length > 0) {
  process.stderr.write(`These features cannot be deleted: ${failed.join(", ")}.\n`);
  process.exitCode = 1;
}

function canBeDeleted(name: string): boolean {
  const folder = copyOf(whole);
  try {
    const deleted = withDependents(name);
    for (const one of deleted) deleteFeature(folder, one);
    const errors = compile(folder);
    const others = deleted.filter((one) => one !== name);
    const rest = others.length > 0 ? ` (with ${others.join(", ")})` : "";
    process.stdout.write(
      `${name}${rest}: ${errors === "" ? "can be deleted" : `does not compile without it\n${errors}`}\n`,
    );
    return errors === "";
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Returns a temporary folder with a copy of what is compiled. */
function copyOf(tree: string): string {
  const folder = mkdtempSync(join(tmpdir(), "recollect-features-"));
  for (const path of [...FOLDERS, ...readdirSync(tree).filter((name) => FILES.test(name) || name === NOTES)])
    cpSync(join(tree, path), join(folder, path), {
      recursive: true,
      filter: (from) => basename(from) !== "node_modules",
    });
  for (const path of ["clients/typescript/node_modules", ...CHECKED.map((path) => join(path, "node_modules"))])
    if (existsSync(path)) symlinkSync(resolve(path), join(folder, path));
  return folder;
}

/** Compiles a copy of the tree; returns the errors. */
function compile(folder: string): string {
  return CHECKED.map((path) => {
    const notes = ["--incremental", "--tsBuildInfoFile", join(folder, path, NOTES)];
    return spawnSync(TSC, ["-p", path, ...notes], { cwd: folder, encoding: "utf8" }).stdout;
  }).join("");
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
