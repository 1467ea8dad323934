import { AppError } from "../../base/errors.ts";
import type { Embedders } from "./embedding-deps.ts";

/**
 * Embedders that somebody waits for: making one may take a provider's answer, as when it has to be asked for the dimensions
 * of a model, and a searcher would sit through all its timeouts and tries. All calls together wait `waitMs`, counted from now.
 *
 * @throws AppError `embedder_unavailable` from each call that is not done by then; what it began goes on for later callers
 */
export function embeddersWithDeadline(embedders: Embedders, waitMs: number): Embedders {
  const deadline = performance.now() + waitMs;
  return {
    forSettings: (settings) => within(embedders.forSettings(settings), deadline, waitMs),
    forGeneration: (generation, settings) => within(embedders.forGeneration(generation, settings), deadline, waitMs),
  };
}

async function within<T>(promise: Promise<T>, deadline: number, waitMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timedOut = new Promise<never>((_resolve, reject) => {
    const giveUp = () =>
      reject(new AppError("embedder_unavailable", `The embedding provider took longer than ${waitMs} ms.`));
    timer = setTimeout(giveUp, Math.max(1, deadline - performance.now()));
  });
  try {
    return await Promise.race([promise, timedOut]);
  } finally {
    clearTimeout(timer);
  }
}
