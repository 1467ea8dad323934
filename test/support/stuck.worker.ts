import prepareFile from "../../src/service/files/prepare-file.worker.ts";
import type { PrepareRequest, ReadTurn, TurnRequest, WindowsRequest } from "../../src/service/files/prepared-file.ts";

/** What a file of Markdown says, or a turn, that the worker never comes to the end of. */
export const STUCK = "stuck ";
/** What a file says that takes for ever in any format. */
export const HOPELESS = "hopeless ";
/** The size of what this worker prepared, so that a test sees what was prepared in a thread. */
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

export function readTurn({ messages }: TurnRequest): ReadTurn {
  return messages.some(({ text }) => text.startsWith(STUCK)) ? forever() : { candidates: [], own: ["read"] };
}
