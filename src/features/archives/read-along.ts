import { once } from "node:events";
import { createGunzip } from "node:zlib";
import { isObject } from "../../base/objects.ts";

/** The counts in the last line of an archive. */
export type ArchiveEnd = Record<"files" | "sessions" | "messages" | "facts" | "vectors", number>;

/** The number of bytes to keep; more than the length of the last line. */
const TAIL_BYTES = 1024;

/**
 * Passes the chunks of an archive on, and reads its last line on the way. Memory use does not grow
 * with the archive.
 *
 * @param tell called with the counts of the archive once it is complete
 * @throws Error when the chunks end before the archive does
 */
export async function* readAlong(
  chunks: AsyncIterable<Uint8Array>,
  tell: (end: ArchiveEnd) => void,
): AsyncGenerator<Uint8Array> {
  const unpacked = createGunzip();
  let tail = Buffer.alloc(0);
  unpacked.on("data", (part: Buffer) => {
    tail = Buffer.concat([tail, part.subarray(-TAIL_BYTES)]).subarray(-TAIL_BYTES);
  });
  const ended = once(unpacked, "end");
  // A failure is thrown where `ended` is awaited. This handler only prevents an unhandled
  // rejection.
  ended.catch(() => undefined);
  try {
    for await (const chunk of chunks) {
      if (!unpacked.write(chunk)) await Promise.race([once(unpacked, "drain"), ended]);
      yield chunk;
    }
    unpacked.end();
    await ended;
    tell(endOf(tail.toString("utf8")));
  } finally {
    unpacked.destroy();
  }
}

function endOf(tail: string): ArchiveEnd {
  const last: unknown = JSON.parse(tail.trimEnd().split("\n").at(-1) ?? "");
  if (!isObject(last) || last.type !== "end") throw new Error("The archive is incomplete: its last line is missing.");
  const { type: _, ...end } = last;
  return end as ArchiveEnd;
}
