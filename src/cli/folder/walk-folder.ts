import { createHash } from "node:crypto";
import { createReadStream, type Dirent } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { isBinaryFile } from "isbinaryfile";
import { type DocumentType, documentTypeOf, MAX_DOCUMENT_BYTES } from "../../service/documents/document-type.ts";
import { inParallel } from "../shell/in-parallel.ts";
import { enterFolder, type IgnoreRules, isIgnored, startRules } from "./ignore-rules.ts";

/** Markdown and plain text. */
const TEXT_FILE = /\.(md|markdown|mdx|txt|rst|adoc|org)$/i;
/** Whether a file may become memory by its name: a text, or a document that the server may read. */
export function isTaken(name: string): boolean {
  return TEXT_FILE.test(name) || documentTypeOf(name) !== undefined;
}

/** Files read at once: hides the latency of a disk or network share, and holds at most this many contents in memory. */
const READ_AT_ONCE = 16;

export interface LocalFile {
  /** Where the server has it: the prefix, then relative to the folder, `/` between segments, in Unicode normal form C. */
  path: string;
  /** Where it is on disk. */
  absolute: string;
  /** SHA-256 of the bytes, in hex; equal to the server's, which hashes the content as UTF-8. */
  hash: string;
  size: number;
  mtime: Date;
  /** Of one that is not on disk: its bytes, valid UTF-8. */
  content?: Buffer;
  /** What it is if it is no text; the server reads it. */
  document?: DocumentType;
}

export interface SkippedFile {
  path: string;
  reason: string;
}

export interface Walk {
  files: LocalFile[];
  /** Files that would be memory but cannot be: binary, too large, not UTF-8, a symbolic link. */
  skipped: SkippedFile[];
  /** Files and folders (with a trailing slash; `./` is the top) that could not be read. */
  failed: SkippedFile[];
}

export interface WalkOptions {
  ignore: readonly string[];
  maxFileBytes: number;
  /** The folder's place in the memory, with a trailing slash; empty for the top. */
  prefix: string;
  /** Entries, by their path on the server without a trailing slash, to look at; all without it. */
  wants?: (path: string) => boolean;
}

interface Candidate {
  path: string;
  absolute: string;
}

/**
 * Finds the texts and documents below a folder, in path order, with their hashes. Ignore files work as in git: at every level,
 * the deeper one wins. Symbolic links are not followed, so that a walk stays inside the folder and ends. Never throws for
 * what it meets on disk: that is in `skipped` and `failed`, which packages that walk do not tell apart from what is not there.
 * The service walks folders of its own machine otherwise (`service/extra-paths/walk-extra-path.ts`): there a path is opened through
 * its open parent, since whoever may change the folder is not the one who runs the server.
 */
export async function walkFolder(root: string, options: WalkOptions): Promise<Walk> {
  const walk: Walk = { files: [], skipped: [], failed: [] };
  const candidates = new Map<string, Candidate>();
  const place = { root, candidates, walk, prefix: options.prefix, wants: options.wants ?? (() => true) };
  await walkInto(place, "", startRules(options.ignore));
  const jobs = [...candidates.values()].map((candidate) => () => take(candidate, options.maxFileBytes, walk));
  await inParallel(jobs, READ_AT_ONCE);
  for (const list of [walk.files, walk.skipped, walk.failed]) list.sort((a, b) => (a.path < b.path ? -1 : 1));
  return walk;
}

interface Place {
  root: string;
  /** By the path they will have on the server. */
  candidates: Map<string, Candidate>;
  walk: Walk;
  prefix: string;
  wants: (path: string) => boolean;
}

