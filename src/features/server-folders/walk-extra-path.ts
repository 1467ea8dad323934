import { constants, type Dir, type Dirent } from "node:fs";
import { type FileHandle, lstat, open, opendir, readlink, realpath } from "node:fs/promises";
import { isLeftOutFolder } from "../../base/left-out-folder.ts";

/** A regular file that may become memory. `read` works only until the walk continues. */
export interface FoundFile {
  readonly kind: "file";
  /**
   * The path relative to the extra path, as on disk; empty for an extra path that is itself a file.
   */
  readonly relative: string;
  readonly size: number;
  readonly mtime: Date;
  /**
   * Reads the file.
   *
   * @throws the file system's error
   */
  read(maxBytes: number): Promise<Buffer | "not a file" | "too large">;
}

/**
 * An item that a walk finds. A `skipped` item cannot be memory: a link, a pipe, or a file that no
 * longer exists under its listed name. An `unread` item is a file or folder that could not be read,
 * so its memory is kept. `broken off` ends a walk whose rest is unknown.
 */
export type Found =
  | FoundFile
  | { readonly kind: "skipped"; readonly relative: string }
  | { readonly kind: "unread"; readonly relative: string }
  | { readonly kind: "broken off"; readonly reason: "too many entries" | "unreadable" | "empty" };

/** An opened extra path. */
interface OpenedPath {
  readonly handle: FileHandle;
  /** Its path after all links are resolved. */
  readonly real: string;
  readonly isFolder: boolean;
}

/** The reason why an extra path is not read. */
type PathProblem = "unreadable" | "not allowed";

const PAGE_ENTRIES = 64;
const MAX_DEPTH = 32;
/** The most entries, of all kinds, that one walk looks at. */
const MAX_ENTRIES = 200_000;
/**
 * A pipe without a writer must not block, and a link that replaced a listed file must not be
 * followed.
 */
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Opens an extra path, if it is inside one of the roots after all links are resolved. The opened
 * file is compared with the checked path, so that a link that replaces the path in between does not
 * lead elsewhere.
 */
export async function openExtraPath(path: string, roots: readonly string[]): Promise<OpenedPath | PathProblem> {
  let handle: FileHandle | undefined;
  try {
    const real = await realpath(path);
    const realRoots = await Promise.all(roots.map((root) => realpath(root).catch(() => undefined)));
    if (!realRoots.some((root) => root !== undefined && (real === root || real.startsWith(`${root}/`))))
      return "not allowed";
    const listed = await lstat(real);
    if (!listed.isFile() && !listed.isDirectory()) return "unreadable";
    handle = await open(real, FLAGS);
    const opened = await handle.stat();
    const isSame = opened.isFile() || opened.isDirectory() ? await isAt(handle, real) : false;
    if (isSame) return { handle, real, isFolder: opened.isDirectory() };
  } catch {
    await handle?.close();
    return "unreadable";
  }
  await handle.close();
  return "not allowed";
}

/** Returns whether an open file is the file at a path without links. */
async function isAt(handle: FileHandle, real: string): Promise<boolean> {
  const known = await pathOf(handle);
  if (known !== undefined) return known === real;
  // On systems other than Linux, a file that is moved away and back in the meantime can deceive
  // this check.
  const [opened, listed] = await Promise.all([handle.stat({ bigint: true }), lstat(real, { bigint: true })]);
  return (await realpath(real)) === real && opened.ino === listed.ino && opened.dev === listed.dev;
}

/** Returns the path of an open file as the kernel knows it; undefined without /proc. */
function pathOf(handle: FileHandle): Promise<string | undefined> {
  return process.platform === "linux"
    ? readlink(`/proc/self/fd/${handle.fd}`).catch(() => undefined)
    : Promise.resolve(undefined);
}

interface Frame {
  handle: FileHandle;
  dir: Dir;
  /**
   * The prefix of the entries' paths. With /proc it names the open folder itself, so that no link
   * can be inserted; otherwise it is the folder's path.
   */
  base: string;
  /** Whether `base` names the open folder itself. */
  pinned: boolean;
  /** The path relative to the extra path, with a slash at the end; empty at the top. */
  relative: string;
  subfolders: string[];
}

/**
 * Yields everything below an opened extra path that passes `wanted`, in the order of the disk.
 * Hidden entries (a leading dot) and folders of trash, backups and packages are ignored. Links are not followed. Closes the
 * opened path at the end.
 */
