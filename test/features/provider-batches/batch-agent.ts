import { advanceBatches } from "../../../src/features/provider-batches/advance-batches.ts";
import type { Deps } from "../../../src/service/deps.ts";
import { embedPending } from "../../../src/service/indexing/embed-pending.ts";
import type { FakeBatches } from "../../support/fake-batches.ts";
import {
  LONG_TURN_MS,
  type ProviderApp,
  type ProviderAppOptions,
  startProviderApp,
} from "../../support/provider-agent.ts";

/** An app whose agents may have batches of a fake provider. Tests run the jobs by hand. */
export interface BatchApp extends ProviderApp {
  /** Makes an agent with batches and `count` files of one chunk each, all of them pending. */
  fill(agent: string, count: number, batch?: Record<string, unknown>): Promise<void>;
  /**
   * Runs the job `embed-batch` once. If it asks for batches to be planned, also runs `embed` and
   * `embed-batch` again.
   */
  advance(agent: string, deps?: Partial<Deps>, signal?: AbortSignal): Promise<void>;
  /** Runs both jobs in turn until nothing is pending. */
  drain(agent: string): Promise<void>;
  rows(agent: string): Promise<{ status: string; remoteId: string | null }[]>;
}

export async function startBatchApp(
  fake: FakeBatches,
  provider: "openai" | "gemini",
  options: ProviderAppOptions = {},
): Promise<BatchApp> {
  const base = await startProviderApp(fake, provider, options);
  const { app, caller } = base;
  let plans = false;
  const queue: Deps["queue"] = {
    ...base.deps.queue,
    send: (tx, contract, payload, turn) => {
      plans ||= (payload as { plan?: boolean }).plan === true;
      return app.runtime.deps.queue.send(tx, contract, payload, turn);
    },
  };
  const deps: Deps = { ...base.deps, queue };
  const running = new AbortController().signal;
  const advance: BatchApp["advance"] = async (agent, more = {}, signal = running) => {
    const own = { ...deps, ...more };
    await advanceBatches(own, caller, agent, signal);
    if (!plans) return;
    plans = false;
    await embedPending(own, caller, agent, signal, { plan: true, turnMs: LONG_TURN_MS });
    await advanceBatches(own, caller, agent, signal);
  };
  return {
    ...base,
    deps,
    fill: (agent, count, batch = {}) => base.fill(agent, count, { remote: { batch: { enabled: true, ...batch } } }),
    advance,
    drain: async (agent) => {
      for (let turn = 0; turn < 12; turn++) {
        // A job that fails is tried again in the next turn.
        await base.embed(agent).catch((error: unknown) => deps.logger.warn(error, "a job failed"));
        if ((await base.pending(agent)) === 0) return;
        await advance(agent);
      }
    },
    rows: async (agent) =>
      (
        await app.db.executeSql<{ status: string; remoteId: string | null }>(
          `SELECT status, remote_id AS "remoteId" FROM recollect.embedding_batches WHERE agent_id = $1 ORDER BY created_at`,
          [agent],
        )
      ).rows,
  };
}
