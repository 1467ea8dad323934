import { block, float, int, type Part } from "./protobuf.ts";
import { readSafetensors, type Tensor } from "./safetensors.ts";

/** Numbers of onnx.proto (github.com/onnx/onnx, IR version 8): fields of its messages, and its enumerations. */
const MODEL = { irVersion: 1, graph: 7, opsetImport: 8 };
const OPSET = { domain: 1, version: 2 };
const GRAPH = { node: 1, name: 2, initializer: 5, input: 11, output: 12 };
const NODE = { input: 1, output: 2, name: 3, opType: 4, attribute: 5, domain: 7 };
const ATTRIBUTE = { name: 1, f: 2, i: 3, type: 20 };
const TENSOR = { dims: 1, dataType: 2, name: 8, rawData: 9 };
const VALUE_INFO = { name: 1, type: 2 };
const TYPE = { tensor: 1 };
const TENSOR_TYPE = { elemType: 1, shape: 2 };
const SHAPE = { dim: 1 };
const DIMENSION = { value: 1, param: 2 };
const DATA_TYPE = { FLOAT: 1, INT32: 6, INT64: 7 };
const ATTRIBUTE_TYPE = { FLOAT: 1, INT: 2 };

const HIDDEN = 384;
const LAYERS = 6;
const HEADS = 12;
const EPSILON = 1e-12;

/** Changes whenever the graph does, so that a cached file of an older one is not used. */
export const GRAPH_VERSION = 1;

/**
 * Builds all-MiniLM-L6-v2 (BERT encoder: 6 layers, 12 heads, hidden size 384) as an ONNX model from the packaged weights.
 * Inputs: `ids` int64 [batch, length], `positions` int64 [length], `mask` int32 [batch, length]. Output: `hidden` float32
 * [batch, length, 384], not pooled. Attention and Gelu are onnxruntime's own fused operators.
 */
export function buildGraph(weightsPath: string): Uint8Array {
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
    // Every token has type 0, so its row is added to the positions once, here.
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
      domain: "com.microsoft",
      attributes: [whole("num_heads", HEADS)],
    });
    const projected = this.dense(attended, `${name}.attention.output.dense`);
    const first = this.norm(this.add(projected, x, `${name}.first`), `${name}.attention.output.LayerNorm`);
    const wide = this.dense(first, `${name}.intermediate.dense`);
    this.node("Gelu", [wide], `${name}.gelu`, { domain: "com.microsoft" });
    const narrow = this.dense(`${name}.gelu`, `${name}.output.dense`);
    return this.norm(this.add(narrow, first, `${name}.second`), `${name}.output.LayerNorm`);
  }

  finish(output: string): Uint8Array {
    this.node("Identity", [output], "hidden");
    const { INT32, INT64, FLOAT } = DATA_TYPE;
    const graph = [
      ...this.nodes,
      block(GRAPH.name, "all-MiniLM-L6-v2"),
      ...this.initializers,
      block(GRAPH.input, value("ids", INT64, ["batch", "length"])),
      block(GRAPH.input, value("positions", INT64, ["length"])),
      block(GRAPH.input, value("mask", INT32, ["batch", "length"])),
      block(GRAPH.output, value("hidden", FLOAT, ["batch", "length", HIDDEN])),
    ];
    const opset = (domain: string, version: number) =>
      block(MODEL.opsetImport, [block(OPSET.domain, domain), int(OPSET.version, version)]);
    const model = [int(MODEL.irVersion, 8), block(MODEL.graph, graph), opset("", 17), opset("com.microsoft", 1)];
    return Buffer.concat(model.flat());
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
      // The axis is the last one, which is also the default.
      attributes: [real("epsilon", EPSILON)],
    });
  }

  add(a: string, b: string, output: string): string {
    return this.node("Add", [a, b], output);
  }

  node(
    opType: string,
    inputs: string[],
    output: string,
    { domain, attributes = [] }: { domain?: string; attributes?: Part[] } = {},
  ): string {
    const fields = [
      ...inputs.map((input) => block(NODE.input, input)),
      block(NODE.output, output),
      block(NODE.name, `${output}/${opType}`),
      block(NODE.opType, opType),
      ...attributes,
      ...(domain === undefined ? [] : [block(NODE.domain, domain)]),
    ];
    this.nodes.push(block(GRAPH.node, fields));
    return output;
  }

  initialize(name: string, { shape, data }: Tensor): void {
    const fields = [
      ...shape.map((size) => int(TENSOR.dims, size)),
      int(TENSOR.dataType, DATA_TYPE.FLOAT),
      block(TENSOR.name, name),
      block(TENSOR.rawData, new Uint8Array(data.buffer, data.byteOffset, data.byteLength)),
    ];
    this.initializers.push(block(GRAPH.initializer, fields));
  }

  tensor(name: string): Tensor {
    const tensor = this.weights.get(name);
    if (!tensor) throw new Error(`The weights have no tensor ${name}.`);
    return tensor;
  }
}

/** Weights [out, in] of several linear maps as one matrix [in, out₁ + out₂ + …], the form MatMul takes. */
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

function whole(name: string, value: number): Part {
  const fields = [block(ATTRIBUTE.name, name), int(ATTRIBUTE.i, value), int(ATTRIBUTE.type, ATTRIBUTE_TYPE.INT)];
  return block(NODE.attribute, fields);
}

function real(name: string, value: number): Part {
  const fields = [block(ATTRIBUTE.name, name), float(ATTRIBUTE.f, value), int(ATTRIBUTE.type, ATTRIBUTE_TYPE.FLOAT)];
  return block(NODE.attribute, fields);
}

function value(name: string, elemType: number, sizes: (string | number)[]): Part[] {
  const dimensions = sizes.map((size) =>
    block(SHAPE.dim, [typeof size === "string" ? block(DIMENSION.param, size) : int(DIMENSION.value, size)]),
  );
  const tensor = [int(TENSOR_TYPE.elemType, elemType), block(TENSOR_TYPE.shape, dimensions)];
  return [block(VALUE_INFO.name, name), block(VALUE_INFO.type, [block(TYPE.tensor, tensor)])];
}
