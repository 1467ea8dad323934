import { currentContext } from "../base/request-context.ts";
import type { Metrics } from "../observe/metrics.ts";
import { inSpan, measured } from "../observe/trace.ts";
import { type Embedder, withEmbed } from "./embedder.ts";

const made = new WeakMap<Metrics, WeakMap<Embedder, Embedder>>();

/**
 * Returns the embedder with each call counted, timed and traced. Each embedder has one observed
 * copy, however many settings lead to it, so that it is closed once.
 */
export function observeEmbedder(embedder: Embedder, metrics: Metrics): Embedder {
  const known = made.get(metrics) ?? new WeakMap<Embedder, Embedder>();
  made.set(metrics, known);
  const observer = known.get(embedder) ?? observerOf(embedder, metrics);
  known.set(embedder, observer);
  return observer;
}

function observerOf(embedder: Embedder, metrics: Metrics): Embedder {
  const { provider, model } = embedder;
  return withEmbed(embedder, (texts, inputType, signal, report) => {
    const labels = { provider, model: metrics.modelLabel(model), kind: inputType };
    const attributes = { "recollect.provider": provider, "recollect.model": model, "recollect.texts": texts.length };
    const call = async () => {
      const vectors = await embedder.embed(texts, inputType, signal, (usage) => {
        metrics.embedTokens.inc(labels, usage.tokens);
        const tenant = currentContext()?.tenantId;
        if (tenant !== undefined) metrics.tenantTokens.inc({ tenant: metrics.tenantLabel(tenant) }, usage.tokens);
        report?.(usage);
      });
      metrics.embedTexts.inc(labels, texts.length);
      return vectors;
    };
    return inSpan(`embed ${inputType}`, { role: "client", attributes }, () =>
      measured(call, signal, (outcome, seconds) => metrics.embedCalls.observe({ ...labels, outcome }, seconds)),
    );
  });
}
