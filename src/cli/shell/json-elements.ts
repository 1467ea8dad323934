import { Tokenizer, TokenParser, TokenType } from "@streamparser/json";

/** An element of a list, or the reason why it cannot be read. */
export type JsonElement = { list: string; index: number } & ({ value: unknown } | { bad: string });

/** The limits of one element. A parsed element takes several times as much memory as its text. */
const MAX_BYTES = 32_000_000;
const MAX_VALUES = 1_000_000;
const MAX_DEPTH = 100;

const OPENING: readonly TokenType[] = [TokenType.LEFT_BRACE, TokenType.LEFT_BRACKET];
const CLOSING: readonly TokenType[] = [TokenType.RIGHT_BRACE, TokenType.RIGHT_BRACKET];

/**
 * Yields the elements of a JSON document one after the other. The document is a list, an object
 * with lists, or lines of JSON, whose elements are the lines. Even a very large document takes only
 * the memory of its largest element. An element that is too large or too deep is reported and
 * skipped. After a syntax error nothing more can be read, but the elements before it are yielded.
 *
 * @param lists the names of the lists in a document that is an object; an object below one of these
 * names is an element too. Without names, a document that is an object is an element itself
 */
export async function* readElements(
  bytes: AsyncIterable<Uint8Array>,
  lists: readonly string[] = [],
): AsyncGenerator<JsonElement> {
  const ready: JsonElement[] = [];
  const outline = createOutline(lists, (element) => ready.push(element));
  const tokenizer = new Tokenizer();
  let [read, token] = [0, 0];
  let problem: string | undefined;
  tokenizer.onToken = ({ token: type, value, offset }) => {
    token = offset;
    outline.take({ type, value, offset });
  };
  tokenizer.onError = (error) => {
    // The rest of the message is the parser's own state.
    problem ??= `not JSON from here on: ${error.message.replace(/ at chunk position.*$/s, "")}`;
  };
  for await (const chunk of bytes) {
    if (read === 0) problem = otherKind(chunk);
    if (problem === undefined) tokenizer.write(chunk);
    read += chunk.length;
    // A text without an end would be collected until no memory is left.
    if (read - token > MAX_BYTES) problem ??= `a text is longer than ${MAX_BYTES} bytes; nothing behind it was read`;
    yield* ready.splice(0);
    if (problem !== undefined) break;
  }
  if (problem === undefined && !tokenizer.isEnded) tokenizer.end();
  yield* ready.splice(0);
  if (problem === undefined && !outline.isWhole()) problem = "the file ends in the middle";
  if (problem !== undefined) yield { ...outline.place(), bad: problem };
}

/** Returns the kind of a file that is no JSON, judged by its first bytes; undefined for any other. */
function otherKind(bytes: Uint8Array): string | undefined {
  const [first, second] = bytes;
  if (first === 0x1f && second === 0x8b) return "packed with gzip; unpack it first";
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff))
    return "UTF-16 text; save it as UTF-8";
  const begin = Buffer.from(bytes.subarray(0, MOST_SPACE)).toString("latin1").trimStart();
  return begin.startsWith("<") ? "a web page, not JSON" : undefined;
}

/** The most bytes of white space before a web page. */
const MOST_SPACE = 64;

interface Token {
  type: TokenType;
  value: unknown;
  /** The offset of the token's first byte. */
  offset: number;
}

/** An element that is being built. */
interface Building {
  /** Whether the element is wanted; false: it is skipped. */
  isWanted: boolean;
  /** Takes the element's next token. @returns whether it was the last token */
  take(token: Token): boolean;
  result(): { value: unknown } | { bad: string };
}

function createElement(start: number, isWanted: boolean): Building {
  let [depth, values] = [0, 0];
  let bad: string | undefined;
  let value: unknown;
  const parser = new TokenParser({ paths: ["$"], separator: "" });
  parser.onValue = (built) => {
    ({ value } = built);
  };
  parser.onError = () => {
    bad ??= "not JSON";
  };
  const excess = (offset: number): string | undefined => {
    if (depth > MAX_DEPTH) return `nested more than ${MAX_DEPTH} levels deep`;
    if (values > MAX_VALUES) return `has more than ${MAX_VALUES} values`;
    return offset - start > MAX_BYTES ? `larger than ${MAX_BYTES} bytes` : undefined;
  };
  return {
    isWanted,
    take: ({ type, value: part, offset }) => {
      if (OPENING.includes(type)) depth++;
      if (CLOSING.includes(type)) depth--;
      values++;
      bad ??= excess(offset);
      if (bad === undefined && isWanted) parser.write({ token: type, value: part, offset } as never);
      return depth <= 0;
    },
    result: () => (bad === undefined ? { value } : { bad }),
  };
}

/** Follows the tokens of a document outside its elements, and builds the elements. */
function createOutline(lists: readonly string[], found: (element: JsonElement) => void) {
  let [depth, index] = [0, 0];
  let [list, key] = ["", ""];
  /** Whether the next token is directly inside a wanted list. */
  let inList = false;
  /** Whether the next token is the value of `key`. */
  let isValue = false;
  let whole = false;
  let element: Building | undefined;

  const go = (token: Token, one: Building) => {
    element = one;
    if (!one.take(token)) return;
    if (one.isWanted) found({ list, index: index++, ...one.result() });
    [element, isValue, whole] = [undefined, false, depth === 0];
  };
  const begin = (token: Token, isWanted: boolean) => go(token, createElement(token.offset, isWanted));
  /** Handles a token directly inside an object that has lists. */
  const member = (token: Token) => {
    const { type, value } = token;
    if (type === TokenType.COLON) isValue = true;
    else if (type === TokenType.COMMA) isValue = false;
    else if (type === TokenType.STRING && !isValue) key = String(value);
    else if (isValue && lists.includes(key)) {
      [list, index] = [key, 0];
      if (type === TokenType.LEFT_BRACKET) [depth, inList] = [2, true];
      else begin(token, type === TokenType.LEFT_BRACE);
    } else begin(token, false);
  };
  return {
    take: (token: Token) => {
      const { type } = token;
      if (element) go(token, element);
      else if (depth === 0 && type === TokenType.LEFT_BRACKET) [depth, inList] = [1, true];
      else if (depth === 0 && type === TokenType.LEFT_BRACE && lists.length > 0) depth = 1;
      else if (depth === 0) begin(token, true);
      else if (CLOSING.includes(type)) {
        depth--;
        [inList, isValue, whole] = [false, false, depth === 0];
      } else if (!inList) member(token);
      else if (type !== TokenType.COMMA) begin(token, true);
    },
    isWhole: () => whole,
    place: () => ({ list, index }),
  };
}
