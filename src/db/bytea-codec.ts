/**
 * The OID of Postgres' `bytea`, the same in every database. Postgres refuses an array whose header
 * names another element type.
 */
const BYTEA_TYPE = 17;
const ARRAY_HEADER_BYTES = 20;

/**
 * Returns values for a parameter `$n::bytea[]`, in the binary form of an array. Both drivers would
 * write each value as hexadecimal text, twice as long, and quote it.
 */
export function encodeByteas(values: readonly Uint8Array[]): Uint8Array {
  const buffer = Buffer.allocUnsafe(values.reduce((sum, { length }) => sum + 4 + length, ARRAY_HEADER_BYTES));
  // One dimension; no NULLs; type of the elements; length; lower bound.
  for (const [at, value] of [1, 0, BYTEA_TYPE, values.length, 1].entries()) buffer.writeInt32BE(value, at * 4);
  let offset = ARRAY_HEADER_BYTES;
  for (const value of values) {
    offset = buffer.writeInt32BE(value.length, offset);
    buffer.set(value, offset);
    offset += value.length;
  }
  return buffer;
}
