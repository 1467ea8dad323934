import { pipeline, Readable } from "node:stream";
import { createGunzip, type Gunzip } from "node:zlib";
import { AppError } from "../../base/errors.ts";
import { createJsonCounter } from "../../base/json-structure.ts";
import { type Pace, readAtPace } from "../../base/pace.ts";
import { plainProblem } from "../../base/plain-problem.ts";
import {
  ARCHIVE_FORMAT,
  ARCHIVE_VERSION,
  type ArchiveHeader,
  type ArchiveLine,
  archiveHeader,
  archiveLine,
  LINE_ORDER,
  MAX_HEADER_BYTES,
  MAX_HEADER_VALUES,
  MAX_LINE_BYTES,
  MAX_LINE_VALUES,
  VERSION_WITH,
} from "./archive-format.ts";
import { invalid, type LineParser } from "./parse-line.ts";

/**
 * The minimum speed of a client, 10 KB a second. A slower client would occupy an import slot for
 * hours.
 */
const ARCHIVE_PACE: Pace = { bytes: 600_000, withinMs: 60_000 };
/** The longest time for which an archive may unpack to no data, whether or not bytes arrive. */
const MAX_SILENCE_MS = 60_000;
const MAX_DEPTH = 16;
const NEWLINE = 0x0a;

interface OpenArchive {
  header: ArchiveHeader;
  /** The lines in the order of `LINE_ORDER`. The generator ends with the line `end`, or throws. */
  lines: AsyncGenerator<ArchiveLine>;
  close(): void;
}

/**
 * Opens an archive that a client sends: gzip, UTF-8, one JSON object per line. Checks each line
 * before use. At most one line and zlib's buffers are in memory, however much the archive unpacks
 * to.
 *
 * @param options.maxBytes the most bytes that the archive may unpack to
 * @param options.pace the minimum speed of the client
 * @throws AppError `archive_invalid`, `payload_too_large`, `upload_too_slow`; `lines` throws them
 *   too
 */
export async function openArchive(
  body: ReadableStream<Uint8Array>,
  { maxBytes, parse, pace = ARCHIVE_PACE }: { maxBytes: number; parse: LineParser; pace?: Pace },
): Promise<OpenArchive> {
  const ended = new AbortController();
  const source = Readable.from(received(body, { maxBytes, pace, signal: ended.signal }), { objectMode: false });
  const gunzip = createGunzip();
  // The reader receives the error. `compose` would throw it a second time where nothing can catch
  // it.
  pipeline(source, gunzip, () => undefined);
  const close = () => {
    ended.abort();
    source.destroy();
  };
  try {
    const values = readValues(attended(gunzip), maxBytes, parse);
    const first = await values.next();
    if (first.done) throw invalid("is empty");
    return { header: readHeader(first.value.value), lines: readLines(values), close };
  } catch (error) {
    close();
    throw error;
  }
}

/**
 * Yields the parts of a client's body. `maxBytes` limits them too, since gzip does not enlarge an
 * archive. That stops an endless series of empty gzip blocks.
 */
async function* received(
  body: ReadableStream<Uint8Array>,
  { maxBytes, pace, signal }: { maxBytes: number; pace: Pace; signal: AbortSignal },
): AsyncGenerator<Uint8Array> {
  const tooSlow = () =>
    new AppError(
      "upload_too_slow",
      `The archive stopped arriving, or came slower than ${pace.bytes} bytes in ${pace.withinMs / 1000} seconds; send it again.`,
    );
  let total = 0;
  for await (const part of readAtPace(body, pace, tooSlow, signal)) {
    total += part.length;
    if (total > maxBytes) throw tooLarge("has", maxBytes);
    yield part;
  }
}

function readHeader(value: unknown): ArchiveHeader {
  const { format, version } = (value ?? {}) as { format?: unknown; version?: unknown };
  if (format !== ARCHIVE_FORMAT) throw invalid("does not begin with the header of an agent's archive");
  if (typeof version === "number" && version > ARCHIVE_VERSION)
    throw invalid(`has version ${version} of the format and was made by a newer Recollect; import it with that one`);
  if (!Number.isInteger(version) || Number(version) < VERSION_WITH.texts)
    throw invalid("has an unknown version of the format");
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
  throw invalid(`has an invalid line ${number}: ${path ? `${path}: ` : ""}${plainProblem(issue?.message ?? "")}`);
}

/**
 * Yields the stream's parts. Ends the stream when no part arrives for too long. The time that the
 * consumer takes to store a part does not count.
 */
async function* attended(stream: Gunzip): AsyncGenerator<Buffer> {
  const parts = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  try {
    for (;;) {
      const end = () => stream.destroy(invalid("unpacked to no data for a minute"));
      const silence = setTimeout(end, MAX_SILENCE_MS);
      const { done, value } = await parts.next().finally(() => clearTimeout(silence));
      if (done) return;
      yield value;
    }
  } finally {
    stream.destroy();
  }
}

/** Yields the lines, parsed as JSON. */
async function* readValues(
  stream: AsyncIterable<Buffer>,
  maxBytes: number,
  parse: LineParser,
): AsyncGenerator<{ value: unknown; number: number }> {
  let parts: Buffer[] = [];
  let [total, number] = [0, 1];
  let add = measureLine(number);
  try {
    for await (const chunk of stream) {
      total += chunk.length;
      if (total > maxBytes) throw tooLarge("unpacks to", maxBytes);
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
        const last = chunk.subarray(start, end);
        add(last);
        const value = await parse([...parts, last], number);
        yield { value, number };
        [parts, start] = [[], end + 1];
        add = measureLine(++number);
      }
      const rest = chunk.subarray(start);
      add(rest);
      if (rest.length > 0) parts.push(rest);
    }
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    // The codes of zlib's errors begin with one of these prefixes. Any other error is a closed
    // connection.
    const code = String((cause as { code?: unknown } | null)?.code);
    throw invalid(/^Z_|^ERR_/.test(code) ? "is not whole gzip data" : "could not be read to its end", cause);
  }
  if (parts.length > 0) throw invalid("has no end; it was cut off");
}

/**
 * Returns a function that measures the parts of a line as they arrive.
 *
 * @throws AppError `archive_invalid` when the line exceeds the limit of bytes, values or depth
 */
function measureLine(number: number): (part: Uint8Array) => void {
  const [bytes, values] = number === 1 ? [MAX_HEADER_BYTES, MAX_HEADER_VALUES] : [MAX_LINE_BYTES, MAX_LINE_VALUES];
  const excess = createJsonCounter({ values, depth: MAX_DEPTH });
  let length = 0;
  return (part) => {
    length += part.length;
    if (length > bytes) throw invalid(`has a line ${number} of more than ${bytes} bytes`);
    const found = excess(part);
    if (found === "depth") throw invalid(`has a line ${number} nested more than ${MAX_DEPTH} levels deep`);
    if (found === "values") throw invalid(`has a line ${number} with more than ${values} values`);
  };
}

function tooLarge(how: string, maxBytes: number): AppError {
  return new AppError(
    "payload_too_large",
    `The archive ${how} more than ${maxBytes} bytes; the operator can allow more with RECOLLECT_ARCHIVE_MAX_BYTES.`,
  );
}
