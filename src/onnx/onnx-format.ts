import { block, type Field, float, int, type Part, readFields, readInts } from "./protobuf.ts";

/**
 * Numbers from onnx.proto (github.com/onnx/onnx, IR version 8): the fields of its messages, and its
 * enumerations.
 */
export const MODEL = { irVersion: 1, graph: 7, opsetImport: 8 };
const OPSET = { domain: 1, version: 2 };
export const GRAPH = { node: 1, name: 2, initializer: 5, input: 11, output: 12 };
const NODE = { input: 1, output: 2, name: 3, opType: 4, attribute: 5, domain: 7 };
const ATTRIBUTE = { name: 1, f: 2, i: 3, ints: 8, type: 20 };
const TENSOR = { dims: 1, dataType: 2, floatData: 4, name: 8, rawData: 9 };
const VALUE_INFO = { name: 1, type: 2 };
const TYPE = { tensor: 1 };
const TENSOR_TYPE = { elemType: 1, shape: 2 };
const SHAPE = { dim: 1 };
const DIMENSION = { value: 1, param: 2 };
const ATTRIBUTE_TYPE = { FLOAT: 1, INT: 2, INTS: 7 };
export const DATA_TYPE = { FLOAT: 1, UINT8: 2, INT8: 3, INT32: 6, INT64: 7 };

/** The domain of onnxruntime's own operators. */
export const MICROSOFT = "com.microsoft";

/** Encodes one operator of a graph, as a field of the graph. */
export function node(
  opType: string,
  inputs: readonly string[],
  output: string,
  { domain, attributes = [], others = [] }: { domain?: string; attributes?: readonly Part[]; others?: string[] } = {},
): Part {
  return block(GRAPH.node, [
    ...inputs.map((input) => block(NODE.input, input)),
    ...[output, ...others].map((name) => block(NODE.output, name)),
    block(NODE.name, `${output}/${opType}`),
    block(NODE.opType, opType),
    ...attributes,
    ...(domain === undefined ? [] : [block(NODE.domain, domain)]),
  ]);
}

/** Encodes an operator's attribute that is a whole number. */
export function whole(name: string, value: number): Part {
  const fields = [block(ATTRIBUTE.name, name), int(ATTRIBUTE.i, value), int(ATTRIBUTE.type, ATTRIBUTE_TYPE.INT)];
  return block(NODE.attribute, fields);
}

/** Encodes an operator's attribute that is a floating-point number. */
export function real(name: string, value: number): Part {
  const fields = [block(ATTRIBUTE.name, name), float(ATTRIBUTE.f, value), int(ATTRIBUTE.type, ATTRIBUTE_TYPE.FLOAT)];
  return block(NODE.attribute, fields);
}

/** Encodes an operator's attribute that is a list of whole numbers. */
export function wholes(name: string, values: readonly number[]): Part {
  const numbers = values.map((value) => int(ATTRIBUTE.ints, value));
  const type = int(ATTRIBUTE.type, ATTRIBUTE_TYPE.INTS);
  return block(NODE.attribute, [block(ATTRIBUTE.name, name), ...numbers, type]);
}

type Numbers = Float32Array | Uint8Array | Int8Array | BigInt64Array;

/** Encodes a tensor of the model, as a field of the graph. Does not copy its numbers. */
export function initializer(name: string, shape: readonly number[], data: Numbers): Part {
  return block(GRAPH.initializer, [
    ...shape.map((size) => int(TENSOR.dims, size)),
    int(TENSOR.dataType, dataTypeOf(data)),
    block(TENSOR.name, name),
    block(TENSOR.rawData, new Uint8Array(data.buffer, data.byteOffset, data.byteLength)),
  ]);
}

function dataTypeOf(data: Numbers): number {
  if (data instanceof Float32Array) return DATA_TYPE.FLOAT;
  if (data instanceof Int8Array) return DATA_TYPE.INT8;
  return data instanceof Uint8Array ? DATA_TYPE.UINT8 : DATA_TYPE.INT64;
}

