/** Of a lexeme, its posting list as it is stored: `number << 8 | frequency` for each chunk, big-endian, by number. */
export interface StoredPostings {
  lexeme: Uint8Array;
  entries: Uint8Array;
}

export interface PostingCollector {
  /** The lexemes of the next chunk: its keyword vector, as `tsvectorsend` writes it. */
  add(keywords: Buffer): void;
  /** What was added, by lexeme in the order of their bytes. Once. */
  lists(): AsyncGenerator<StoredPostings>;
}

/** The highest frequency that an entry has room for. */
const MAX_FREQUENCY = 255;
/** Sorting 200,000 lexemes at once held the event loop for 80 to 120 ms; in parts none takes more than 35. */
const SORTED_AT_ONCE = 5000;

/** The lexemes of one chunk, by their numbers. */
interface ChunkLexemes {
  lexemes: Uint32Array;
  frequencies: Uint8Array;
}

/**
 * Turns keyword vectors into posting lists, in memory: 5 bytes for a posting while chunks are added and 4 more at the end, and
 * some 100 for a lexeme. Arrays that grow with each lexeme's list would take as much for every rare word as for fifty postings.
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
 * Reads `tsvectorsend`: the number of lexemes, and of each its text, a zero byte, the number of its positions and these, of two
 * bytes each.
 *
 * @param numbers of all lexemes so far, whose bytes stand there as characters of Latin-1: a character a byte, in the same order.
 *   Decoding UTF-8 would take longer, and bytes come out as they went in
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
      // A string of its own: a slice keeps the text of the whole chunk in memory.
      numbers.set(keywords.toString("latin1", at, end), number);
    }
    lexemes[i] = number;
    // Without positions it counts once for ts_rank (POSNULL in tsrank.c): those that compounds are found by. Two vectors that
    // are joined may have 256 of one, which would be a posting of the next chunk.
    frequencies[i] = Math.min(Math.max(positions, 1), MAX_FREQUENCY);
    at = end + 3 + 2 * positions;
  }
  return { lexemes, frequencies };
}

/** All postings, those of a lexeme side by side, and where each lexeme's end: a counting sort, which leaves no chunks. */
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

/** Sorts lexemes in the order of their bytes, in short parts: by runs, which the engine then finds and merges in pairs. */
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
