import type { Metrics } from "../observe/metrics.ts";
import { inSpan, measured } from "../observe/trace.ts";
import type { Models } from "./open-models.ts";

/** Returns the models with each call counted, timed and traced. */
export function observeModels(models: Models, metrics: Metrics): Models {
  const observe = <T>(kind: string, model: Called, signal: AbortSignal, call: () => Promise<T>) =>
    observeCall(metrics, kind, model, signal, call);
  return {
    close: () => models.close(),
    chat: (name) => {
      const chat = models.chat(name);
      return {
        ...chat,
        complete: (prompt, signal, schema) =>
          observe("chat", chat, signal, () => chat.complete(prompt, signal, schema)),
      };
    },
    reranker: (provider, name) => {
      const reranker = models.reranker(provider, name);
      return {
        ...reranker,
        rerank: (query, texts, signal) =>
          observe("rerank", reranker, signal, () => reranker.rerank(query, texts, signal)),
      };
    },
  };
}

interface Called {
  readonly provider: string;
  readonly model: string;
}

function observeCall<T>(
  metrics: Metrics,
  kind: string,
  { provider, model }: Called,
  signal: AbortSignal,
  call: () => Promise<T>,
): Promise<T> {
  const attributes = { "recollect.provider": provider, "recollect.model": model };
  return inSpan(kind, { role: "client", attributes }, () =>
    measured(call, signal, (outcome, seconds) =>
      metrics.modelCalls.observe({ kind, provider, model: metrics.modelLabel(model), outcome }, seconds),
    ),
  );
}
