import prepareFile from "../../src/service/files/prepare-file.worker.ts";
import type { PrepareRequest, WindowsRequest } from "../../src/service/files/prepared-file.ts";

/** Begins a Markdown file that this worker never finishes. */
export const STUCK = "stuck ";
/** Begins a file that this worker never finishes in any format. */
export const HOPELESS = "hopeless ";
/** The size that this worker reports, so that a test can tell which files a thread has prepared. */
export const IN_THREAD = -1;

const forever = (): never => {
  for (;;);
};

// biome-ignore lint/style/noDefaultExport: Piscina runs a worker file's default export
export default function prepare(request: PrepareRequest) {
  if (request.content.startsWith(HOPELESS)) forever();
  if (request.content.startsWith(STUCK) && request.format !== "plain") forever();
  return { ...prepareFile(request), size: IN_THREAD };
}

export function prepareWindows({ messages }: WindowsRequest) {
  return messages.some(({ text }) => text.startsWith(STUCK)) ? forever() : [];
}
