import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { Readable } from "node:stream";
import { createZstdDecompress } from "node:zlib";
import { jsonOf } from "../../base/json-text.ts";
import { isObject } from "../../base/objects.ts";

/** A transcript that OpenClaw has packed after some weeks without a message. */
export interface ColdTranscript {
  name: string;
  sha256: string;
  /** The packed transcript; undefined if it is a file beside the database. */
  blob: Uint8Array | undefined;
}

/** An event of a transcript, as a row of the database has it. */
export interface ColdEvent {
  seq: number;
  event_json: string;
}

const NAME = /^[0-9a-f]{64}\.jsonl\.zst$/;
/** OpenClaw's own limit of a packed transcript. */
const MAX_ARCHIVE_BYTES = 67_108_864;
/** The most characters of a record: an entry of four megabytes, as text within a text. */
const MAX_RECORD_CHARS = 12_582_912;
const MAX_UNPACKED_CHARS = 1_000_000_000;

/**
 * Yields the events of a packed transcript, without abandoned branches.
 *
 * @param databasePath the database that names the transcript
 * @throws Error when the packed transcript is missing, damaged or too large
 */
export async function* coldEvents(databasePath: string, cold: ColdTranscript): AsyncGenerator<ColdEvent> {
  const bytes = cold.blob ?? (await readArchive(databasePath, cold.name));
  if (createHash("sha256").update(bytes).digest("hex") !== cold.sha256)
    throw new Error("a packed transcript is damaged");
  const active = new Set<unknown>();
  for await (const { kind, row } of recordsOf(bytes)) if (kind === "active" && isObject(row)) active.add(row.event_seq);
  for await (const { kind, row } of recordsOf(bytes)) {
    if (kind !== "event" || !isObject(row)) continue;
    const { seq, event_json } = row;
    if (typeof seq !== "number" || typeof event_json !== "string") continue;
    if (active.size === 0 || active.has(seq)) yield { seq, event_json };
  }
}

async function readArchive(databasePath: string, name: string): Promise<Uint8Array> {
  if (!NAME.test(name)) throw new Error("a packed transcript has an unknown name");
  const folder = dirname(databasePath);
  const sessions = basename(folder) === "agent" ? join(dirname(folder), "sessions") : folder;
  const path = join(sessions, "cold", name);
  const { size } = await stat(path).catch(() => ({ size: -1 }));
  if (size < 0) throw new Error(`a packed transcript is missing: sessions/cold/${name}`);
  if (size > MAX_ARCHIVE_BYTES) throw new Error("a packed transcript is too large");
  return readFile(path);
}

/** Yields the records of a packed transcript. Records that are no JSON are left out. */
async function* recordsOf(bytes: Uint8Array): AsyncGenerator<Record<string, unknown>> {
  for await (const line of unpackedLines(bytes)) {
    const record = jsonOf(line);
    if (isObject(record)) yield record;
  }
}

/**
 * Yields the lines of a packed file that are not empty.
 *
 * @throws Error when the file is damaged or too large
 */
export async function* unpackedLines(bytes: Uint8Array): AsyncGenerator<string> {
  const unpacked = Readable.from([bytes]).pipe(createZstdDecompress());
  const decoder = new TextDecoder();
  let rest = "";
  let all = 0;
  for await (const part of unpacked as AsyncIterable<Buffer>) {
    const lines = (rest + decoder.decode(part, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    all += part.length;
    if (rest.length > MAX_RECORD_CHARS || all > MAX_UNPACKED_CHARS) throw new Error("a packed transcript is too large");
    yield* lines.filter((line) => line !== "");
  }
  if (rest !== "") yield rest;
}
