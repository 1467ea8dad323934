import { setTimeout as sleep } from "node:timers/promises";
import type { AgentClient } from "../../client/agent-client.ts";
import type { AgentStatus } from "../../client/client.ts";
import type { Output } from "./context.ts";
import { createNoWorkerNotice } from "./no-worker.ts";
import { codeOf } from "./problem.ts";
import { startProgress } from "./progress.ts";

/** How often to ask, and when to give up, in milliseconds. */
export interface Pace {
  firstMs: number;
  longestMs: number;
  /**
   * The wait ends after this long without a new embedding: no worker runs, or the provider refuses.
   */
  stallMs: number;
}

/** Five minutes outlast the rate limits of providers, which count per minute. */
const PACE: Pace = { firstMs: 500, longestMs: 2000, stallMs: 300_000 };

export interface Waited {
  /** The embeddings made since the upload. */
  embedded: number;
  /** The embeddings still to be made when the wait ended. */
  left: number;
  stalled: boolean;
  /** Whether the server has a model that makes embeddings. */
  possible: boolean;
}

/**
 * Waits until no chunk of the agent lacks its embedding, the server has no model to make one, or no
 * progress is made.
 *
 * @param signal ends the wait early; requests must be ended by it too
 * @param toEmbed the number of embeddings that the upload left to be made; some may already be made
 */
export async function waitForEmbeddings(
  memory: AgentClient,
  options: { toEmbed: number; stderr: Output; pace?: Pace; signal?: AbortSignal | undefined },
): Promise<Waited> {
  const pace = options.pace ?? PACE;
  const tellOfWorker = createNoWorkerNotice(options.stderr);
  const look = () => pendingOf(memory, tellOfWorker);
  let { left, possible } = await look();
  const total = Math.max(options.toEmbed, left);
  const progress = await startProgress(options.stderr, "embedding", total, { unit: "chunks" });
  let waitMs = pace.firstMs;
  let movedAt = performance.now();
  let stalled = false;
  try {
    progress.update(total - left);
    while (left > 0 && possible && !stalled) {
      await sleep(waitMs, undefined, options.signal && { signal: options.signal });
      waitMs = Math.min(pace.longestMs, waitMs * 1.5);
      const before = left;
      ({ left, possible } = await look());
      if (left < before) movedAt = performance.now();
      stalled = left > 0 && performance.now() - movedAt >= pace.stallMs;
      progress.update(Math.max(0, total - left));
    }
  } finally {
    progress.stop();
  }
  return { embedded: Math.max(0, total - left), left, stalled, possible };
}

async function pendingOf(
  memory: AgentClient,
  tellOfWorker: (status: Partial<AgentStatus>) => void,
): Promise<{ left: number; possible: boolean }> {
  try {
    const status: Partial<AgentStatus> = await memory.status();
    tellOfWorker(status);
    return { left: status.pendingEmbeddings ?? 0, possible: status.vector?.ready !== false };
  } catch (error) {
    // An empty folder was synced to an agent that has never stored anything.
    if (codeOf(error) === "agent_not_found") return { left: 0, possible: true };
    throw error;
  }
}
