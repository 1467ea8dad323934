import { setTimeout as sleep } from "node:timers/promises";
import { countOf } from "../../base/text/count-of.ts";
import type { AgentClient } from "../../client/agent-client.ts";
import type { RecollectClient } from "../../client/client.ts";
import type { CliContext } from "../shell/context.ts";
import { createNoWorkerNotice } from "../shell/no-worker.ts";
import { startProgress } from "../shell/progress.ts";
import { waitForEmbeddings } from "../shell/wait-for-embeddings.ts";

const EVERY_MS = 300;
/** The time without a newly indexed message after which the command assumes that no worker runs. */
const STALL_MS = 60_000;

/**
 * Waits until all messages of an agent are indexed and embedded.
 *
 * @param signal ends the wait early, with the signal's reason as error
 * @returns whether the index stalled
 */
export async function waitForIndex(
  context: CliContext,
  { client, memory }: { client: RecollectClient; memory: AgentClient },
  signal?: AbortSignal,
): Promise<boolean> {
  const left = await waitForMessages(context, memory, signal);
  if (left > 0) {
    context.stderr.write(
      `Not indexed yet: ${countOf(left, "message")}; is a worker running? See \`recollect status\`.\n`,
    );
    return true;
  }
  return (await waitForEmbeddings(memory, { client, toEmbed: 0, stderr: context.stderr, signal })).stalled;
}

/**
 * Waits until all messages are indexed, or no worker makes progress.
 *
 * @returns the number of messages that are still not indexed at the end of the wait
 */
async function waitForMessages(
  { stderr }: CliContext,
  memory: AgentClient,
  signal: AbortSignal | undefined,
): Promise<number> {
  const tellOfWorker = createNoWorkerNotice(stderr);
  let status = await memory.status();
  const total = status.unindexedMessages;
  const progress = await startProgress(stderr, "indexing", total);
  let movedAt = performance.now();
  try {
    while (status.unindexedMessages > 0 && performance.now() - movedAt <= STALL_MS) {
      tellOfWorker(status);
      await sleep(EVERY_MS, undefined, signal && { signal });
      const before = status.unindexedMessages;
      status = await memory.status();
      if (status.unindexedMessages < before) movedAt = performance.now();
      progress.update(Math.max(0, total - status.unindexedMessages));
    }
  } finally {
    progress.stop();
  }
  return status.unindexedMessages;
}

/** Returns the notice about messages that the agent's searches do not cover. */
export function notSearched(agent: string): string {
  return `The messages are kept, but the agent ${agent} does not search its sessions; see: recollect sessions --help\n`;
}
