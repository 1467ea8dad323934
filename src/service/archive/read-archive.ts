import { pipeline, Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { createGunzip, type Gunzip } from "node:zlib";
import { AppError } from "../../base/errors.ts";
import {
  ARCHIVE_FORMAT,
  ARCHIVE_VERSION,
  type ArchiveHeader,
  type ArchiveLine,
  archiveHeader,
  archiveLine,
  LINE_ORDER,
  MAX_LINE_BYTES,
  OLDER_VERSION,
} from "./archive-format.ts";

/** The longest silence of a client before the import ends. */
const MAX_SILENCE_MS = 60_000;
const MAX_DEPTH = 16;
const NEWLINE = 0x0a;

interface OpenArchive {
  header: ArchiveHeader;
  /** In the order of `LINE_ORDER`; ends with the line `end`, or throws. */
  lines: AsyncGenerator<ArchiveLine>;
  close(): void;
}

/**
 * Opens an archive that a client sends: gzip, UTF-8, one JSON object per line, each checked before use. At most one line
 * and zlib's buffers are in memory, however much the archive unpacks to.
 *
 * @param maxBytes how much it may unpack to
 * @throws AppError `archive_invalid`, `payload_too_large`; `lines` throws them too
 */
export async function openArchive(body: ReadableStream<Uint8Array>, maxBytes: number): Promise<OpenArchive> {
  const source = Readable.fromWeb(body);
  const gunzip = createGunzip();
  // The reader gets the error. Not `compose`, which throws it a second time where nobody can catch it.
  pipeline(source, gunzip, () => undefined);
  const close = () => source.destroy();
  try {
    const values = readValues(attended(gunzip), maxBytes);
    const first = await values.next();
    if (first.done) throw invalid("is empty");
    return { header: readHeader(first.value.value), lines: readLines(values), close };
  } catch (error) {
    close();
    throw error;
  }
}

function readHeader(value: unknown): ArchiveHeader {
  const { format, version } = (value ?? {}) as { format?: unknown; version?: unknown };
  if (format !== ARCHIVE_FORMAT) throw invalid("does not begin with the header of an agent's archive");
  if (typeof version === "number" && version > ARCHIVE_VERSION)
    throw invalid(`has version ${version} of the format and was made by a newer Recollect; import it with that one`);
  if (!Number.isInteger(version) || Number(version) < OLDER_VERSION.without)
    throw invalid("has a version of the format that there never was");
  return check(archiveHeader.safeParse(value), 1);
}

async function* readLines(values: AsyncGenerator<{ value: unknown; number: number }>): AsyncGenerator<ArchiveLine> {
  let place = 0;
  for await (const { value, number } of values) {
    const line = check(archiveLine.safeParse(value), number);
    const next = LINE_ORDER.indexOf(line.type);
    if (next < place || place === LINE_ORDER.length - 1) throw invalid(`has line ${number} out of order`);
    place = next;
    yield line;
  }
  if (place !== LINE_ORDER.length - 1) throw invalid("has no end; it was cut off");
}

function check<T>(
  parsed:
    | { success: true; data: T }
    | { success: false; error: { issues: { path: PropertyKey[]; message: string }[] } },
  number: number,
): T {
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const path = issue?.path.map(String).join(".").slice(0, 100);
  throw invalid(`has a line ${number} that is not as it should be: ${path ? `${path}: ` : ""}${issue?.message}`);
}

/** The stream's parts. It ends when nothing arrives for too long; the time for storing does not count. */
async function* attended(stream: Gunzip): AsyncGenerator<Buffer> {
  const parts = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  try {
    for (;;) {
      const end = () => stream.destroy(invalid("ends: nothing was sent for a minute; send it again"));
      const silence = setTimeout(end, MAX_SILENCE_MS);
      const { done, value } = await parts.next().finally(() => clearTimeout(silence));
      if (done) return;
      yield value;
    }
  } finally {
    stream.destroy();
  }
}

/** Lines as JSON values. */
async function* readValues(
  stream: AsyncIterable<Buffer>,
  maxBytes: number,
): AsyncGenerator<{ value: unknown; number: number }> {
  let parts: Buffer[] = [];
  let [length, total, number] = [0, 0, 0];
  try {
    for await (const chunk of stream) {
      total += chunk.length;
      if (total > maxBytes)
        throw new AppError(
          "payload_too_large",
          `The archive unpacks to more than ${maxBytes} bytes; the operator can allow more with RECOLLECT_ARCHIVE_MAX_BYTES.`,
        );
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
        const value = parse([...parts, chunk.subarray(start, end)], ++number);
        [parts, length, start] = [[], 0, end + 1];
        yield { value, number };
      }
      length += chunk.length - start;
      if (length > MAX_LINE_BYTES) throw invalid(`has a line ${number + 1} of more than ${MAX_LINE_BYTES} bytes`);
      parts.push(chunk.subarray(start));
    }
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    // zlib's codes begin like this; anything else is a closed connection.
    const code = String((cause as { code?: unknown } | null)?.code);
    throw invalid(/^Z_|^ERR_/.test(code) ? "is not whole gzip data" : "could not be read to its end", cause);
  }
  if (length > 0) throw invalid("has no end; it was cut off");
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function parse(parts: readonly Buffer[], number: number): unknown {
  let value: unknown;
  try {
    value = JSON.parse(utf8.decode(Buffer.concat(parts)));
  } catch (cause) {
    throw invalid(`has a line ${number} that is not JSON in UTF-8`, cause);
  }
  checkStorable(value, 0, number);
  return value;
}

/** Refuses what Postgres cannot store, and nesting that would exhaust the stack. */
function checkStorable(value: unknown, depth: number, number: number): void {
  if (depth > MAX_DEPTH) throw invalid(`has a line ${number} nested more than ${MAX_DEPTH} levels deep`);
  if (typeof value === "string" && (value.includes("\u0000") || !value.isWellFormed()))
    throw invalid(`has a line ${number} with a character that text cannot hold`);
  if (typeof value !== "object" || value === null) return;
  for (const [key, child] of Object.entries(value)) {
    if (key === "__proto__") throw invalid(`has a line ${number} with a key that nothing has`);
    checkStorable(key, depth, number);
    checkStorable(child, depth + 1, number);
  }
}

export function invalid(problem: string, cause?: unknown): AppError {
  return new AppError("archive_invalid", `The archive ${problem}.`, cause === undefined ? {} : { cause });
}
