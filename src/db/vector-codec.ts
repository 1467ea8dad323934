// pgvector's binary form. In text form, 100 vectors of 1,536 dimensions took 20 ms to write and 40
// ms to store on Postgres. On PGlite storing them took 300 ms, when its SQL still ran on the event
// loop. In binary form they took 0.5 ms and 4 to 6 ms (bench/notes/vectors.md). The package
// pgvector has the text form only: writing 1,000 vectors by it takes 16 to 63 times as long.

const ARRAY_HEADER_BYTES = 20;
/** The number of dimensions, then 16 bits that pgvector reserves. */
const VECTOR_HEADER_BYTES = 4;

/**
 * Returns vectors as a value for a parameter `$n::vector[]`. Postgres takes the type of the
 * elements from the parameter, so the OID of the vector type, which differs from database to
 * database, need not be known.
 *
 * @param vectors null stays NULL
 */
export function encodeVectors(vectors: readonly (Float32Array | null)[]): Uint8Array {
  const sizeOf = (vector: Float32Array | null) => (vector ? sizeOfVector(vector) : 0);
  const bytes = vectors.reduce((sum, vector) => sum + 4 + sizeOf(vector), ARRAY_HEADER_BYTES);
  const buffer = Buffer.alloc(bytes);
  // One dimension; whether there are NULLs; type of the elements; length; lower bound.
  for (const [at, value] of [1, vectors.includes(null) ? 1 : 0, 0, vectors.length, 1].entries()) {
    buffer.writeInt32BE(value, at * 4);
  }
  let offset = ARRAY_HEADER_BYTES;
  for (const vector of vectors) {
    offset = buffer.writeInt32BE(vector ? sizeOf(vector) : -1, offset);
    if (vector) offset = writeVector(buffer, vector, offset);
  }
  return buffer;
}

/** Returns a vector as a value for a parameter `$n::vector`. */
export function encodeVector(vector: Float32Array): Uint8Array {
  const buffer = Buffer.alloc(sizeOfVector(vector));
  writeVector(buffer, vector, 0);
  return buffer;
}

function sizeOfVector(vector: Float32Array): number {
  return VECTOR_HEADER_BYTES + 4 * vector.length;
}

/** @returns where the next value begins */
function writeVector(buffer: Buffer, vector: Float32Array, at: number): number {
  let offset = buffer.writeUInt16BE(vector.length, at) + 2;
  for (const value of vector) offset = buffer.writeFloatBE(value, offset);
  return offset;
}

/**
 * Returns the SQL that reads a vector for `decodeVector`, in base64: both drivers are slower with
 * bytea, PGlite by far.
 */
export function readVector(column: string): string {
  return `encode(vector_send(${column}), 'base64')`;
}

export function decodeVector(sent: string | Uint8Array): Float32Array {
  const bytes =
    typeof sent === "string" ? Buffer.from(sent, "base64") : Buffer.from(sent.buffer, sent.byteOffset, sent.length);
  const vector = new Float32Array((bytes.length - VECTOR_HEADER_BYTES) / 4);
  for (let i = 0; i < vector.length; i++) vector[i] = bytes.readFloatBE(VECTOR_HEADER_BYTES + 4 * i);
  return vector;
}
