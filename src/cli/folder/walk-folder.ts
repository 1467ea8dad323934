import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { createReadStream, type Dirent } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { extname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { isBinaryFile } from "isbinaryfile";
import {
  type DocumentType,
  documentTypeOf,
  isTaken,
  isTextual,
  MAX_DOCUMENT_BYTES,
} from "../../service/files/document-type.ts";
import { inParallel } from "../shell/in-parallel.ts";
import { enterFolder, type IgnoreRules, ignoredBy, startRules } from "./ignore-rules.ts";
import { unreadKind } from "./unread-kinds.ts";

/** The name of a table in an export of Notion, and the name of the same table with all of its rows. */
const NOTION_TABLE = /^(.* [0-9a-f]{32})\.csv$/;
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
  /** The folders that are left out by default, each with a trailing slash. */
  leftOut: string[];
  /** The number of files of kinds that hold no notes as a rule, by their ending. Hidden files are not counted. */
  otherKinds: Record<string, number>;
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
 * (`features/server-folders/walk-extra-path.ts`). It opens each path through its open parent folder,
 * because the users who can change such a folder are not the operator of the server.
 */
export async function walkFolder(root: string, options: WalkOptions): Promise<Walk> {
  const walk: Walk = { files: [], skipped: [], failed: [], leftOut: [], otherKinds: {} };
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
  const names = new Set(entries.map(({ name }) => name));
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = base + entry.name;
    if (!place.wants(serverPath(place, path))) continue;
    const linkedFolder = entry.isSymbolicLink() && (await leadsToFolder(join(place.root, path)));
    const isFolder = entry.isDirectory() || linkedFolder;
    const ignored = ignoredBy(rules, entry.name, isFolder ? `${path}/` : path);
    if (ignored === "default") place.walk.leftOut.push(serverPath(place, `${path}/`));
    if (ignored !== undefined) continue;
    // The link is reported. Otherwise the notes behind it would be missing without a message.
    if (linkedFolder)
      place.walk.skipped.push({ path: serverPath(place, `${path}/`), reason: "symbolic link to a folder" });
    else if (isFolder) await walkInto(place, `${path}/`, rules);
    else nameOrTake(place, path, entry, names);
  }
}

/** Takes a file, or names it as skipped if it holds notes in a form that is not read. */
function nameOrTake(place: Place, path: string, entry: Dirent, names: ReadonlySet<string>): void {
  const [, table] = NOTION_TABLE.exec(entry.name) ?? [];
  const whole = `${table}_all.csv`;
  const reason = table && names.has(whole) ? `${whole} has the same table` : unreadKind(entry.name);
  if (reason !== undefined) place.walk.skipped.push({ path: serverPath(place, path), reason });
  else if (isTaken(entry.name)) addCandidate(place, path, entry);
  else if (entry.isFile() && !entry.name.startsWith(".")) countKind(place.walk.otherKinds, entry.name);
}

/** The longest ending, and the most endings, that are counted by name. */
const MAX_ENDING_CHARS = 12;
const MAX_ENDINGS = 100;

function countKind(counts: Record<string, number>, name: string): void {
  const ending = extname(name).toLowerCase();
  const isNamed = ending !== "" && ending.length <= MAX_ENDING_CHARS;
  const kind = isNamed ? ending : "without an ending";
  const isCounted = Object.hasOwn(counts, kind) || Object.keys(counts).length < MAX_ENDINGS;
  const counted = isCounted ? kind : "with other endings";
  counts[counted] = (counts[counted] ?? 0) + 1;
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
      const most = isTextual(document) ? maxFileBytes : MAX_DOCUMENT_BYTES;
      if (size > most) walk.skipped.push({ path, reason: tooLarge(most) });
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
  if (bytes.includes(0)) return "binary";
  if (isUtf8(bytes)) return (await isBinaryFile(bytes)) ? "binary" : undefined;
  // A text in an older encoding has bytes that no UTF-8 has, but no control characters.
  return CONTROLS.test(bytes.toString("latin1")) ? "binary" : "not valid UTF-8; save it as UTF-8";
}

/** Matches a control character that no text has: not a tab, a line end, a page end or the start of an escape sequence. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are looked for
const CONTROLS = /[\x01-\x07\x0e-\x1a\x1c-\x1f]/;

export function tooLarge(maxFileBytes: number): string {
  return `larger than ${maxFileBytes} bytes`;
}

/** The reason for a file that was listed and no longer existed when it was read. */
export const NO_SUCH_FILE = "no such file (ENOENT)";

/** The usual file system errors in words. */
const FILE_ERRORS: ReadonlyMap<string, string> = new Map([
  ["EISDIR", "a folder, not a file"],
  ["ENOTDIR", "a part of its path is a file, not a folder"],
  ["EACCES", "this user may not read it"],
  ["EPERM", "this user may not read it"],
  ["ELOOP", "its symbolic links lead in a circle"],
  ["ENAMETOOLONG", "its name is too long"],
]);

/** Returns a short description of a file system error: words for the usual errors, and the code. */
export function reasonOf(error: unknown, path = ""): string {
  const code = (error as { code?: string }).code;
  // `readdir` returns a name that is not valid UTF-8 with U+FFFD in it, and no file has that name.
  if (code === "ENOENT" && path.includes("\ufffd")) return "its name is not valid UTF-8";
  if (code === undefined) return error instanceof Error ? error.message : String(error);
  if (code === "ENOENT") return NO_SUCH_FILE;
  const words = FILE_ERRORS.get(code);
  return words === undefined ? code : `${words} (${code})`;
}

function serverPath({ prefix }: Place, path: string): string {
  return prefix + path.normalize("NFC");
}
