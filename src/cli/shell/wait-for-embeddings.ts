import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "../../base/errors.ts";
import { agentPath, callApi } from "./api-client.ts";
import type { Connection, Output } from "./context.ts";
import { startProgress } from "./progress.ts";

/** How often to ask, and when to give up, in milliseconds. */
export interface Pace {
  firstMs: number;
  longestMs: number;
  /** Without one more embedding for this long, nobody is working: no worker runs, or the provider refuses. */
  stallMs: number;
}

/** Five minutes outlast the rate limits of providers, which count per minute. */
const PACE: Pace = { firstMs: 500, longestMs: 2000, stallMs: 300_000 };

export interface Waited {
  /** Embeddings made since the upload. */
  embedded: number;
  /** Still to be made when the wait ended. */
  left: number;
  stalled: boolean;
}

/**
 * Waits until no chunk of the agent waits for its embedding, the server has no model to make any, or nothing moves.
 *
 * @param toEmbed embeddings the upload left to be made; some may be made already
 */
export async function waitForEmbeddings(
  connection: Connection,
  agent: string,
  options: { toEmbed: number; stderr: Output; pace?: Pace },
): Promise<Waited> {
  const pace = options.pace ?? PACE;
  let { left, possible } = await pendingOf(connection, agent);
  const total = Math.max(options.toEmbed, left);
  const progress = startProgress(options.stderr, "embedding", total);
  let waitMs = pace.firstMs;
  let movedAt = performance.now();
  let stalled = false;
  try {
    progress.update(total - left);
    while (left > 0 && possible && !stalled) {
      await sleep(waitMs);
      waitMs = Math.min(pace.longestMs, waitMs * 1.5);
      const before = left;
      ({ left, possible } = await pendingOf(connection, agent));
      if (left < before) movedAt = performance.now();
      stalled = left > 0 && performance.now() - movedAt >= pace.stallMs;
      progress.update(Math.max(0, total - left));
    }
  } finally {
    progress.stop();
  }
  return { embedded: Math.max(0, total - left), left, stalled };
}

async function pendingOf(connection: Connection, agent: string): Promise<{ left: number; possible: boolean }> {
  try {
    const status = await callApi<{ pendingEmbeddings?: number; vector?: { ready?: boolean } }>(
      connection,
      "GET",
      agentPath(agent, "status"),
    );
    return { left: status.pendingEmbeddings ?? 0, possible: status.vector?.ready !== false };
  } catch (error) {
    // An empty folder synced to an agent that never stored anything.
    if (error instanceof AppError && error.code === "agent_not_found") return { left: 0, possible: false };
    throw error;
  }
}
