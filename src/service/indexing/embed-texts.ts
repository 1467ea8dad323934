import { AppError } from "../../base/errors.ts";
import type { Embedder } from "../../embeddings/embedder.ts";
import type { KnownAgent } from "../core/known-agent.ts";
import { readCachedVectors } from "../embedding/embedder-for.ts";
import { createMadeVectors, type HashedText, type MadeVectors } from "../embedding/made-vectors.ts";
import type { IndexDeps } from "./index-deps.ts";

/** The results of embedding some texts, by hash. */
export interface EmbeddedTexts {
  /** The vectors from the cache and from the provider. */
  vectors: Map<string, Float32Array>;
  made: MadeVectors;
  /** The provider's reason for refusing a text. */
  rejected: Map<string, string>;
}

/**
 * The statuses with which a provider answers a text that it will never embed: too long, malformed,
 * or against its rules.
 */
const TEXT_FAULTS = new Set([400, 413, 422]);

/**
 * Returns the vectors of texts, from the cache or the provider; undefined if the process stops
 * meanwhile.
 */
export async function embedTexts(
  deps: IndexDeps,
  agent: KnownAgent,
  embedder: Embedder,
  texts: readonly HashedText[],
  signal: AbortSignal,
): Promise<EmbeddedTexts | undefined> {
  const hashes = texts.map(([hash]) => hash);
  const cached = await readCachedVectors(deps, agent, embedder, hashes);
  const made = createMadeVectors(deps, agent, embedder);
  const rejected = new Map<string, string>();
  const missing = texts.filter(([hash]) => !cached.has(hash));
  try {
    await embedOrBisect(made, missing, rejected, signal);
    if (missing.length > 0 && rejected.size === missing.length) await checkProvider(embedder, made, signal);
    return { vectors: new Map([...cached, ...made.vectors]), made, rejected };
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

/**
 * Embeds texts. If the provider refuses them, halves them until the refused text is alone: one bad
 * text costs a few more requests, and its neighbours keep their embeddings.
 */
async function embedOrBisect(
  made: MadeVectors,
  texts: readonly HashedText[],
  rejected: Map<string, string>,
  signal: AbortSignal,
): Promise<void> {
  if (texts.length === 0) return;
  try {
    await made.embed(texts, "document", signal);
  } catch (error) {
    if (!isTextFault(error)) throw error;
    const [[hash] = [""]] = texts;
    if (texts.length === 1) rejected.set(hash, `refused with status ${error.details?.status}`);
    else {
      const middle = Math.ceil(texts.length / 2);
      await embedOrBisect(made, texts.slice(0, middle), rejected, signal);
      await embedOrBisect(made, texts.slice(middle), rejected, signal);
    }
  }
}

/**
 * Lets the provider embed a text that every model accepts, after it has refused all texts of a
 * call. A provider may answer to a wrong key or model with the status of a bad text; that must not
 * mark all chunks as refused for good.
 *
 * @throws AppError `embedder_unavailable`
 */
async function checkProvider(embedder: Embedder, made: MadeVectors, signal: AbortSignal): Promise<void> {
  try {
    await embedder.embed(["memory"], "document", signal, made.report);
  } catch (cause) {
    if (!isTextFault(cause)) throw cause;
    throw new AppError(
      "embedder_unavailable",
      "The embedding provider refused every text. Check the key and the model.",
      {
        cause,
      },
    );
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
