import type { LlamaEngine } from "../../src/embeddings/local-embedder.ts";

export interface FakeLlama {
  engine: LlamaEngine;
  /** The inputs that the model was asked to embed, as texts again. */
  asked: string[];
  /** The objects that were opened and closed, in order. */
  events: string[];
  contextOptions: { contextSize: number; batchSize: number } | undefined;
  /** Set to hold answers until it resolves. */
  gate: Promise<void> | undefined;
  failure: Error | undefined;
}

/**
 * Fakes node-llama-cpp as its documentation describes it: a token is a character, a vector counts
 * letters.
 */
export function fakeLlama({ trainContextSize = 2048, vectorSize = 4 } = {}): FakeLlama {
  const dispose = (name: string) => async () => void fake.events.push(`closed ${name}`);
  const fake: FakeLlama = {
    asked: [],
    events: [],
    contextOptions: undefined,
    gate: undefined,
    failure: undefined,
    engine: {
      getLlama: async (options) => {
        fake.events.push(`llama, build ${options.build}`);
        return {
          loadModel: async ({ modelPath }) => {
            fake.events.push(`model ${modelPath.split("/").at(-1)}`);
            if (fake.failure) throw fake.failure;
            return {
              trainContextSize,
              embeddingVectorSize: vectorSize,
              tokenize: (text) => [...text].map((char) => char.codePointAt(0) ?? 0),
              createEmbeddingContext: async (contextOptions) => {
                fake.contextOptions = contextOptions;
                return {
                  getEmbeddingFor: async (tokens) => {
                    // The engine does the same: it adds a token before and after, and a full
                    // context is an error.
                    if (tokens.length + 2 >= contextOptions.contextSize) throw new Error("Input is longer than …");
                    if (fake.failure) throw fake.failure;
                    fake.asked.push(String.fromCodePoint(...tokens));
                    await fake.gate;
                    return { vector: Array.from({ length: vectorSize }, (_, i) => 1 + ((tokens[i] ?? 0) % 7)) };
                  },
                  dispose: dispose("context"),
                };
              },
              dispose: dispose("model"),
            };
          },
          dispose: dispose("llama"),
        };
      },
    },
  };
  return fake;
}
