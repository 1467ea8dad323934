import { type CircuitBreaker, createCircuitBreaker } from "../base/circuit-breaker.ts";
import { AppError } from "../base/errors.ts";
import type { ChatModel } from "./chat-model.ts";
import type { Reranker } from "./reranker.ts";

/** Lets a request through unless the last ones failed: a search should not wait for a server that is known to be down. */
export type ModelGuard = <T>(request: () => Promise<T>) => Promise<T>;

/**
 * A circuit breaker that opens for half a minute after five failures in a row. A request that misses the caller's deadline
 * is a failure too.
 */
export function createModelGuard(now: () => number = () => performance.now()): ModelGuard {
  const breaker = createCircuitBreaker(now);
  return async (request) => {
    const admission = breaker.admit();
    if (admission.retryAfterMs > 0)
      throw new AppError("model_unavailable", "The model failed again and again; it is asked again in a moment.");
    try {
      const value = await request();
      breaker.succeeded();
      return value;
    } catch (error) {
      settle(breaker, error);
      throw error;
    }
  };
}

/** A refusal is an answer: the server is up. */
function settle(breaker: CircuitBreaker, error: unknown): void {
  if (error instanceof AppError && error.code === "model_rejected") breaker.succeeded();
  else breaker.failed();
}

export function guardChat(chat: ChatModel, guard: ModelGuard): ChatModel {
  return { ...chat, complete: (prompt, signal, schema) => guard(() => chat.complete(prompt, signal, schema)) };
}

export function guardReranker(reranker: Reranker, guard: ModelGuard): Reranker {
  return { ...reranker, rerank: (query, texts, signal) => guard(() => reranker.rerank(query, texts, signal)) };
}
