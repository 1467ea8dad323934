import { once } from "node:events";
import { createGunzip } from "node:zlib";
import { isObject } from "../../base/objects.ts";

/** What an archive's last line says that it has. */
export type ArchiveEnd = Record<"files" | "sessions" | "messages" | "facts" | "vectors", number>;

/** More than the last line is long. */
const TAIL_BYTES = 1024;

/**
 * Passes an archive on as it comes, and reads along to its last line. Memory does not grow with it.
 *
 * @param tell is told what the archive has once it is whole
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
  // What it fails with is thrown where it is awaited.
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
  if (!isObject(last) || last.type !== "end") throw new Error("The archive has no end.");
  const { type: _, ...end } = last;
  return end as ArchiveEnd;
}
