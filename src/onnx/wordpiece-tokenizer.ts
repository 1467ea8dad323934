/**
 * The longest word that is split. A longer word is one unknown token, as in the reference
 * implementation.
 */
const MAX_WORD_CHARS = 100;

/**
 * Without \p{Cn}: the reference implementation keeps an unassigned character, which becomes an
 * unknown word.
 */
const CONTROL = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\ufffd]/gu;
/** A run of characters between white space. */
const RUN = /[^\t\n\r\p{Zs}\u2028\u2029]+/gu;
/**
 * The names of the model's own tokens. The reference implementation recognises them inside a text
 * too.
 */
const SPECIAL = /(\[(?:PAD|UNK|CLS|SEP|MASK)\])/;
const SPECIAL_ALONE = new RegExp(`^${SPECIAL.source}$`);
/**
 * The Chinese characters, each of which is a word. The reference implementation's blocks do not
 * include Kana, Hangul and 2B820 to 2B91F.
 */
const HAN =
  /[\u4e00-\u9fff\u3400-\u4dbf\u{20000}-\u{2a6df}\u{2a700}-\u{2b81f}\u{2b920}-\u{2ceaf}\uf900-\ufaff\u{2f800}-\u{2fa1f}]/gu;
const MARKS = /\p{Mn}/gu;
/**
 * Punctuation. BERT counts every ASCII symbol as punctuation, also the ones that Unicode calls
 * symbols.
 */
const PUNCTUATION = /[!-/:-@[-`{-~\p{P}]/gu;

export interface Tokenizer {
  /**
   * Returns token ids with [CLS] and [SEP], at most `maxTokens` in all. The rest of the text is
   * left out.
   */
  encode(text: string, maxTokens: number): number[];
  /**
   * Encodes [CLS] first [SEP] second [SEP], at most `maxTokens` in all. The first text gets at most
   * half of the room, so that a long question cannot push out the passage. Then the end of the
   * second text is dropped.
   *
   * @returns the ids, and how many of them belong to the first text and its markers
   */
  encodePair(first: string, second: string, maxTokens: number): { ids: number[]; firstLength: number };
  /** Yields the text's words in the normalised form of the vocabulary. */
  words(text: string): Iterable<string>;
  /** Returns how many tokens one of the text's `words` has. */
  countWord(word: string): number;
}

interface Vocabulary {
  readonly ids: ReadonlyMap<string, number>;
  readonly unknown: number;
  /** The length of the longest entry. */
  readonly longest: number;
}

/**
 * Creates the WordPiece tokenizer of BERT (Devlin et al. 2019) that a `tokenizer.json` describes,
 * cased or uncased.
 *
 * @param json the content of the file
 * @throws Error when the file describes another kind of tokenizer, whose tokens would be misread
 */
export function createTokenizer(json: string): Tokenizer {
  const described = json.slice(0, Math.max(0, json.indexOf('"vocab"')));
  const isBert = /"type"\s*:\s*"BertNormalizer"/.test(described) && /"handle_chinese_chars"\s*:\s*true/.test(described);
  if (!isBert || !/"type"\s*:\s*"WordPiece"/.test(described))
    throw new Error("The file does not describe a WordPiece tokenizer of BERT.");
  const plain = /"lowercase"\s*:\s*true/.test(described) ? uncasedWords : casedWords;
  const ids = readVocabulary(json);
  const [cls, sep, unknown] = ["[CLS]", "[SEP]", "[UNK]"].map((marker) => ids.get(marker));
  if (cls === undefined || sep === undefined || unknown === undefined)
    throw new Error("The tokenizer's vocabulary lacks [CLS], [SEP] or [UNK].");
  const longest = [...ids.keys()].reduce((most, key) => Math.max(most, key.length), 0);
  const vocabulary = { ids, unknown, longest };
  const words = (text: string) => wordsOf(text, plain);
  const read = (text: string, most: number): number[] => {
    const tokens: number[] = [];
    for (const word of words(text)) {
      for (const id of pieces(word, vocabulary)) {
        if (tokens.length >= most) return tokens;
        tokens.push(id);
      }
    }
    return tokens;
  };
  return {
    words,
    countWord: (word) => pieces(word, vocabulary).length,
    encode: (text, maxTokens) => [cls, ...read(text, maxTokens - 2), sep],
    encodePair: (first, second, maxTokens) => {
      const question = read(first, Math.floor((maxTokens - 3) / 2));
      const passage = read(second, maxTokens - 3 - question.length);
      return { ids: [cls, ...question, sep, ...passage, sep], firstLength: question.length + 2 };
    },
  };
}

/**
 * Reads the vocabulary in place, which takes 12 ms instead of 45 ms for parsing the whole file. A
 * server may do it between requests.
 */
function readVocabulary(json: string): Map<string, number> {
  const vocabulary = new Map<string, number>();
  const entry = /\s*("(?:[^"\\]|\\.)*")\s*:\s*(\d+)\s*[,}]/y;
  entry.lastIndex = json.indexOf("{", json.indexOf('"vocab"')) + 1;
  for (let found = entry.exec(json); found; found = entry.exec(json)) {
    const [, key = "", id] = found;
    vocabulary.set(key.includes("\\") ? (JSON.parse(key) as string) : key.slice(1, -1), Number(id));
    if (found[0].endsWith("}")) break;
  }
  return vocabulary;
}

/**
 * Yields the normalised words of a text one by one, so that only the part of a long text that the
 * model reads is normalised.
 */
function* wordsOf(text: string, plainWords: (text: string) => string[]): Generator<string> {
  for (const [run] of text.matchAll(RUN)) {
    for (const part of run.split(SPECIAL)) {
      if (SPECIAL_ALONE.test(part)) yield part;
      else yield* plainWords(part);
    }
  }
}

/**
 * Normalises in the order of the reference implementation, which lower-cases letter by letter: a
 * capital sigma at the end of a word becomes σ, not ς.
 */
function uncasedWords(text: string): string[] {
  return text
    .replace(CONTROL, "")
    .replace(HAN, " $& ")
    .normalize("NFD")
    .replace(MARKS, "")
    .replaceAll("Σ", "σ")
    .toLowerCase()
    .replace(PUNCTUATION, " $& ")
    .split(" ")
    .filter(Boolean);
}

function casedWords(text: string): string[] {
  return text.replace(CONTROL, "").replace(HAN, " $& ").replace(PUNCTUATION, " $& ").split(" ").filter(Boolean);
}

/**
 * Splits a word by greedy longest match from the left. A word with a part that is not in the
 * vocabulary is unknown as a whole.
 */
function pieces(word: string, { ids: known, unknown, longest }: Vocabulary): number[] {
  const whole = known.get(word);
  if (whole !== undefined) return [whole];
  if (word.length > MAX_WORD_CHARS && [...word].length > MAX_WORD_CHARS) return [unknown];
  const ids: number[] = [];
  for (let start = 0; start < word.length; ) {
    // An end inside a surrogate pair makes a piece that is in no vocabulary.
    let end = Math.min(word.length, start + longest);
    let id: number | undefined;
    for (; end > start; end--) {
      const piece = word.slice(start, end);
      id = known.get(start === 0 ? piece : `##${piece}`);
      if (id !== undefined) break;
    }
    if (id === undefined) return [unknown];
    ids.push(id);
    start = end;
  }
  return ids;
}

