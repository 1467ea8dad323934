import { createHash } from "node:crypto";
import type { Dirent, Stats } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import ignore, { type Ignore } from "ignore";
import { isBinaryFile } from "isbinaryfile";

/** What may become memory: Markdown and plain text. */
const TEXT_FILE = /\.(md|markdown|mdx|txt|rst|adoc|org)$/i;
const IGNORE_FILES = [".gitignore", ".recollectignore"];
const ALWAYS_IGNORED = new Set([".git", "node_modules", ".recollect"]);

export interface LocalFile {
  /** Relative to the folder, `/` between segments, in Unicode normal form C. */
  path: string;
  /** Where it is on disk. */
  absolute: string;
  hash: string;
  size: number;
  mtime: Date;
}

export interface SkippedFile {
  path: string;
  reason: string;
}

export interface Walk {
  files: LocalFile[];
  /** Files that would be memory but cannot be: binary, too large, not UTF-8, a symbolic link. */
  skipped: SkippedFile[];
  /** Files and folders that could not be read. */
  failed: SkippedFile[];
}

interface Scope {
  /** Folder the rules stand in, relative, with a trailing slash; empty at the top. */
  base: string;
  rules: Ignore;
}

/**
 * Finds the text files below a folder, in path order, with their hashes. Ignore files work as in git: at every level,
 * the deeper one wins. Symbolic links are not followed, so that a walk stays inside the folder and ends.
 */
export async function walkFolder(
  root: string,
  options: { ignore: readonly string[]; maxFileBytes: number },
): Promise<Walk> {
  const walk: Walk = { files: [], skipped: [], failed: [] };
  const top: Scope = { base: "", rules: ignore().add([...options.ignore]) };
  await walkInto(root, "", [top], options.maxFileBytes, walk);
  walk.files.sort((a, b) => (a.path < b.path ? -1 : 1));
  return walk;
}

async function walkInto(
  root: string,
  base: string,
  scopes: readonly Scope[],
  maxFileBytes: number,
  walk: Walk,
): Promise<void> {
  const folder = join(root, base);
  let entries: Dirent[];
  try {
    entries = await readdir(folder, { withFileTypes: true });
  } catch (error) {
    walk.failed.push({ path: base || ".", reason: reasonOf(error) });
    return;
  }
  const inner = [...scopes, { base, rules: await readRules(folder, entries) }];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = base + entry.name;
    const isFolder = entry.isDirectory();
    if (ALWAYS_IGNORED.has(entry.name) || isIgnored(inner, isFolder ? `${path}/` : path)) continue;
    if (isFolder) await walkInto(root, `${path}/`, inner, maxFileBytes, walk);
    else if (TEXT_FILE.test(entry.name)) await take(root, path, entry, maxFileBytes, walk);
  }
}

async function readRules(folder: string, entries: readonly Dirent[]): Promise<Ignore> {
  const rules = ignore();
  for (const name of IGNORE_FILES) {
    if (entries.some((entry) => entry.name === name && entry.isFile()))
      rules.add(await readFile(join(folder, name), "utf8"));
  }
  return rules;
}

/** The deepest ignore file that says something about a path decides. */
function isIgnored(scopes: readonly Scope[], path: string): boolean {
  for (const { base, rules } of scopes.toReversed()) {
    const { ignored, unignored } = rules.test(path.slice(base.length));
    if (ignored || unignored) return ignored;
  }
  return false;
}

async function take(root: string, path: string, entry: Dirent, maxFileBytes: number, walk: Walk): Promise<void> {
  const absolute = join(root, path);
  const skip = (reason: string) => walk.skipped.push({ path, reason });
  if (entry.isSymbolicLink()) return void skip("symbolic link");
  if (!entry.isFile()) return void skip("not a regular file");
  try {
    const { size, mtime }: Stats = await stat(absolute);
    if (size > maxFileBytes) return void skip(`larger than ${maxFileBytes} bytes`);
    const bytes = await readFile(absolute);
    const problem = await textProblem(bytes);
    if (problem) return void skip(problem);
    walk.files.push({
      path: path.normalize("NFC"),
      absolute,
      hash: createHash("sha256").update(bytes).digest("hex"),
      size,
      mtime,
    });
  } catch (error) {
    walk.failed.push({ path, reason: reasonOf(error) });
  }
}

/** Why these bytes cannot be memory; undefined when they can. */
export async function textProblem(bytes: Buffer): Promise<string | undefined> {
  if (bytes.includes(0) || (await isBinaryFile(bytes))) return "binary";
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return undefined;
  } catch {
    return "not valid UTF-8";
  }
}

function reasonOf(error: unknown): string {
  return (error as { code?: string }).code ?? (error instanceof Error ? error.message : String(error));
}
