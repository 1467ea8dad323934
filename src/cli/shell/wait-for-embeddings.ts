import { setTimeout as sleep } from "node:timers/promises";
import type { AgentClient } from "../../client/agent-client.ts";
import type { Finding } from "../../client/api-types.ts";
import type { AgentStatus, RecollectClient } from "../../client/client.ts";
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
  /** After this long without a new embedding, the service is asked whether the provider answers. */
  askMs: number;
  /**
   * After this long, it is asked again if the provider had an outage, its limit was reached, or the
   * agent has another provider to fall back on.
   */
  againMs: Readonly<Record<"outage" | "limit" | "fallback", number>>;
}

/**
 * An outage is asked about again after the 30 s for which a failing provider gets no requests, and a
 * limit after the minute for which providers count requests. A job builds the index of the fallback
 * a minute after the provider has failed.
 */
const AGAIN_MS = { outage: 50_000, limit: 90_000, fallback: 120_000 };
const PACE: Pace = { firstMs: 500, longestMs: 2000, stallMs: 300_000, askMs: 15_000, againMs: AGAIN_MS };

export interface Waited {
  /** The embeddings made since the upload. */
  embedded: number;
  /** The embeddings still to be made when the wait ended. */
  left: number;
  stalled: boolean;
  /** The provider's fault and its remedy, if the wait stalled and the service knows the fault. */
  trouble?: string;
  /** Whether the server has a model that makes embeddings. */
  possible: boolean;
}

/**
 * Waits until no chunk of the agent lacks its embedding, the server has no model to make one, or no
 * progress is made. While nothing moves, it says once what is wrong with the provider. It ends the
 * wait if the provider refuses or fails, and goes on if the provider is only slow.
 *
 * @param client asks the service about the provider
 * @param signal ends the wait early; requests must be ended by it too
 * @param toEmbed the number of embeddings that the upload left to be made; some may already be made
 */
export async function waitForEmbeddings(
  memory: AgentClient,
  options: {
    client: RecollectClient;
    toEmbed: number;
    stderr: Output;
    pace?: Pace;
    signal?: AbortSignal | undefined;
  },
): Promise<Waited> {
  const pace = options.pace ?? PACE;
  const tellOfWorker = createNoWorkerNotice(options.stderr);
  const look = () => pendingOf(memory, tellOfWorker);
  let { left, possible, mayFallBack } = await look();
  const total = Math.max(options.toEmbed, left);
  const progress = await startProgress(options.stderr, "embedding", total, { unit: "chunks" });
  let waitMs = pace.firstMs;
  let movedAt = performance.now();
  let stalled = false;
  const watch = createTroubleWatch(memory.id, { ...options, pace });
  try {
    progress.update(total - left);
    while (left > 0 && possible && !stalled) {
      await sleep(waitMs, undefined, options.signal && { signal: options.signal });
      waitMs = Math.min(pace.longestMs, waitMs * 1.5);
      const before = left;
      ({ left, possible, mayFallBack } = await look());
      if (left < before) {
        movedAt = performance.now();
        watch.moved();
      }
      const stillMs = performance.now() - movedAt;
      stalled = left > 0 && ((await watch.endsWait(stillMs, mayFallBack)) || stillMs >= pace.stallMs);
      if (stalled) {
        // The question may take so long that embeddings are made meanwhile.
        const asked = left;
        ({ left, possible } = await look());
        stalled = left > 0 && left >= asked;
      }
      progress.update(Math.max(0, total - left));
    }
  } finally {
    progress.stop();
  }
  const { trouble } = watch;
  return { embedded: Math.max(0, total - left), left, stalled, possible, ...(stalled && trouble && { trouble }) };
}

const LATER =
  "The texts are stored and found by keyword. When the problem is solved, the server or the next command makes the embeddings.";

/** Asks what is wrong with the agent's provider while nothing moves, and says it once. */
function createTroubleWatch(
  agent: string,
  {
    client,
    stderr,
    pace,
    signal,
  }: { client: RecollectClient; stderr: Output; pace: Pace; signal?: AbortSignal | undefined },
) {
  let askAtMs = pace.askMs;
  let known: Trouble | undefined;
  return {
    get trouble() {
      return known?.sentence;
    },
    moved: () => {
      [askAtMs, known] = [pace.askMs, undefined];
    },
    /**
     * Returns whether the provider's trouble ends the wait after this long without an embedding.
     *
     * @param mayFallBack whether the agent has a fallback that its index does not use yet
     */
    endsWait: async (stillMs: number, mayFallBack: boolean): Promise<boolean> => {
      if (stillMs < askAtMs) return false;
      const isFirst = known === undefined;
      known = await troubleOf(client, agent, signal);
      if (known && isFirst) stderr.write(`No embedding is made. ${known.sentence} ${LATER}\n`);
      if (known === undefined || known.reason === "slow") askAtMs = Number.POSITIVE_INFINITY;
      else if (!isFirst) return true;
      else if (mayFallBack) askAtMs = pace.againMs.fallback;
      else if (known.reason === undefined) return true;
      else askAtMs = pace.againMs[known.reason];
      return false;
    },
  };
}

interface Trouble {
  /** A text that names the fault and its remedy. */
  sentence: string;
  reason: Finding["reason"];
}

/** Returns what is wrong with the agent's provider; undefined: nothing that is known. */
async function troubleOf(
  client: RecollectClient,
  agent: string,
  signal: AbortSignal | undefined,
): Promise<Trouble | undefined> {
  try {
    const { findings } = await client.request<{ findings: Finding[] }>(
      "GET",
      `/v1/doctor?agent=${encodeURIComponent(agent)}`,
      { signal },
    );
    const failed = findings.find(({ check, state }) => check === "provider" && state === "failed");
    return failed && { sentence: `${failed.message} ${failed.remedy ?? ""}`.trim(), reason: failed.reason };
  } catch {
    // A service without the feature `doctor`, or one that is busy, must not end the wait.
    return undefined;
  }
}

async function pendingOf(
  memory: AgentClient,
  tellOfWorker: (status: Partial<AgentStatus>) => void,
): Promise<{ left: number; possible: boolean; mayFallBack: boolean }> {
  try {
    const status: Partial<AgentStatus> = await memory.status();
    tellOfWorker(status);
    const possible = status.vector?.ready !== false;
    return { left: status.pendingEmbeddings ?? 0, possible, mayFallBack: status.fallback?.inUse === false };
  } catch (error) {
    // An empty folder was synced to an agent that has never stored anything.
    if (codeOf(error) === "agent_not_found") return { left: 0, possible: true, mayFallBack: false };
    throw error;
  }
}
