import { setTimeout as sleep } from "node:timers/promises";
import type { AgentClient } from "../../client/agent-client.ts";
import type { CliContext } from "../shell/context.ts";
import { waitForEmbeddings } from "../shell/wait-for-embeddings.ts";

const EVERY_MS = 300;
/** Without one more message indexed for this long, nobody is working. */
const STALL_MS = 60_000;

/** Waits until all messages of an agent are indexed and embedded. @returns whether the index stalled */
export async function waitForIndex(context: CliContext, memory: AgentClient): Promise<boolean> {
  let movedAt = performance.now();
  for (let before = Number.POSITIVE_INFINITY; ; ) {
    const { unindexedMessages: left } = await memory.status();
    if (left === 0) break;
    if (left < before) movedAt = performance.now();
    before = left;
    if (performance.now() - movedAt > STALL_MS) {
      context.stderr.write(`${left} messages are not indexed yet; is a worker running? See \`recollect status\`.\n`);
      return true;
    }
    await sleep(EVERY_MS);
  }
  return (await waitForEmbeddings(memory, { toEmbed: 0, stderr: context.stderr })).stalled;
}

/** What to say of messages that no search looks at. */
export function notSearched(agent: string): string {
  return `The messages are kept, but the agent ${agent} does not search its sessions; see: recollect sessions --help\n`;
}
