/** The limits of a JSON text. */
export interface JsonLimits {
  /** The most values: objects, arrays and everything inside them. */
  readonly values: number;
  /** The most levels of objects and arrays. */
  readonly depth: number;
}

/** The limit that a text exceeds. */
export type JsonExcess = keyof JsonLimits;

const [QUOTE, COMMA, COLON, BACKSLASH] = [0x22, 0x2c, 0x3a, 0x5c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const SPACE = 0x20;
/** For each byte, whether it stands between values: white space and punctuation. */
const BETWEEN = Uint8Array.from({ length: 256 }, (_, byte) =>
  Number(byte <= SPACE || [COMMA, COLON, CLOSE_ARRAY, CLOSE_OBJECT].includes(byte)),
);

/**
 * Creates a counter for the values and levels of a JSON text. It counts while the bytes come in, so
 * that a text can be refused without being parsed: a value of two bytes takes fifty in memory, a
 * key more. The count is exact for valid JSON. In a text that is not JSON, the part before the
 * mistake is counted, and a parser reads no further.
 *
 * @returns a function that takes the next bytes and returns the limit that they exceed
 */
export function createJsonCounter(limits: JsonLimits): (bytes: Uint8Array) => JsonExcess | undefined {
  let [inString, inWord] = [false, false];
  /** Whether the bytes so far end inside a string with a backslash that is not itself escaped. */
  let escapes = false;
  let [values, depth] = [0, 0];
  const between = (byte: number) => {
    inWord = false;
    // The string before the colon was a key.
    if (byte === COLON) values--;
    else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) depth--;
  };
  const begin = (byte: number): JsonExcess | undefined => {
    if (++values > limits.values) return "values";
    if (byte === QUOTE) inString = true;
    else if (byte !== OPEN_ARRAY && byte !== OPEN_OBJECT) inWord = true;
    else if (++depth > limits.depth) return "depth";
    return undefined;
  };
  /**
   * Returns the place of the quote that ends the string, or the bytes' length when the string goes
   * on.
   */
  const endOfString = (bytes: Uint8Array, from: number): number => {
    for (let at = from; ; at++) {
      const quote = bytes.indexOf(QUOTE, at);
      at = quote === -1 ? bytes.length : quote;
      const isEscaped = backslashesBefore(bytes, from, at, escapes) % 2 === 1;
      if (quote !== -1 && isEscaped) continue;
      inString = quote === -1;
      escapes = inString && isEscaped;
      return at;
    }
  };
  return (bytes) => {
    for (let at = 0; at < bytes.length; at++) {
      if (inString) {
        at = endOfString(bytes, at);
        continue;
      }
      const byte = bytes[at] as number;
      if (BETWEEN[byte] === 1) between(byte);
      else if (!inWord) {
        const excess = begin(byte);
        if (excess) return excess;
      }
    }
    return undefined;
  };
}

/**
 * Returns the number of backslashes in a row that end before `at`. The backslash before `from`
 * counts if `carried` is set.
 */
function backslashesBefore(bytes: Uint8Array, from: number, at: number, carried: boolean): number {
  let start = at;
  while (start > from && bytes[start - 1] === BACKSLASH) start--;
  return at - start + (start === from && carried ? 1 : 0);
}
