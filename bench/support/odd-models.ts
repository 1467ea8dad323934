import { createHash } from "node:crypto";
import type { Embedder, EmbedInputType } from "../../src/embeddings/embedder.ts";
import { withEmbed } from "../../src/embeddings/embedder.ts";
import { seededRandom } from "../../test/support/seeded-random.ts";

const DIMENSIONS = 256;

/** Returns a model that only recognises equal words: each word is a random direction. */
export function hashedWords(): Embedder {
  const known = new Map<string, Float32Array>();
  const direction = (word: string) => {
    const vector = known.get(word) ?? normalDirection(word);
    known.set(word, vector);
    return vector;
  };
  return model("hashed-words", (text) => {
    const sum = new Float32Array(DIMENSIONS);
    for (const word of text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? ["empty"])
      for (const [i, value] of direction(word).entries()) sum[i] = (sum[i] ?? 0) + value;
    return sum;
  });
}

/** Returns a model that gives every text an unrelated vector. */
export function noise(): Embedder {
  return model("noise", (text) => normalDirection(text));
}

/**
 * Returns a model whose questions lie elsewhere than its documents: the vectors of questions are
 * reversed.
 */
export function turned(embedder: Embedder): Embedder {
  const embed = async (texts: readonly string[], inputType: EmbedInputType, signal?: AbortSignal) => {
    const vectors = await embedder.embed(texts, inputType, signal);
    return inputType === "query" ? vectors.map((vector) => Float32Array.from(vector).reverse()) : vectors;
  };
  return { ...withEmbed(embedder, embed), model: `${embedder.model}-turned`, providerKey: "turned" };
}

function model(name: string, vectorOf: (text: string) => Float32Array): Embedder {
  return {
    provider: "bench",
    model: name,
    dimensions: DIMENSIONS,
    providerKey: name,
    maxBatchTexts: 100,
    maxInputTokens: 8191,
    embed: async (texts) => texts.map((text) => unit(vectorOf(text))),
    close: async () => undefined,
  };
}

/** Returns normally distributed values that depend only on the text. */
function normalDirection(text: string): Float32Array {
  const random = seededRandom(createHash("sha256").update(text).digest().readUInt32LE());
  return Float32Array.from({ length: DIMENSIONS }, () => {
    const radius = Math.sqrt(-2 * Math.log(1 - random.next()));
    return radius * Math.cos(2 * Math.PI * random.next());
  });
}

function unit(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}
