import type { Entry, ZipFile } from "yauzl";
import { AppError } from "../../base/errors.ts";
import { counted } from "./counted.ts";
import type { Bad, SourceFile } from "./import-kind.ts";

/** The maximum number of files. An export has some hundreds; the list of them is kept in memory. */
const MAX_ENTRIES = 100_000;
/**
 * The maximum packing ratio. Texts shrink to about a tenth. A file with a higher ratio was made to
 * fill memory or to waste time.
 */
const MAX_RATIO = 200;
/** The size up to which a file may have any ratio, because it can do no harm. */
const HARMLESS_BYTES = 10_000_000;
const MAX_FILE_BYTES = 16_000_000_000;

/**
 * Opens a ZIP archive. Nothing is unpacked to disk. The files are read as streams, which end where
 * the archive says. Files whose names lead out of the archive, and files with too high a packing
 * ratio, are left out and reported.
 *
 * @throws AppError `invalid_request` when the archive is not valid
 */
export async function openZip(
  path: string,
  advance: (bytes: number) => void,
): Promise<{ files: SourceFile[]; bad: Bad[]; close(): void }> {
  const { openPromise, validateFileName, getFileNameLowLevel } = await import("yauzl");
  let zip: ZipFile | undefined;
  try {
    zip = await openPromise(path, { lazyEntries: true, autoClose: false, decodeStrings: false });
    const archive = zip;
    if (archive.entryCount > MAX_ENTRIES) throw new Error(`it has more than ${MAX_ENTRIES} files`);
    const found: { files: SourceFile[]; bad: Bad[] } = { files: [], bad: [] };
    for await (const entry of archive.eachEntry()) {
      const { generalPurposeBitFlag, fileNameRaw, extraFields } = entry;
      const name = getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, false);
      if (name.endsWith("/")) continue;
      const problem = validateFileName(name) ?? problemOf(entry);
      if (problem !== null) {
        found.bad.push({ place: name, bad: problem });
        continue;
      }
      const read = async () => counted(await archive.openReadStreamPromise(entry), advance);
      found.files.push({ path: name, size: entry.uncompressedSize, open: read, advance });
    }
    return { ...found, close: () => archive.close() };
  } catch (error) {
    zip?.close();
    const reason = (error instanceof Error ? error.message : String(error)).replace(/\.$/, "");
    throw new AppError("invalid_request", `${path} cannot be read as a ZIP archive: ${reason}.`);
  }
}

function problemOf(entry: Entry): string | null {
  const { uncompressedSize, compressedSize } = entry;
  if (entry.isEncrypted()) return "it is encrypted";
  if (uncompressedSize > MAX_FILE_BYTES) return `larger than ${MAX_FILE_BYTES} bytes`;
  const isBomb = uncompressedSize > HARMLESS_BYTES && uncompressedSize > compressedSize * MAX_RATIO;
  return isBomb ? `packed more than ${MAX_RATIO} times smaller than it is, as no export is` : null;
}
