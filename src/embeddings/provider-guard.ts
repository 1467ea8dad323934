import { setTimeout as wait } from "node:timers/promises";
import { type CircuitBreaker, createCircuitBreaker } from "../base/circuit-breaker.ts";
import { AppError } from "../base/errors.ts";
import { createFairLane, type FairLane } from "../base/fair-lane.ts";
import type { EmbedInputType } from "./embedder.ts";
import type { Guard, GuardKeys } from "./remote-options.ts";

const MAX_TRIES = 3;
const BASE_DELAY_MS = 500;
const MAX_DELAY_MS = 8_000;
/**
 * The latest start of a retry, counted from the first try. A search waits for a query; a job embeds
 * documents.
 */
const MAX_TOTAL_MS: Readonly<Record<EmbedInputType, number>> = { query: 5_000, document: 60_000 };

export interface ResilienceOptions {
  /**
   * The most requests to one provider at once, for documents and for queries each. The operator's
   * setting.
   */
  laneLimit?: number | undefined;
  /** The most of these requests that one agent may have at once. The agent's setting. */
  concurrency?: number | undefined;
  /** Returns the milliseconds of a monotonic clock. */
  now?: () => number;
  sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Returns a random number from 0 up to 1. */
  random?: () => number;
}

interface Kept<T> {
  readonly value: T;
  /** The number of requests that are running or waiting. */
  users: number;
}

/**
 * The most entries kept in each map. Tenants choose models and input types, and each combination
 * has a breaker; only the operator sets addresses.
 */
const MAX_KEPT = 1000;

/**
 * The state of the providers in this process, least recently used first. All embedders that send to
 * one address with one key share its lanes, whatever model they ask for; otherwise a tenant could
 * multiply its requests by varying the model. A breaker belongs to one model, because a failing
 * model of one tenant says nothing about the model of another.
 */
export interface ResilienceRegistry {
  readonly lanes: Map<string, Kept<Record<EmbedInputType, FairLane>>>;
  readonly breakers: Map<string, Kept<CircuitBreaker>>;
}

export function createResilienceRegistry(): ResilienceRegistry {
  return { lanes: new Map(), breakers: new Map() };
}

/**
 * Creates the guard of one provider. It limits the requests that run at once and lets tenants take
 * turns; queries have a lane of their own and never wait behind documents. When the provider is
 * unavailable, it makes up to three tries, and waits as the provider says or else with full jitter
 * (Brooker, "Exponential Backoff And Jitter", 2015). After five failures in a row it stops sending
 * requests for 30 s. A request that the caller aborted counts neither as success nor as failure.
 *
 * @throws AppError the last failure; at once `embedder_unavailable` with `details.retryAfterMs`
 *   while it sends no requests, with the message and the details of the last failure
 */
export function createGuard(registry: ResilienceRegistry, keys: GuardKeys, options: ResilienceOptions = {}): Guard {
  const { concurrency: share = 4, laneLimit = share } = options;
  const { now = () => performance.now(), sleep = defaultSleep, random = Math.random } = options;
  const newLanes = () => ({ query: createFairLane(laneLimit), document: createFairLane(laneLimit) });
  return async (request, { inputType, signal }) => {
    // The state is looked up for each request. A guard that kept its state would no longer share it
    // after an eviction.
    const lanes = kept(registry.lanes, keys.lane, newLanes);
    const breaker = kept(registry.breakers, keys.breaker, () => createCircuitBreaker(now));
    lanes.users++;
    breaker.users++;
    try {
      let latest = Number.POSITIVE_INFINITY;
      for (let tries = 1; ; tries++) {
        // A request that waits for its next try frees its slot in the lane.
        const outcome = await lanes.value[inputType].run(
          () => {
            if (tries === 1) latest = now() + MAX_TOTAL_MS[inputType];
            return tryOnce(breaker.value, request, signal);
          },
          { signal, share },
        );
        if ("value" in outcome) return outcome.value;
        const delay = delayAfter(tries, outcome.error, random);
        if (tries === MAX_TRIES || breaker.value.open || now() + delay > latest) throw outcome.error;
        await sleep(delay, signal).catch((error: unknown) => {
          signal?.throwIfAborted();
          throw error;
        });
        signal?.throwIfAborted();
      }
    } finally {
      lanes.users--;
      breaker.users--;
    }
  };
}

/**
 * Returns the entry of a key and makes it the last to be evicted. Entries in use are never evicted.
 */
function kept<T>(map: Map<string, Kept<T>>, key: string, create: () => T): Kept<T> {
  const state = map.get(key) ?? { value: create(), users: 0 };
  map.delete(key);
  map.set(key, state);
  for (const [other, { users }] of map) {
    if (map.size <= MAX_KEPT) break;
    if (other !== key && users === 0) map.delete(other);
  }
  return state;
}

/**
 * Makes one try.
 *
 * @throws an error that no further try can mend
 */
async function tryOnce<T>(
  breaker: CircuitBreaker,
  request: () => Promise<T>,
  signal: AbortSignal | undefined,
): Promise<{ value: T } | { error: AppError }> {
  const admission = breaker.admit();
  if (admission.retryAfterMs > 0) throw paused(admission.retryAfterMs, breaker.lastFailure);
  try {
    const value = await request();
    breaker.succeeded();
    return { value };
  } catch (error) {
    if (signal?.aborted || !(error instanceof AppError)) {
      breaker.abandoned(admission);
      signal?.throwIfAborted();
      throw error;
    }
    if (error.code === "embedder_unavailable") {
      breaker.failed(error);
      return { error };
    }
    // A refusal is an answer, so the provider is up.
    if (error.code === "embedder_rejected") breaker.succeeded();
    else breaker.abandoned(admission);
    throw error;
  }
}

function delayAfter(tries: number, error: AppError, random: () => number): number {
  const jitter = random() * Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** (tries - 1));
  const asked = error.details?.retryAfterMs;
  // Waits at least until the time that the provider named, and adds jitter.
  return typeof asked === "number" ? asked + jitter / 2 : jitter;
}

/**
 * @param last what the provider answered the last time; the reader needs it to find the cause, and
 *   its age, because a mended cause would otherwise seem to be still there
 */
function paused(retryAfterMs: number, last: CircuitBreaker["lastFailure"]): AppError {
  const again = `fter repeated failures it is asked again in ${Math.ceil(retryAfterMs / 1000)} s.`;
  const message =
    last === undefined
      ? `The embedding provider does not answer. A${again}`
      : `${last.error.message} That was ${Math.round(last.agoMs / 1000)} s ago; a${again}`;
  return new AppError("embedder_unavailable", message, { details: { ...last?.error.details, retryAfterMs } });
}

async function defaultSleep(ms: number, signal?: AbortSignal): Promise<void> {
  await wait(ms, undefined, signal ? { signal } : {});
}
