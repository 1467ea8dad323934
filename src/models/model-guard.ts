import { type CircuitBreaker, createCircuitBreaker } from "../base/circuit-breaker.ts";
import { AppError } from "../base/errors.ts";
import type { FairLane } from "../base/fair-lane.ts";
import type { ChatModel } from "./chat-model.ts";
import type { Reranker } from "./reranker.ts";

/**
 * Runs a request unless the last requests failed. A search should not wait for a server that is
 * known to be down.
 */
export type ModelGuard = <T>(request: () => Promise<T>) => Promise<T>;

/**
 * Creates a guard with a circuit breaker that opens for half a minute after five failures in a row.
 * A request that the caller aborted does not count as a failure: the caller may have waited only
 * briefly, and other callers would wait longer.
 */
export function createModelGuard(now: () => number = () => performance.now()): ModelGuard {
  const breaker = createCircuitBreaker(now);
  return async (request) => {
    const admission = breaker.admit();
    if (admission.retryAfterMs > 0) throw paused(breaker.lastFailure?.error);
    try {
      const value = await request();
      breaker.succeeded();
      return value;
    } catch (error) {
      settle(breaker, admission, error);
      throw error;
    }
  };
}

function paused({ message = "The model does not answer.", details }: Partial<AppError> = {}): AppError {
  return new AppError(
    "model_unavailable",
    `${message} After repeated failures it is tried again in a moment.`,
    details === undefined ? {} : { details: { ...details } },
  );
}

/** Reports the failed request to the breaker. A refusal is an answer, so the server is up. */
function settle(breaker: CircuitBreaker, admission: ReturnType<CircuitBreaker["admit"]>, error: unknown): void {
  if (!(error instanceof AppError)) breaker.abandoned(admission);
  else if (error.code === "model_rejected") breaker.succeeded();
  else breaker.failed(error);
}

/** The circuit breaker of a model, and the lane of its server, in which tenants take turns. */
export interface ModelPlace {
  readonly guard: ModelGuard;
  readonly lane: FairLane;
}

/** Returns the model with requests that take turns and are not sent to a server that is down. */
export function guardChat(chat: ChatModel, { guard, lane }: ModelPlace): ChatModel {
  return {
    ...chat,
    complete: (prompt, signal, schema) =>
      lane.run(() => guard(() => chat.complete(prompt, signal, schema)), { signal }),
  };
}

export function guardReranker(reranker: Reranker, { guard, lane }: ModelPlace): Reranker {
  return {
    // Field by field, because a spread would lose the methods of a class.
    provider: reranker.provider,
    model: reranker.model,
    rerank: (query, texts, signal) => lane.run(() => guard(() => reranker.rerank(query, texts, signal)), { signal }),
  };
}