/**
 * Encodes an input or output of the graph. A size given as text is variable, and equal to every
 * size of the same name.
 */
export function value(field: number, name: string, elemType: number, sizes: readonly (string | number)[]): Part {
  const dimensions = sizes.map((size) =>
    block(SHAPE.dim, [typeof size === "string" ? block(DIMENSION.param, size) : int(DIMENSION.value, size)]),
  );
  const tensor = [int(TENSOR_TYPE.elemType, elemType), block(TENSOR_TYPE.shape, dimensions)];
  return block(field, [block(VALUE_INFO.name, name), block(VALUE_INFO.type, [block(TYPE.tensor, tensor)])]);
}

/** Encodes a whole model that uses ONNX's operators and onnxruntime's. */
export function model(graph: readonly Part[]): Uint8Array {
  const opset = (domain: string, version: number) =>
    block(MODEL.opsetImport, [block(OPSET.domain, domain), int(OPSET.version, version)]);
  const fields = [int(MODEL.irVersion, 8), block(MODEL.graph, graph), opset("", 17), opset(MICROSOFT, 1)];
  return Buffer.concat(fields.flat());
}

/** Declares that the model also uses onnxruntime's operators, as a field of the model. */
export function usesMicrosoft(): Part {
  return block(MODEL.opsetImport, [block(OPSET.domain, MICROSOFT), int(OPSET.version, 1)]);
}

/**
 * Returns the version of a domain's operators (the domain "" is ONNX itself) that a model is
 * written for, or undefined when it uses none of them.
 */
export function opsetOf(model: readonly Field[], domain: string): number | undefined {
  const imports = model.filter(({ number }) => number === MODEL.opsetImport).map(({ bytes }) => [...readFields(bytes)]);
  const found = imports.find((fields) => textOf(fields.find(({ number }) => number === OPSET.domain)) === domain);
  return found?.find(({ number }) => number === OPSET.version)?.int;
}

export interface ReadNode {
  readonly opType: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes: readonly Part[];
}

export function readNode(bytes: Uint8Array): ReadNode {
  const fields = [...readFields(bytes)];
  const texts = (number: number) => fields.filter((field) => field.number === number).map((field) => textOf(field));
  return {
    opType: texts(NODE.opType)[0] ?? "",
    inputs: texts(NODE.input),
    outputs: texts(NODE.output),
    attributes: fields.filter(({ number }) => number === NODE.attribute).map(({ raw }) => [raw]),
  };
}

export interface ReadTensor {
  readonly name: string;
  readonly shape: readonly number[];
  /** Whether the tensor's numbers are float32 and inside the model. */
  readonly isFloat: boolean;
  /** Returns a copy of the tensor's numbers. */
  floats(): Float32Array;
}

export function readTensor(bytes: Uint8Array): ReadTensor {
  const fields = [...readFields(bytes)];
  const find = (number: number) => fields.find((field) => field.number === number);
  // Exporters write the numbers as bytes or as packed floats, which are the same bytes.
  const numbers = find(TENSOR.rawData) ?? find(TENSOR.floatData);
  const shape = readInts(fields, TENSOR.dims);
  const count = shape.reduce((product, size) => product * size, 1);
  return {
    name: textOf(find(TENSOR.name)),
    shape,
    isFloat: find(TENSOR.dataType)?.int === DATA_TYPE.FLOAT && numbers?.bytes.length === 4 * count,
    // Copies, because the bytes may start anywhere in the file and a Float32Array must start at a
    // multiple of four. Does not use slice, which returns a view of a Buffer.
    floats: () => new Float32Array(new Uint8Array(numbers?.bytes ?? []).buffer),
  };
}

function textOf(field: Field | undefined): string {
  return Buffer.from(field?.bytes ?? []).toString("utf8");
}