async function walkInto(place: Place, base: string, outer: IgnoreRules): Promise<void> {
  let entries: Dirent[];
  let rules: IgnoreRules;
  try {
    entries = await readdir(join(place.root, base), { withFileTypes: true });
    rules = await enterFolder(outer, place.root, base, entries);
  } catch (error) {
    place.walk.failed.push({ path: base === "" ? "./" : serverPath(place, base), reason: reasonOf(error, base) });
    return;
  }
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = base + entry.name;
    if (!place.wants(serverPath(place, path))) continue;
    const linkedFolder = entry.isSymbolicLink() && (await leadsToFolder(join(place.root, path)));
    const isFolder = entry.isDirectory() || linkedFolder;
    if (isIgnored(rules, entry.name, isFolder ? `${path}/` : path)) continue;
    // Named, or notes behind the link would be missing without a word.
    if (linkedFolder)
      place.walk.skipped.push({ path: serverPath(place, `${path}/`), reason: "symbolic link to a folder" });
    else if (isFolder) await walkInto(place, `${path}/`, rules);
    else if (isTaken(entry.name)) addCandidate(place, path, entry);
  }
}

async function leadsToFolder(path: string): Promise<boolean> {
  // A link to itself or to nothing throws here: no folder.
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}

function addCandidate(place: Place, localPath: string, entry: Dirent): void {
  const { root, candidates, walk } = place;
  const path = serverPath(place, localPath);
  if (entry.isSymbolicLink()) walk.skipped.push({ path, reason: "symbolic link" });
  else if (!entry.isFile()) walk.skipped.push({ path, reason: "not a regular file" });
  // Linux keeps both spellings of an accented name apart; sent both, the last to arrive would win at every sync.
  else if (candidates.has(path))
    walk.skipped.push({ path, reason: "another file has this name in other Unicode form" });
  else candidates.set(path, { path, absolute: join(root, localPath) });
}

async function take(candidate: Candidate, maxFileBytes: number, walk: Walk): Promise<void> {
  const { path, absolute } = candidate;
  try {
    const { size, mtime } = await stat(absolute);
    const document = documentTypeOf(path);
    if (document !== undefined) {
      if (size > MAX_DOCUMENT_BYTES) walk.skipped.push({ path, reason: tooLarge(MAX_DOCUMENT_BYTES) });
      else walk.files.push({ path, absolute, hash: await hashOf(absolute), size, mtime, document });
      return;
    }
    const problem = size > maxFileBytes ? tooLarge(maxFileBytes) : undefined;
    const bytes = problem ? undefined : await readFile(absolute);
    const reason = bytes ? await textProblem(bytes, maxFileBytes) : problem;
    if (bytes === undefined || reason !== undefined) {
      walk.skipped.push({ path, reason: reason ?? "unreadable" });
      return;
    }
    const hash = createHash("sha256").update(bytes).digest("hex");
    walk.files.push({ path, absolute, hash, size: bytes.length, mtime });
  } catch (error) {
    walk.failed.push({ path, reason: reasonOf(error, path) });
  }
}

/** Of a file that need not be held in memory for it. */
async function hashOf(absolute: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(absolute), hash);
  return hash.digest("hex");
}

/** Why these bytes cannot be memory; undefined when they can. @param maxFileBytes limit in bytes */
export async function textProblem(bytes: Buffer, maxFileBytes: number): Promise<string | undefined> {
  if (bytes.length > maxFileBytes) return tooLarge(maxFileBytes);
  const mark = bytes.subarray(0, 2).toString("hex");
  if (mark === "fffe" || mark === "feff") return "UTF-16 text; save it as UTF-8";
  if (bytes.includes(0) || (await isBinaryFile(bytes))) return "binary";
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return undefined;
  } catch {
    return "not valid UTF-8";
  }
}

export function tooLarge(maxFileBytes: number): string {
  return `larger than ${maxFileBytes} bytes`;
}

/** A file system error in few words: its code. */
export function reasonOf(error: unknown, path = ""): string {
  const code = (error as { code?: string }).code;
  // A name that is no UTF-8 comes out of readdir with U+FFFD in it, and no file has that name.
  if (code === "ENOENT" && path.includes("\ufffd")) return "its name is not valid UTF-8";
  return code ?? (error instanceof Error ? error.message : String(error));
}

function serverPath({ prefix }: Place, path: string): string {
  return prefix + path.normalize("NFC");
}
