import {
  GRAPH,
  initializer,
  MICROSOFT,
  MODEL,
  node,
  type ReadNode,
  type ReadTensor,
  readNode,
  readTensor,
  usesMicrosoft,
} from "./onnx-format.ts";
import { block, type Field, type Part, readFields } from "./protobuf.ts";

/** Changes whenever the rounded graph does, so that a cached file of an older one is not used. */
export const INT8_VERSION = 1;

/**
 * Largest weight. Processors without VNNI add two products of eight bits in sixteen, where two weights above 64 times 255 do
 * not fit: with 127 the vectors of one text differed from machine to machine (cosine down to 0.986), with 63 the sums are exact.
 */
const MOST = 63;

/**
 * The same graph with the weights of its matrix products rounded to eight bits, a scale for each column, and their inputs
 * rounded as they come, a scale for each run (onnxruntime.ai, "Quantize ONNX models": dynamic quantization). A run with two
 * texts would give either other numbers than alone: run one at a time.
 *
 * @param bytes an ONNX model with its weights inside
 * @throws Error when they are not, or nothing can be rounded
 */
export function quantiseGraph(bytes: Uint8Array): Uint8Array {
  const fields = [...readFields(bytes)];
  const graph = fields.filter(({ number }) => number === MODEL.graph).flatMap((field) => [...readFields(field.bytes)]);
  const tensors = new Map(
    graph
      .filter(({ number }) => number === GRAPH.initializer)
      .map((field) => readTensor(field.bytes))
      .map((tensor) => [tensor.name, tensor]),
  );
  const rounded = new Quantiser(tensors).rewrite(graph);
  const others = fields.filter(({ number }) => number !== MODEL.graph).map(({ raw }): Part => [raw]);
  return Buffer.concat([...others, usesMicrosoft(), block(MODEL.graph, rounded)].flat());
}

class Quantiser {
  readonly tensors: ReadonlyMap<string, ReadTensor>;
  readonly nodes: Part[] = [];
  readonly initializers = new Map<string, Part[]>();
  /** Inputs of products that are already rounded. */
  readonly inputs = new Set<string>();

  constructor(tensors: ReadonlyMap<string, ReadTensor>) {
    this.tensors = tensors;
  }

  rewrite(graph: readonly Field[]): Part[] {
    const kept: Part[] = [];
    const used = new Set<string>();
    for (const { number, bytes, raw } of graph) {
      if (number === GRAPH.initializer) continue;
      if (number !== GRAPH.node) kept.push([raw]);
      else {
        const read = readNode(bytes);
        if (this.product(read)) continue;
        for (const input of read.inputs) used.add(input);
        this.nodes.push([raw]);
      }
    }
    if (this.initializers.size === 0) throw new Error("The graph has no products whose weights could be rounded.");
    const left = graph.filter(
      ({ number, bytes }) => number === GRAPH.initializer && this.stays(readTensor(bytes).name, used),
    );
    return [...this.nodes, ...kept, ...left.map(({ raw }): Part => [raw]), ...[...this.initializers.values()].flat()];
  }

  /** Weights that only rounded products use are left out. */
  stays(name: string, used: ReadonlySet<string>): boolean {
    return !this.initializers.has(name) || used.has(name);
  }

  /** @returns whether the node is a product with a matrix of weights, and stands in the graph anew */
  product({ opType, inputs, outputs, attributes }: ReadNode): boolean {
    const [input = "", weight = "", bias = "", mask = ""] = inputs;
    const [output = ""] = outputs;
    const tensor = this.tensors.get(weight);
    if (!tensor?.isFloat || tensor.shape.length !== 2) return false;
    // Of Attention only what all-MiniLM-L6-v2 is made of: input, weights, bias, mask.
    if (opType !== "MatMul" && !(opType === "Attention" && inputs.length === 4)) return false;
    this.round(weight, tensor);
    this.roundInput(input);
    const [x, w] = [`${input}/int8`, `${weight}/int8`];
    const parts =
      opType === "MatMul"
        ? ["MatMulIntegerToFloat", x, w, `${x}/scale`, `${w}/scale`, `${x}/zero`, `${w}/zero`]
        : ["QAttention", x, w, bias, `${x}/scale`, `${w}/scale`, mask, `${x}/zero`, `${w}/zero`];
    const [name = "", ...operands] = parts;
    this.nodes.push(node(name, operands, output, { domain: MICROSOFT, attributes }));
    return true;
  }

  roundInput(input: string): void {
    if (this.inputs.has(input)) return;
    this.inputs.add(input);
    const x = `${input}/int8`;
    this.nodes.push(node("DynamicQuantizeLinear", [input], x, { others: [`${x}/scale`, `${x}/zero`] }));
  }

  round(name: string, { shape, floats }: ReadTensor): void {
    if (this.initializers.has(name)) return;
    const [rows = 0, columns = 0] = shape;
    const weights = floats();
    const scales = new Float32Array(columns);
    for (let i = 0; i < weights.length; i++) {
      scales[i % columns] = Math.max(scales[i % columns] ?? 0, Math.abs(weights[i] ?? 0) / MOST);
    }
    // A column of zeros has no scale of its own.
    const rounded = Int8Array.from(weights, (weight, i) => Math.round(weight / (scales[i % columns] || 1)));
    const w = `${name}/int8`;
    this.initializers.set(name, [
      initializer(w, [rows, columns], rounded),
      initializer(`${w}/scale`, [columns], scales),
      initializer(`${w}/zero`, [columns], new Int8Array(columns)),
    ]);
  }
}
