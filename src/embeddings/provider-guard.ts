import { setTimeout as wait } from "node:timers/promises";
import { type CircuitBreaker, createCircuitBreaker } from "../base/circuit-breaker.ts";
import { AppError } from "../base/errors.ts";
import type { EmbedInputType } from "./embedder.ts";
import type { Guard } from "./remote-options.ts";
import { createSemaphore, type Semaphore } from "./semaphore.ts";

const MAX_TRIES = 3;
const BASE_DELAY_MS = 500;
const MAX_DELAY_MS = 8_000;
/** The latest start of a retry after the first try. A search waits for a query; documents are embedded by a job. */
const MAX_TOTAL_MS: Readonly<Record<EmbedInputType, number>> = { query: 5_000, document: 60_000 };

export interface ResilienceOptions {
  /** Requests to one provider at once, for documents and for queries each. */
  concurrency?: number | undefined;
  /** Milliseconds of a clock that only goes forward. */
  now?: () => number;
  sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** From 0 up to 1. */
  random?: () => number;
}

interface ProviderState {
  breaker: CircuitBreaker;
  semaphores: Record<EmbedInputType, Semaphore>;
  /** Requests that are under way or wait. */
  users: number;
}

/** Tenants choose addresses and input types, and each combination is a fingerprint. */
const MAX_PROVIDERS = 1000;

/**
 * The state of each provider in this process, by fingerprint, longest unused first. Embedders with the same fingerprint
 * share limits and breaker.
 */
export interface ResilienceRegistry {
  readonly providers: Map<string, ProviderState>;
}

export function createResilienceRegistry(): ResilienceRegistry {
  return { providers: new Map() };
}

/**
 * The guard of one provider. It lets so many requests run at once (queries in a lane of their own, so that they never wait
 * behind documents), tries up to three times when the provider is unavailable, waiting as the provider says or else with
 * full jitter (Brooker, "Exponential Backoff And Jitter", 2015), and stops asking for 30 s after five failures in a row.
 *
 * @throws AppError the last failure; `embedder_unavailable` with `details.retryAfterMs` at once while it has stopped asking
 */
export function createGuard(registry: ResilienceRegistry, key: string, options: ResilienceOptions = {}): Guard {
  const { concurrency = 4, now = () => performance.now(), sleep = defaultSleep, random = Math.random } = options;
  // The latest setting counts, not that of the first embedder.
  for (const semaphore of Object.values(stateOf(registry, key, concurrency, now).semaphores))
    semaphore.limit = concurrency;
  return async (request, { inputType, signal }) => {
    // Looked up for each request: a guard that kept its state would no longer share it after an eviction.
    const state = stateOf(registry, key, concurrency, now);
    state.users++;
    const attempt = async () => {
      const latest = now() + MAX_TOTAL_MS[inputType];
      for (let tries = 1; ; tries++) {
        signal?.throwIfAborted();
        const outcome = await tryOnce(state.breaker, request, signal);
        if ("value" in outcome) return outcome.value;
        const delay = delayAfter(tries, outcome.error, random);
        if (tries === MAX_TRIES || state.breaker.open || now() + delay > latest) throw outcome.error;
        await sleep(delay, signal).catch((error: unknown) => {
          signal?.throwIfAborted();
          throw error;
        });
      }
    };
    try {
      return await state.semaphores[inputType].run(attempt, signal);
    } finally {
      state.users--;
    }
  };
}

/** The state of one provider, which becomes the last to be evicted. A state in use is never evicted. */
function stateOf(registry: ResilienceRegistry, key: string, concurrency: number, now: () => number): ProviderState {
  const { providers } = registry;
  const state = providers.get(key) ?? {
    breaker: createCircuitBreaker(now),
    semaphores: { query: createSemaphore(concurrency), document: createSemaphore(concurrency) },
    users: 0,
  };
  providers.delete(key);
  providers.set(key, state);
  for (const [other, { users }] of providers) {
    if (providers.size <= MAX_PROVIDERS) break;
    if (other !== key && users === 0) providers.delete(other);
  }
  return state;
}

/** @throws what no further try can make right */
async function tryOnce<T>(
  breaker: CircuitBreaker,
  request: () => Promise<T>,
  signal: AbortSignal | undefined,
): Promise<{ value: T } | { error: AppError }> {
  const admission = breaker.admit();
  if (admission.retryAfterMs > 0) throw paused(admission.retryAfterMs);
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
      breaker.failed();
      return { error };
    }
    // A refusal is an answer: the provider is up.
    if (error.code === "embedder_rejected") breaker.succeeded();
    else breaker.abandoned(admission);
    throw error;
  }
}

function delayAfter(tries: number, error: AppError, random: () => number): number {
  const jitter = random() * Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** (tries - 1));
  const asked = error.details?.retryAfterMs;
  // Not before the time that the provider named, and with jitter.
  return typeof asked === "number" ? asked + jitter / 2 : jitter;
}

function paused(retryAfterMs: number): AppError {
  return new AppError(
    "embedder_unavailable",
    `The embedding provider failed again and again; it is asked again in ${Math.ceil(retryAfterMs / 1000)} s.`,
    { details: { retryAfterMs } },
  );
}

async function defaultSleep(ms: number, signal?: AbortSignal): Promise<void> {
  await wait(ms, undefined, signal ? { signal } : {});
}
