/**
 * A piece of a protobuf message, as a list of byte arrays. They are joined once at the end, because
 * the weights are large.
 */
export type Part = readonly Uint8Array[];

/**
 * Encodes a whole number. This file has the three kinds of field that an ONNX model needs, in
 * protobuf's wire format (protobuf.dev, "Encoding"): a key is the field's number and its wire type.
 * The packages for protobuf bring a schema compiler and fifteen megabytes.
 */
export const int = (field: number, value: number): Part => [varint(field << 3), varint(value)];

export function float(field: number, value: number): Part {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setFloat32(0, value, true);
  return [varint((field << 3) | 5), bytes];
}

/** Encodes text, bytes, or a nested message from its fields. */
export function block(field: number, content: string | Uint8Array | readonly Part[]): Part {
  const parts = partsOf(content);
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return [varint((field << 3) | 2), varint(length), ...parts];
}

function partsOf(content: string | Uint8Array | readonly Part[]): Part {
  if (typeof content === "string") return [new TextEncoder().encode(content)];
  return content instanceof Uint8Array ? [content] : content.flat();
}

/**
 * @param value a whole number between -2^53 and 2^53; a negative number is encoded as 64-bit two's
 *   complement, which takes ten bytes
 */
function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  if (value < 0) {
    let bits = BigInt.asUintN(64, BigInt(value));
    for (; bits > 0x7fn; bits >>= 7n) bytes.push(Number(bits & 0x7fn) | 0x80);
    return Uint8Array.from([...bytes, Number(bits)]);
  }
  for (; rest > 0x7f; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  return Uint8Array.from([...bytes, rest]);
}

/** One field of a message: its number or bytes, and the whole encoded field, for copying. */
export interface Field {
  readonly number: number;
  /** The number; 0 unless the wire type is 0. */
  readonly int: number;
  /** The bytes; empty unless the wire type is 2. */
  readonly bytes: Uint8Array;
  /** The key and the content as they stand in the message. */
  readonly raw: Uint8Array;
}

/**
 * Yields the fields of a message in order, without copying.
 *
 * @throws Error when the message ends in the middle of a field, or has a wire type that protobuf no
 *   longer uses
 */
export function* readFields(message: Uint8Array): Generator<Field> {
  for (let at = 0; at < message.length; ) {
    const start = at;
    const key = readVarint(message, at);
    const [number, wireType] = [Math.floor(key.value / 8), key.value % 8];
    let int = 0;
    let bytes: Uint8Array = new Uint8Array();
    if (wireType === 0) ({ value: int, end: at } = readVarint(message, key.end));
    else if (wireType === 2) {
      const length = readVarint(message, key.end);
      at = length.end + length.value;
      bytes = message.subarray(length.end, at);
    } else if (wireType === 5) at = key.end + 4;
    else if (wireType === 1) at = key.end + 8;
    else throw new Error(`Wire type ${wireType} is not one of protobuf's.`);
    if (at > message.length) throw new Error("The message ends in the middle of a field.");
    yield { number, int, bytes, raw: message.subarray(start, at) };
  }
}

/**
 * Reads the numbers of a repeated integer field. Each number is a field of its own, or all are in
 * one field (packed).
 */
export function readInts(fields: readonly Field[], number: number): number[] {
  return fields
    .filter((field) => field.number === number)
    .flatMap((field) => {
      if (field.bytes.length === 0) return [field.int];
      const numbers: number[] = [];
      for (let at = 0; at < field.bytes.length; ) {
        const { value, end } = readVarint(field.bytes, at);
        numbers.push(value);
        at = end;
      }
      return numbers;
    });
}

/**
 * Reads a number, exact up to 2^53. A negative number, which has ten bytes, is returned as a number
 * near 2^64.
 */
function readVarint(bytes: Uint8Array, from: number): { value: number; end: number } {
  let value = 0;
  for (let at = from, scale = 1; at < bytes.length && at < from + 10; at++, scale *= 128) {
    const byte = bytes[at] ?? 0;
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) return { value, end: at + 1 };
  }
  throw new Error("The message ends in the middle of a number.");
}
