/** A piece of a protobuf message, in parts that are put together once: the weights in it are large. */
export type Part = readonly Uint8Array[];

/**
 * The three kinds of field that an ONNX model needs, in protobuf's wire format (protobuf.dev, "Encoding"): a key is the
 * field's number and its wire type. The packages that do it bring a compiler of schemas and fifteen megabytes.
 */
export const int = (field: number, value: number): Part => [varint(field << 3), varint(value)];

export function float(field: number, value: number): Part {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setFloat32(0, value, true);
  return [varint((field << 3) | 5), bytes];
}

/** Text, bytes, or a message of its own, made of its fields. */
export function block(field: number, content: string | Uint8Array | readonly Part[]): Part {
  const parts = partsOf(content);
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return [varint((field << 3) | 2), varint(length), ...parts];
}

function partsOf(content: string | Uint8Array | readonly Part[]): Part {
  if (typeof content === "string") return [new TextEncoder().encode(content)];
  return content instanceof Uint8Array ? [content] : content.flat();
}

/** @param value a whole number of at least 0, up to 2^53 */
function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  return Uint8Array.from([...bytes, rest]);
}
