import { readFileSync } from "node:fs";
import { DATA_TYPE, GRAPH, initializer, MICROSOFT, model, node, real, value, whole } from "./onnx-format.ts";
import { block, type Part } from "./protobuf.ts";

const HIDDEN = 384;
const LAYERS = 6;
const HEADS = 12;
const EPSILON = 1e-12;

/**
 * The version of the graph. Raise it with every change of the graph, so that older cached files are
 * not used.
 */
export const MINILM_GRAPH_VERSION = 2;

/**
 * Builds all-MiniLM-L6-v2 (BERT encoder: 6 layers, 12 heads, hidden size 384) as an ONNX model from
 * the packaged weights. Inputs: `ids` int64 [batch, length], `positions` int64 [length], `mask`
 * int32 [batch, length]. Output: `hidden` float32 [batch, length, 384], not pooled. Attention and
 * Gelu are onnxruntime's own fused operators.
 */
export function buildMinilmGraph(weightsPath: string): Uint8Array {
  const graph = new GraphBuilder(readSafetensors(weightsPath));
  let x = graph.embeddings();
  for (let layer = 0; layer < LAYERS; layer++) x = graph.layer(x, `encoder.layer.${layer}`);
  return graph.finish(x);
}

class GraphBuilder {
  readonly weights: Map<string, Tensor>;
  readonly nodes: Part[] = [];
  readonly initializers: Part[] = [];

  constructor(weights: Map<string, Tensor>) {
    this.weights = weights;
  }

  embeddings(): string {
    const positions = this.tensor("embeddings.position_embeddings.weight");
    const types = this.tensor("embeddings.token_type_embeddings.weight");
    // Every token has type 0, so the row of type 0 is added to the positions once, here.
    const shifted = positions.data.map((value, i) => value + (types.data[i % HIDDEN] ?? 0));
    this.initialize("word_table", this.tensor("embeddings.word_embeddings.weight"));
    this.initialize("position_table", { shape: positions.shape, data: shifted });
    this.node("Gather", ["word_table", "ids"], "words");
    this.node("Gather", ["position_table", "positions"], "places");
    this.node("Add", ["words", "places"], "embedded");
    return this.norm("embedded", "embeddings.LayerNorm");
  }

  layer(x: string, name: string): string {
    const parts = ["query", "key", "value"].map((part) => `${name}.attention.self.${part}`);
    const shape = [HIDDEN, 3 * HIDDEN];
    this.initialize(`${name}.qkv.weight`, {
      shape,
      data: sideBySide(parts.map((part) => this.tensor(`${part}.weight`))),
    });
    const bias = Float32Array.from(parts.flatMap((part) => [...this.tensor(`${part}.bias`).data]));
    this.initialize(`${name}.qkv.bias`, { shape: [3 * HIDDEN], data: bias });
    const attended = `${name}.attended`;
    this.node("Attention", [x, `${name}.qkv.weight`, `${name}.qkv.bias`, "mask"], attended, {
      domain: MICROSOFT,
      attributes: [whole("num_heads", HEADS)],
    });
    const projected = this.dense(attended, `${name}.attention.output.dense`);
    const first = this.norm(this.residual(projected, x, `${name}.first`), `${name}.attention.output.LayerNorm`);
    const wide = this.dense(first, `${name}.intermediate.dense`);
    this.node("Gelu", [wide], `${name}.gelu`, { domain: MICROSOFT });
    const narrow = this.dense(`${name}.gelu`, `${name}.output.dense`);
    return this.norm(this.residual(narrow, first, `${name}.second`), `${name}.output.LayerNorm`);
  }

  finish(output: string): Uint8Array {
    this.node("Identity", [output], "hidden");
    const { INT32, INT64, FLOAT } = DATA_TYPE;
    return model([
      ...this.nodes,
      block(GRAPH.name, "all-MiniLM-L6-v2"),
      ...this.initializers,
      value(GRAPH.input, "ids", INT64, ["batch", "length"]),
      value(GRAPH.input, "positions", INT64, ["length"]),
      value(GRAPH.input, "mask", INT32, ["batch", "length"]),
      value(GRAPH.output, "hidden", FLOAT, ["batch", "length", HIDDEN]),
    ]);
  }

