import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DESCRIPTION_FILE } from "../../src/onnx/locate-model.ts";
import { DATA_TYPE, GRAPH, initializer, model, node, value, whole } from "../../src/onnx/onnx-format.ts";
import { block, type Part } from "../../src/onnx/protobuf.ts";

const MARKERS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"];
export const WORDS = ["amber", "boat", "cedar", "dock", "eel", "ferry", "gull", "harbour"];
const SIZE = MARKERS.length + WORDS.length;
const { FLOAT, INT64 } = DATA_TYPE;
const TOKENS = ["batch", "length"];

/**
 * Returns the table of word vectors: each word has a separate direction; markers and unknown words
 * are zero.
 */
const table = () => {
  const numbers = new Float32Array(SIZE * WORDS.length);
  for (const [i] of WORDS.entries()) numbers[(MARKERS.length + i) * WORDS.length + i] = 1;
  return initializer("table", [SIZE, WORDS.length], numbers);
};

/**
 * Returns a matrix with 1 on the diagonal and values that are not whole eighths beside it, so that
 * rounding shows.
 */
const mixing = () => {
  const { length } = WORDS;
  const numbers = Float32Array.from({ length: length * length }, (_, at) =>
    at % (length + 1) === 0 ? 1 : Math.sin(at) / 20,
  );
  return initializer("mixing", [length, length], numbers);
};

/** Makes a graph that gives each token of a text the direction of its word, mixed a little. */
function embeddingGraph(): Part[] {
  return [
    node("Gather", ["table", "input_ids"], "words"),
    node("MatMul", ["words", "mixing"], "last_hidden_state"),
    block(GRAPH.name, "words"),
    ...[table(), mixing()],
    value(GRAPH.input, "input_ids", INT64, TOKENS),
    value(GRAPH.output, "last_hidden_state", FLOAT, [...TOKENS, WORDS.length]),
  ];
}

/**
 * Makes a graph that returns the number of words that question and passage share, minus two. Token
 * types and the mask tell question and passage apart.
 */
function sharedWordsGraph(): Part[] {
  const toFloat = { attributes: [whole("to", FLOAT)] };
  return [
    node("Cast", ["token_type_ids"], "types", toFloat),
    node("Cast", ["attention_mask"], "mask", toFloat),
    node("Mul", ["types", "mask"], "ofPassage"),
    node("Sub", ["mask", "ofPassage"], "ofQuestion"),
    node("Gather", ["table", "input_ids"], "words"),
    node("Unsqueeze", ["ofQuestion", "second"], "questionRow"),
    node("Unsqueeze", ["ofPassage", "second"], "passageRow"),
    node("MatMul", ["questionRow", "words"], "question"),
    node("MatMul", ["passageRow", "words"], "passage"),
    node("Mul", ["question", "passage"], "shared"),
    node("ReduceSum", ["shared", "last"], "count", { attributes: [whole("keepdims", 0)] }),
    node("Sub", ["count", "two"], "logits"),
    block(GRAPH.name, "shared words"),
    table(),
    initializer("second", [1], BigInt64Array.of(1n)),
    // The axes are batch, one, words. The last axis is given as 2, because a negative number (-1)
    // would need another encoding.
    initializer("last", [1], BigInt64Array.of(2n)),
    initializer("two", [1], Float32Array.of(2)),
    ...["input_ids", "attention_mask", "token_type_ids"].map((name) => value(GRAPH.input, name, INT64, TOKENS)),
    value(GRAPH.output, "logits", FLOAT, ["batch", 1]),
  ];
}

/** Writes a model of a dozen words into a folder of models, with its description. */
export function writeTinyModel(
  modelsDir: string,
  name: string,
  kind: "embedding" | "cross-encoder",
  described: Record<string, unknown> = {},
): { weightsPath: string } {
  const folder = join(modelsDir, name);
  mkdirSync(folder, { recursive: true });
  const vocab = Object.fromEntries([...MARKERS, ...WORDS].map((word, id) => [word, id]));
  const normalizer = { type: "BertNormalizer", handle_chinese_chars: true, lowercase: true };
  const tokenizer = JSON.stringify({ normalizer, model: { type: "WordPiece", vocab } });
  const weights = model(kind === "embedding" ? embeddingGraph() : sharedWordsGraph());
  const hash = (content: string | Uint8Array) => createHash("sha256").update(content).digest("hex");
  const description = {
    kind,
    weights: { path: "model.onnx", sha256: hash(weights) },
    tokenizer: { path: "tokenizer.json", sha256: hash(tokenizer) },
    maxTokens: 64,
    ...(kind === "embedding" ? { dimensions: WORDS.length } : {}),
    ...described,
  };
  writeFileSync(join(folder, "tokenizer.json"), tokenizer);
  writeFileSync(join(folder, "model.onnx"), weights);
  writeFileSync(join(folder, DESCRIPTION_FILE), JSON.stringify(description));
  return { weightsPath: join(folder, "model.onnx") };
}
