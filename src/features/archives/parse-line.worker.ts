import { readJson } from "../../base/json-text.ts";
import type { ParseTask } from "../../service/core/parse-threads.ts";
import type { ParsedLine } from "./parse-line.ts";

/** Parses a long line of an archive, in a worker thread. */
// biome-ignore lint/style/noDefaultExport: Piscina runs a worker file's default export
export default function parseLongLine({ bytes }: ParseTask): ParsedLine {
  const read = readJson(bytes);
  return "problem" in read ? read : { value: read.value };
}
