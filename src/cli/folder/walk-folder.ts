import { createHash } from "node:crypto";
import { createReadStream, type Dirent } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { isBinaryFile } from "isbinaryfile";
import { type DocumentType, documentTypeOf, MAX_DOCUMENT_BYTES } from "../../service/documents/document-type.ts";
import { inParallel } from "../shell/in-parallel.ts";
import { enterFolder, type IgnoreRules, isIgnored, startRules } from "./ignore-rules.ts";

/** The endings of Markdown and plain text files. */
const TEXT_FILE = /\.(md|markdown|mdx|txt|rst|adoc|org)$/i;
/**
 * Returns whether a file may become memory, judged by its name: a text, or a document that the
 * server may be able to read.
 */
export function isTaken(name: string): boolean {
  return TEXT_FILE.test(name) || documentTypeOf(name) !== undefined;
}

/**
 * The number of files that are read at once. It hides the latency of a disk or network share, and
 * limits the number of contents in memory.
 */
const READ_AT_ONCE = 16;

export interface LocalFile {
  /**
   * The path on the server: the prefix, then the path relative to the folder, with `/` between
   * segments, in Unicode normal form C.
   */
  path: string;
  /** The path on disk. */
  absolute: string;
  /** The SHA-256 of the bytes, in hex. It equals the server's hash of the content as UTF-8. */
  hash: string;
  size: number;
  mtime: Date;
  /** The bytes of a file that is not on disk, valid UTF-8. */
  content?: Buffer;
  /** The type of a document, whose text the server reads; absent for a text. */
  document?: DocumentType;
}

export interface SkippedFile {
  path: string;
  reason: string;
}

export interface Walk {
  files: LocalFile[];
  /**
   * Files that could become memory by their name but cannot be read as text: binary, too large, not
   * UTF-8, or a symbolic link.
   */
  skipped: SkippedFile[];
  /** Files and folders that could not be read. A folder has a trailing slash; `./` is the top. */
  failed: SkippedFile[];
}

export interface WalkOptions {
  ignore: readonly string[];
  maxFileBytes: number;
  /** The folder's place in the memory, with a trailing slash; empty for the top. */
  prefix: string;
  /**
   * Returns whether to look at an entry, given its path on the server without a trailing slash.
   * Default: all entries.
   */
  wants?: (path: string) => boolean;
}

interface Candidate {
  path: string;
  absolute: string;
}

/**
 * Finds the texts and documents below a folder, in path order, with their hashes. Ignore files
 * apply at every level as in git; the deeper file wins. Symbolic links are not followed, so a walk
 * stays inside the folder and ends. The function does not throw for problems on disk; it returns
 * them in `skipped` and `failed`. Packages for walking folders do not distinguish such entries from
 * missing ones.
 *
 * The service walks folders on its own machine differently
 * (`service/extra-paths/walk-extra-path.ts`). It opens each path through its open parent folder,
 * because the users who can change such a folder are not the operator of the server.
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
  /** The files to read, by their path on the server. */
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
    // The link is reported. Otherwise the notes behind it would be missing without a message.
    if (linkedFolder)
      place.walk.skipped.push({ path: serverPath(place, `${path}/`), reason: "symbolic link to a folder" });
    else if (isFolder) await walkInto(place, `${path}/`, rules);
    else if (isTaken(entry.name)) addCandidate(place, path, entry);
  }
}

async function leadsToFolder(path: string): Promise<boolean> {
  // `stat` throws for a link to itself or to nothing. Such a link leads to no folder.
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}

function addCandidate(place: Place, localPath: string, entry: Dirent): void {
  const { root, candidates, walk } = place;
  const path = serverPath(place, localPath);
  if (entry.isSymbolicLink()) walk.skipped.push({ path, reason: "symbolic link" });
  else if (!entry.isFile()) walk.skipped.push({ path, reason: "not a regular file" });
  // Linux keeps two spellings of an accented name apart. If both were sent, the last to arrive
  // would win at every sync.
  else if (candidates.has(path))
    walk.skipped.push({ path, reason: "another file has this name in another Unicode form" });
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

/** Hashes a file as a stream, without holding it in memory. */
async function hashOf(absolute: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(absolute), hash);
  return hash.digest("hex");
}

/**
 * Returns the reason why these bytes cannot be memory, or undefined if they can.
 *
 * @param maxFileBytes limit in bytes
 */
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

/** Returns a short description of a file system error: its code. */
export function reasonOf(error: unknown, path = ""): string {
  const code = (error as { code?: string }).code;
  // `readdir` returns a name that is not valid UTF-8 with U+FFFD in it, and no file has that name.
  if (code === "ENOENT" && path.includes("\ufffd")) return "its name is not valid UTF-8";
  return code ?? (error instanceof Error ? error.message : String(error));
}

function serverPath({ prefix }: Place, path: string): string {
  return prefix + path.normalize("NFC");
}
