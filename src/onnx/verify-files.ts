import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { AppError } from "../base/errors.ts";
import type { LocatedModel } from "./locate-model.ts";

/**
 * The hashes of files by path, size, modification time and inode, because hashing 133 MB takes a
 * tenth of a second.
 */
const known = new Map<string, Promise<string>>();

/**
 * Verifies the hashes of a model's files.
 *
 * @throws AppError `config_invalid` when a file cannot be read or has another hash
 */
export async function verifyFiles({ model, weightsPath, tokenizerPath }: LocatedModel): Promise<void> {
  const files = [
    { ...model.weights, at: weightsPath },
    { ...model.tokenizer, at: tokenizerPath },
  ];
  for (const { path, sha256, at } of files) {
    const found = await hashOf(at).catch((cause: unknown) => {
      throw new AppError("config_invalid", `The file ${path} of the model ${model.name} cannot be read.`, { cause });
    });
    if (found !== sha256)
      throw new AppError(
        "config_invalid",
        `The file ${path} of the model ${model.name} is not the expected file: its SHA-256 is ${found}, not ${sha256}. Install it anew.`,
      );
  }
}

async function hashOf(path: string): Promise<string> {
  const { size, mtimeMs, ino } = await stat(path);
  const key = JSON.stringify([path, size, mtimeMs, ino]);
  const hashing = known.get(key) ?? hashFile(path);
  known.set(key, hashing);
  // A file that could not be read now may be readable next time.
  hashing.catch(() => known.delete(key));
  return hashing;
}

async function hashFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  // Reading a megabyte at a time blocks the event loop for about a millisecond.
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash);
  return hash.digest("hex");
}