export async function* walkExtraPath(opened: OpenedPath, wanted: (relative: string) => boolean): AsyncGenerator<Found> {
  if (!opened.isFolder) return yield* onlyFile(opened.handle);
  const stack: Frame[] = [];
  try {
    stack.push(await enter(opened.handle, opened.real, ""));
    let left = MAX_ENTRIES;
    for (let frame = stack.at(-1); frame; frame = stack.at(-1)) {
      const page = await nextPage(frame.dir);
      left -= page.length;
      if (left < 0) return yield { kind: "broken off", reason: "too many entries" };
      if (page.length > 0) {
        yield* await sort(frame, page, wanted);
        continue;
      }
      // An unmounted volume looks like an empty folder.
      if (left === MAX_ENTRIES) return yield { kind: "broken off", reason: "empty" };
      const name = frame.subfolders.pop();
      if (name === undefined) await leave(stack.pop());
      else if (stack.length === MAX_DEPTH) yield { kind: "unread", relative: `${frame.relative}${name}` };
      else {
        const below = await enterBelow(frame, name);
        if (below) stack.push(below);
        else yield { kind: "unread", relative: `${frame.relative}${name}` };
      }
    }
  } catch {
    // This is never an error of the consumer: such an error ends the walk without reaching this
    // clause.
    yield { kind: "broken off", reason: "unreadable" };
  } finally {
    for (const frame of stack) await leave(frame);
  }
}

async function* onlyFile(handle: FileHandle): AsyncGenerator<Found> {
  try {
    yield fileAt("", await handle.stat(), (maxBytes) => readWhole(handle, maxBytes));
  } finally {
    await handle.close();
  }
}

async function enter(handle: FileHandle, real: string, relative: string): Promise<Frame> {
  try {
    const pinned = (await pathOf(handle)) !== undefined;
    const base = pinned ? `/proc/self/fd/${handle.fd}` : real;
    return { handle, dir: await opendir(base, { bufferSize: PAGE_ENTRIES }), base, pinned, relative, subfolders: [] };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function enterBelow(frame: Frame, name: string): Promise<Frame | undefined> {
  try {
    const handle = await openBelow(frame, name);
    const real = frame.pinned ? "" : `${frame.base}/${name}`;
    return await enter(handle, real, `${frame.relative}${name}/`);
  } catch {
    return undefined;
  }
}

async function openBelow(frame: Frame, name: string): Promise<FileHandle> {
  const path = `${frame.base}/${name}`;
  const handle = await open(path, FLAGS);
  if (frame.pinned || (await isAt(handle, path))) return handle;
  await handle.close();
  throw new Error("Another file is at this path now.");
}

async function leave(frame: Frame | undefined): Promise<void> {
  await frame?.dir.close();
  await frame?.handle.close();
}

async function nextPage(dir: Dir): Promise<Dirent[]> {
  const page: Dirent[] = [];
  while (page.length < PAGE_ENTRIES) {
    const entry = await dir.read();
    if (!entry) break;
    page.push(entry);
  }
  return page;
}

/** Collects the subfolders of one page of a folder, and inspects the page's files concurrently. */
async function sort(frame: Frame, page: readonly Dirent[], wanted: (relative: string) => boolean): Promise<Found[]> {
  const found = await Promise.all(
    page.map(async (entry): Promise<Found | undefined> => {
      const relative = `${frame.relative}${entry.name}`;
      if (entry.name.startsWith(".") || (entry.isDirectory() && isLeftOutFolder(relative))) return undefined;
      if (entry.isDirectory()) frame.subfolders.push(entry.name);
      if (entry.isDirectory() || !wanted(relative)) return undefined;
      if (!entry.isFile()) return { kind: "skipped", relative };
      const path = `${frame.base}/${entry.name}`;
      try {
        return fileAt(relative, await lstat(path), async (maxBytes) => {
          const handle = await openBelow(frame, entry.name);
          return readWhole(handle, maxBytes).finally(() => handle.close());
        });
      } catch (error) {
        // The file was deleted after it was listed, or its name is not UTF-8, which Node.js cannot
        // express.
        const isGone = (error as NodeJS.ErrnoException).code === "ENOENT";
        return { kind: isGone ? "skipped" : "unread", relative };
      }
    }),
  );
  return found.filter((one) => one !== undefined);
}

const LATEST_MS = Date.parse("9999-12-31T23:59:59Z");

function fileAt(relative: string, stat: { size: number; mtimeMs: number }, read: FoundFile["read"]): FoundFile {
  // The time is in whole milliseconds and within the years that both Postgres and JSON can
  // represent, because the next sync compares it with the stored time.
  const mtime = new Date(Math.min(LATEST_MS, Math.max(0, Math.trunc(stat.mtimeMs))));
  return { kind: "file", relative, size: stat.size, mtime, read };
}

/** Reads a file, at most one byte more than the limit, because a file can grow while it is read. */
async function readWhole(handle: FileHandle, maxBytes: number): Promise<Buffer | "not a file" | "too large"> {
  const stat = await handle.stat();
  if (!stat.isFile()) return "not a file";
  const buffer = Buffer.allocUnsafe(Math.min(stat.size, maxBytes) + 1);
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return length > maxBytes ? "too large" : buffer.subarray(0, length);
}
