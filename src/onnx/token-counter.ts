import type { Tokenizer } from "./wordpiece-tokenizer.ts";

const SPACE = 0;
const WORD = 1;
const SYMBOL = 2;
/** What has to be normalised first. */
const OTHER = 3;
const KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  if (code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d) return SPACE;
  if (code < 0x20 || code === 0x7f) return OTHER;
  return /[a-z0-9]/i.test(String.fromCharCode(code)) ? WORD : SYMBOL;
});
/** Names of the tokenizer's own tokens, each of which is one token also inside a text. */
const SPECIAL = /\[(?:PAD|UNK|CLS|SEP|MASK)\]/y;

/** Chinese characters, each of which is one token whether or not the vocabulary has it, and the two commonest full stops. */
const HAN_FROM = 0x4e00;
const HAN_TO = 0x9fff;
const COMMA = 0x3001;
const STOP = 0x3002;

const MAX_KNOWN_WORDS = 50_000;
/** A longer word is hardly met again. */
const MAX_KNOWN_CHARS = 40;

/**
 * Counts the tokens of texts exactly as the tokenizer does, several times faster: most words are found without normalising,
 * and what a word comes to is remembered. The count of a text is the sum over its lines.
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
  SPECIAL.lastIndex = at;
  return SPECIAL.test(text) ? SPECIAL.lastIndex : at + 1;
}

/** Where what starts here ends: at the next ASCII space, or a character that is a token of its own. */
function partEnd(text: string, start: number): number {
  let end = start + 1;
  while (end < text.length) {
    const kind = kindAt(text, end);
    if (kind === SPACE || kind === SYMBOL) break;
    end++;
  }
  return end;
}