  dense(x: string, name: string): string {
    const weight = this.tensor(`${name}.weight`);
    const [rows = 0, columns = 0] = weight.shape;
    this.initialize(`${name}.transposed`, { shape: [columns, rows], data: sideBySide([weight]) });
    this.initialize(`${name}.bias`, this.tensor(`${name}.bias`));
    this.node("MatMul", [x, `${name}.transposed`], `${name}.product`);
    return this.add(`${name}.product`, `${name}.bias`, `${name}.out`);
  }

  norm(x: string, name: string): string {
    this.initialize(`${name}.weight`, this.tensor(`${name}.weight`));
    this.initialize(`${name}.bias`, this.tensor(`${name}.bias`));
    return this.node("LayerNormalization", [x, `${name}.weight`, `${name}.bias`], `${name}.out`, {
      // The axis is not set: the default is the last axis, which is right here.
      attributes: [real("epsilon", EPSILON)],
    });
  }

  add(a: string, b: string, output: string): string {
    return this.node("Add", [a, b], output);
  }

  /**
   * Adds with the operator Sum. onnxruntime would fuse Add and LayerNormalization into
   * SkipLayerNormalization. The fused operator takes several times as long as the two operators: it
   * took 7 of the 83 ms of a text of 256 tokens.
   */
  residual(x: string, before: string, output: string): string {
    return this.node("Sum", [x, before], output);
  }

  node(opType: string, inputs: string[], output: string, options?: { domain?: string; attributes?: Part[] }): string {
    this.nodes.push(node(opType, inputs, output, options));
    return output;
  }

  initialize(name: string, { shape, data }: Tensor): void {
    this.initializers.push(initializer(name, shape, data));
  }

  tensor(name: string): Tensor {
    const tensor = this.weights.get(name);
    if (!tensor) throw new Error(`The weights have no tensor ${name}.`);
    return tensor;
  }
}

/**
 * Transposes the weights [out, in] of several linear maps into one matrix [in, out₁ + out₂ + …],
 * the form that MatMul takes.
 */
function sideBySide(weights: readonly Tensor[]): Float32Array {
  const inputs = weights[0]?.shape[1] ?? 0;
  const width = weights.reduce((sum, weight) => sum + (weight.shape[0] ?? 0), 0);
  const result = new Float32Array(inputs * width);
  let offset = 0;
  for (const { shape, data } of weights) {
    const outputs = shape[0] ?? 0;
    for (let o = 0; o < outputs; o++) {
      for (let i = 0; i < inputs; i++) result[i * width + offset + o] = data[o * inputs + i] ?? 0;
    }
    offset += outputs;
  }
  return result;
}

interface Tensor {
  shape: number[];
  data: Float32Array;
}

/**
 * Reads the half-precision tensors of a safetensors file (8-byte header length, JSON header, raw
 * data) as float32.
 */
function readSafetensors(path: string): Map<string, Tensor> {
  const file = readFileSync(path);
  const headerBytes = Number(file.readBigUInt64LE(0));
  const header = JSON.parse(file.subarray(8, 8 + headerBytes).toString("utf8")) as Record<
    string,
    { dtype: string; shape: number[]; data_offsets: [number, number] }
  >;
  const table = halfToFloatTable();
  const tensors = new Map<string, Tensor>();
  for (const [name, entry] of Object.entries(header)) {
    if (entry.dtype !== "F16") continue;
    const [from, to] = entry.data_offsets;
    const bytes = file.subarray(8 + headerBytes + from, 8 + headerBytes + to);
    const data = new Float32Array(bytes.length / 2);
    for (let i = 0; i < data.length; i++) data[i] = table[(bytes[2 * i] ?? 0) | ((bytes[2 * i + 1] ?? 0) << 8)] ?? 0;
    tensors.set(name, { shape: entry.shape, data });
  }
  return tensors;
}

/**
 * Returns all 65,536 IEEE 754 half-precision values. A look-up converts the 22 million weights in a
 * tenth of a second.
 */
function halfToFloatTable(): Float32Array {
  return Float32Array.from({ length: 65_536 }, (_, bits) => {
    const sign = bits & 0x8000 ? -1 : 1;
    const exponent = (bits >> 10) & 0x1f;
    const fraction = bits & 0x3ff;
    if (exponent === 0) return sign * 2 ** -24 * fraction;
    if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
    return sign * 2 ** (exponent - 25) * (1024 + fraction);
  });
}