const SPACE = 0;
const WORD = 1;
const SYMBOL = 2;
/** A character that must be normalised first. */
const OTHER = 3;
const KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  if (code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d) return SPACE;
  if (code < 0x20 || code === 0x7f) return OTHER;
  return /[a-z0-9]/i.test(String.fromCharCode(code)) ? WORD : SYMBOL;
});
/** The names of the tokenizer's own tokens, each of which is one token inside a text too. */
const ADDED_TOKEN = /\[(?:PAD|UNK|CLS|SEP|MASK)\]/y;

/**
 * The Chinese characters, each of which is one token whether or not the vocabulary has it, and the
 * two commonest punctuation marks.
 */
const HAN_FROM = 0x4e00;
const HAN_TO = 0x9fff;
const COMMA = 0x3001;
const STOP = 0x3002;

const MAX_KNOWN_WORDS = 50_000;
/** The longest word that is cached. Longer words are rarely repeated. */
const MAX_KNOWN_CHARS = 40;

/**
 * Creates a counter that counts tokens exactly as the tokenizer does, several times faster: most
 * words are found without normalising, and the count of a word is cached. The count of a text is
 * the sum over its lines.
 */
export function createTokenCounter(tokenizer: Pick<Tokenizer, "countWord" | "words">): (text: string) => number {
  const ofWord = remembering((word) => tokenizer.countWord(word));
  const ofPart = remembering((part) => {
    let count = 0;
    for (const word of tokenizer.words(part)) count += ofWord(word);
    return count;
  });
  return (text) => {
    let count = 0;
    for (let at = 0; at < text.length; ) {
      const kind = kindAt(text, at);
      if (kind === SPACE) at++;
      else if (kind === SYMBOL) {
        count++;
        at = specialEnd(text, at);
      } else {
        const end = partEnd(text, at);
        count += ofPart(text.slice(at, end));
        at = end;
      }
    }
    return count;
  };
}

function remembering(countOf: (text: string) => number): (text: string) => number {
  const known = new Map<string, number>();
  return (text) => {
    let count = known.get(text);
    if (count !== undefined) return count;
    count = countOf(text);
    if (text.length > MAX_KNOWN_CHARS) return count;
    if (known.size >= MAX_KNOWN_WORDS) known.clear();
    known.set(text, count);
    return count;
  };
}

function kindAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code < 0x80) return KINDS[code] ?? OTHER;
  return (code >= HAN_FROM && code <= HAN_TO) || code === COMMA || code === STOP ? SYMBOL : OTHER;
}

function specialEnd(text: string, at: number): number {
  if (text.charCodeAt(at) !== 0x5b) return at + 1;
  ADDED_TOKEN.lastIndex = at;
  return ADDED_TOKEN.test(text) ? ADDED_TOKEN.lastIndex : at + 1;
}

/**
 * Returns the end of the word that starts here: the next ASCII space, or a character that is a
 * token of its own.
 */
function partEnd(text: string, start: number): number {
  let end = start + 1;
  while (end < text.length) {
    const kind = kindAt(text, end);
    if (kind === SPACE || kind === SYMBOL) break;
    end++;
  }
  return end;
}
