import { createReadStream } from "node:fs";
import { open, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { AppError } from "../../base/errors.ts";
import { filesBelow } from "../../cli/folder/files-below.ts";
import { counted } from "./counted.ts";
import type { Bad, SourceFile } from "./import-kind.ts";
import { openZip } from "./open-zip.ts";

/** The file, folder or archive to import from. */
export interface Source {
  /** The source itself if it is a folder, otherwise the folder that contains it. */
  root: string;
  /** The name of the only file to read, if the source is a single file. */
  only?: string;
  isZip: boolean;
  files: SourceFile[];
  /** The files that cannot be read. */
  bad: Bad[];
  close(): void;
}

const SLICE_BYTES = 1 << 16;
const ZIP_START = "PK\u0003\u0004";

/**
 * Opens a file, a folder or a ZIP archive.
 *
 * @param advance called with the number of bytes that were read
 * @throws AppError `invalid_request` when the path does not exist, or the archive is not valid
 */
export async function openSource(path: string, advance: (bytes: number) => void): Promise<Source> {
  const found = await stat(path).catch(() => undefined);
  if (!found?.isDirectory() && !found?.isFile())
    throw new AppError("invalid_request", `There is no file or folder ${path}.`);
  const close = () => undefined;
  if (found.isDirectory()) {
    const files = (await filesBelow(path)).map((name) => onDisk(path, name, advance));
    return { root: path, isZip: false, files, bad: [], close };
  }
  const [root, only] = [dirname(path), basename(path)];
  if (await isZip(path)) return { root, isZip: true, ...(await openZip(path, advance)) };
  return { root, only, isZip: false, files: [onDisk(root, only, advance)], bad: [], close };
}

/**
 * Creates a file of a folder. Its size is not read here, because a folder may have many files and
 * only some of them are read.
 */
function onDisk(root: string, path: string, advance: (bytes: number) => void): SourceFile {
  const absolute = join(root, path);
  return {
    path,
    absolute,
    size: 0,
    advance,
    open: async () => counted(createReadStream(absolute, { highWaterMark: SLICE_BYTES }), advance),
  };
}

async function isZip(path: string): Promise<boolean> {
  const file = await open(path, "r");
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(ZIP_START.length), 0, ZIP_START.length, 0);
    return buffer.toString("latin1", 0, bytesRead) === ZIP_START;
  } finally {
    await file.close();
  }
}
