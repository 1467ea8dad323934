import { createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Command } from "commander";
import type { CliContext } from "./context.ts";
import { joinedWords } from "./option-parsers.ts";

/** The argument that stands for standard input. */
export const STANDARD_INPUT = "-";

/**
 * Calls a function with the absolute path of a file that was named on the command line. For `-`, this is a
 * temporary file with standard input, because commands read a file more than once.
 */
export async function withFile<T>(
  context: Pick<CliContext, "cwd" | "input">,
  named: string,
  use: (path: string) => Promise<T>,
): Promise<T> {
  if (named !== STANDARD_INPUT) return use(resolve(context.cwd, named));
  const folder = await mkdtemp(join(tmpdir(), "recollect-input-"));
  try {
    const path = join(folder, "stdin");
    await pipeline(context.input(), createWriteStream(path));
    return await use(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns the text of an argument: its words, or for `-` alone standard input. An empty text is wrong usage. */
export async function typedText(
  context: Pick<CliContext, "readInput">,
  words: readonly string[],
  command: Command,
): Promise<string> {
  const isInput = words.length === 1 && words[0] === STANDARD_INPUT;
  return joinedWords(isInput ? [await context.readInput()] : words, command);
}
