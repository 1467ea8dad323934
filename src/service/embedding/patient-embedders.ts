import { AppError } from "../../base/errors.ts";
import type { Embedders } from "./embedding-deps.ts";

/**
 * Embedders that somebody waits for: making one may take a provider's answer, as when it has to be asked for the dimensions
 * of a model, and a searcher would sit through all its timeouts and tries. All calls together wait `waitMs`, counted from now.
 *
 * @throws AppError `embedder_unavailable` from each call that is not done by then; what it began goes on for later callers
 */
export function patientEmbedders(embedders: Embedders, waitMs: number): Embedders {
  const until = performance.now() + waitMs;
  return {
    wanted: (settings) => within(embedders.wanted(settings), until, waitMs),
    of: (generation, settings) => within(embedders.of(generation, settings), until, waitMs),
  };
}

async function within<T>(promise: Promise<T>, until: number, waitMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const giveUp = () =>
      reject(new AppError("embedder_unavailable", `The embedding provider took longer than ${waitMs} ms.`));
    timer = setTimeout(giveUp, Math.max(1, until - performance.now()));
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
