import { AppError } from "../../base/errors.ts";
import type { Embedder, EmbedReport } from "../../embeddings/embedder.ts";
import type { KnownAgent } from "../core/known-agent.ts";
import { readCachedVectors } from "../embedding/embedder-for.ts";
import type { Asked } from "../embedding/embedding-usage.ts";
import type { IndexDeps } from "./index-deps.ts";

/** What became of texts, by hash, and what the provider was asked for that. */
export interface EmbeddedTexts {
  vectors: Map<string, Float32Array>;
  /** Those of the vectors that the provider made just now, which the cache does not have. */
  made: Map<string, Float32Array>;
  /** Why the provider refuses a text. */
  rejected: Map<string, string>;
  asked: Asked;
  report: EmbedReport;
}

/** What a provider answers to a text that it will never embed: too long, malformed, against its rules. */
const TEXT_FAULTS = new Set([400, 413, 422]);

/** The vectors of texts, from the cache or the provider; undefined when the process stops meanwhile. */
export async function embedTexts(
  deps: IndexDeps,
  agent: KnownAgent,
  embedder: Embedder,
  texts: readonly (readonly [hash: string, text: string])[],
  signal: AbortSignal,
): Promise<EmbeddedTexts | undefined> {
  const vectors = await readCachedVectors(
    deps,
    agent,
    embedder,
    texts.map(([hash]) => hash),
  );
  const asked: Asked = { requests: 0, texts: 0, tokens: 0 };
  const report: EmbedReport = ({ tokens }) => {
    asked.requests++;
    asked.tokens += tokens;
  };
  const embedded: EmbeddedTexts = { vectors, made: new Map(), rejected: new Map(), asked, report };
  const missing = texts.filter(([hash]) => !vectors.has(hash));
  try {
    await embedOrBisect(embedder, missing, embedded, signal);
    if (missing.length > 0 && embedded.rejected.size === missing.length)
      await checkProvider(embedder, embedded, signal);
    asked.texts = missing.length - embedded.rejected.size;
    return embedded;
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

/**
 * Embeds texts; when the provider refuses them, halves them until the text that it refuses stands alone. So one bad text
 * costs a few requests more and not the embeddings of its neighbours.
 */
async function embedOrBisect(
  embedder: Embedder,
  texts: readonly (readonly [hash: string, text: string])[],
  embedded: EmbeddedTexts,
  signal: AbortSignal,
): Promise<void> {
  if (texts.length === 0) return;
  try {
    const asked = texts.map(([, text]) => text);
    const made = await embedder.embed(asked, "document", signal, embedded.report);
    for (const [index, [hash]] of texts.entries()) {
      const vector = made[index];
      if (!vector) continue;
      embedded.vectors.set(hash, vector);
      embedded.made.set(hash, vector);
    }
  } catch (error) {
    if (!isTextFault(error)) throw error;
    const [[hash] = [""]] = texts;
    if (texts.length === 1) embedded.rejected.set(hash, `refused with status ${error.details?.status}`);
    else {
      const middle = Math.ceil(texts.length / 2);
      await embedOrBisect(embedder, texts.slice(0, middle), embedded, signal);
      await embedOrBisect(embedder, texts.slice(middle), embedded, signal);
    }
  }
}

/**
 * When a provider took none of the texts, asks it for one that every model takes: a wrong key or model that it answers with
 * the status of a bad text must not mark all chunks as refused for good.
 *
 * @throws AppError `embedder_unavailable`
 */
async function checkProvider(embedder: Embedder, { report }: EmbeddedTexts, signal: AbortSignal): Promise<void> {
  try {
    await embedder.embed(["memory"], "document", signal, report);
  } catch (cause) {
    if (!isTextFault(cause)) throw cause;
    throw new AppError("embedder_unavailable", "The embedding provider refuses every text; check key and model.", {
      cause,
    });
  }
}

function isTextFault(error: unknown): error is AppError {
  return (
    error instanceof AppError &&
    error.code === "embedder_rejected" &&
    error.details?.fault === "text" &&
    TEXT_FAULTS.has(Number(error.details?.status))
  );
}
