import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";

/** The lines of an archive that the Markdown export uses, in the format of docs/ARCHIVE.md. */
export interface Written {
  header: { exportedAt: string };
  file: { path: string; content: string; mtime: string; original?: object };
  session: { key: string };
  messages: { session: string; messages: { role: string; name: string | null; at: string; text: string }[] };
  fact: {
    text: string;
    subject?: string;
    key: string | null;
    category: string;
    scope: { user: string; agent: string; session: string };
    tags: string[];
    validFrom: string;
    validTo: string | null;
    expiresAt: string | null;
  };
  end: object;
}

type WrittenLine = { [T in keyof Written]: { type: T } & Written[T] }[keyof Written];

/**
 * Yields the lines of an archive as they arrive, including lines of types that are not listed
 * above.
 *
 * @throws Error when the archive is cut off
 */
export async function* readMarkdownLines(archive: AsyncIterable<Uint8Array>): AsyncGenerator<WrittenLine> {
  const unpacked = createGunzip();
  // The reader of `unpacked` gets the error.
  pipeline(Readable.from(archive, { objectMode: false }), unpacked, () => undefined);
  let last: WrittenLine | undefined;
  for await (const line of linesOf(unpacked)) {
    last = JSON.parse(line) as WrittenLine;
    yield last;
  }
  if (last?.type !== "end") throw new Error("The archive is incomplete: its last line is missing.");
}

/**
 * Splits a stream into lines. `readline` is not used because it treats U+2028 as the end of a line.
 */
async function* linesOf(stream: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let parts: Buffer[] = [];
  for await (const chunk of stream) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      yield Buffer.concat([...parts, chunk.subarray(start, end)]).toString("utf8");
      [parts, start] = [[], end + 1];
    }
    parts.push(chunk.subarray(start));
  }
}

const NEWLINE = 0x0a;
