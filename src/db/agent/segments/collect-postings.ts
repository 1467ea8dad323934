/**
 * A lexeme and its posting list in stored form: `number << 8 | frequency` for each chunk,
 * big-endian, by number.
 */
export interface StoredPostings {
  lexeme: Uint8Array;
  entries: Uint8Array;
}

export interface PostingCollector {
  /** Adds the lexemes of the next chunk, given its keyword vector as `tsvectorsend` writes it. */
  add(keywords: Buffer): void;
  /**
   * Returns one posting list per lexeme, in the order of the lexemes' bytes. Can be called once.
   */
  lists(): AsyncGenerator<StoredPostings>;
}

/** The highest frequency that an entry can hold. */
const MAX_FREQUENCY = 255;
/**
 * The most lexemes that are sorted at once. Sorting 200,000 at once blocked the event loop for 80
 * to 120 ms; in parts, none takes more than 35 ms.
 */
const SORTED_AT_ONCE = 5000;

/** The lexemes of one chunk, by their numbers. */
interface ChunkLexemes {
  lexemes: Uint32Array;
  frequencies: Uint8Array;
}

/**
 * Creates a collector that turns keyword vectors into posting lists in memory. A posting takes 5
 * bytes while chunks are added and 4 more at the end, and a lexeme takes some 100 bytes. A growing
 * array for each lexeme's list would take as much memory for every rare word as for fifty postings.
 *
 * @param breathe awaited between parts of the sorting
 */
export function createPostingCollector(breathe: () => Promise<void>): PostingCollector {
  const numbers = new Map<string, number>();
  const chunks: ChunkLexemes[] = [];
  return {
    add: (keywords) => void chunks.push(readLexemes(keywords, numbers)),
    async *lists() {
      const { entries, ends } = await sortPostings(chunks, numbers.size, breathe);
      for (const lexeme of await sortLexemes([...numbers.keys()], breathe)) {
        const number = numbers.get(lexeme) ?? 0;
        yield {
          lexeme: Buffer.from(lexeme, "latin1"),
          entries: entries.subarray(4 * (ends[number - 1] ?? 0), 4 * (ends[number] ?? 0)),
        };
      }
    },
  };
}

/**
 * Reads the format of `tsvectorsend`: the number of lexemes, then for each its text, a zero byte,
 * the number of its positions, and the positions of two bytes each.
 *
 * @param numbers the numbers of all lexemes so far. The bytes of a lexeme are represented as
 * Latin-1 characters, one character per byte, in the same order. Decoding UTF-8 would take longer,
 * and this keeps the bytes unchanged
 */
function readLexemes(keywords: Buffer, numbers: Map<string, number>): ChunkLexemes {
  const count = keywords.readInt32BE(0);
  const lexemes = new Uint32Array(count);
  const frequencies = new Uint8Array(count);
  const text = keywords.toString("latin1");
  let at = 4;
  for (let i = 0; i < count; i++) {
    let end = at;
    while (keywords[end] !== 0) end++;
    const positions = keywords.readUInt16BE(end + 1);
    let number = numbers.get(text.slice(at, end));
    if (number === undefined) {
      number = numbers.size;
      // A string of its own: a slice would keep the text of the whole chunk in memory.
      numbers.set(keywords.toString("latin1", at, end), number);
    }
    lexemes[i] = number;
    // The reversed stems of compounds have no positions; ts_rank counts such a lexeme once (POSNULL
    // in tsrank.c). Two joined vectors may have 256 positions of a lexeme, which would overflow
    // into the number of the next chunk.
    frequencies[i] = Math.min(Math.max(positions, 1), MAX_FREQUENCY);
    at = end + 3 + 2 * positions;
  }
  return { lexemes, frequencies };
}

/**
 * Returns all postings, grouped by lexeme, and the end of each lexeme's group, by a counting sort.
 * It empties `chunks`.
 */
async function sortPostings(chunks: ChunkLexemes[], lexemeCount: number, breathe: () => Promise<void>) {
  const next = new Uint32Array(lexemeCount);
  for (const { lexemes } of chunks) {
    for (const lexeme of lexemes) next[lexeme] = (next[lexeme] ?? 0) + 1;
    await breathe();
  }
  let total = 0;
  for (let lexeme = 0; lexeme < lexemeCount; lexeme++) {
    const count = next[lexeme] ?? 0;
    next[lexeme] = total;
    total += count;
  }
  const sorted = new Uint32Array(total);
  for (const [number, { lexemes, frequencies }] of chunks.entries()) {
    for (let i = 0; i < lexemes.length; i++) {
      const lexeme = lexemes[i] ?? 0;
      const at = next[lexeme] ?? 0;
      sorted[at] = (number << 8) | (frequencies[i] ?? 0);
      next[lexeme] = at + 1;
    }
    await breathe();
  }
  chunks.length = 0;
  // Every platform that Node runs on is little-endian.
  return { entries: Buffer.from(sorted.buffer).swap32(), ends: next };
}

/**
 * Sorts lexemes in the order of their bytes, in short parts: sorts runs, then sorts pairs of runs
 * together, which the engine detects and merges.
 */
async function sortLexemes(lexemes: string[], breathe: () => Promise<void>): Promise<string[]> {
  let runs: string[][] = [];
  for (let at = 0; at < lexemes.length; at += SORTED_AT_ONCE) {
    runs.push(lexemes.slice(at, at + SORTED_AT_ONCE).sort());
    await breathe();
  }
  while (runs.length > 1) {
    const merged: string[][] = [];
    for (let i = 0; i < runs.length; i += 2) {
      merged.push([...(runs[i] ?? []), ...(runs[i + 1] ?? [])].sort());
      await breathe();
    }
    runs = merged;
  }
  return runs[0] ?? [];
}
