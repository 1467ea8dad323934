import { Tokenizer, TokenParser, TokenType } from "@streamparser/json";

/** An element of a list, or why it cannot be read. */
export type JsonElement = { list: string; index: number } & ({ value: unknown } | { bad: string });

/** Bounds of one element: parsed, it takes several times as much memory. */
const MAX_BYTES = 32_000_000;
const MAX_VALUES = 1_000_000;
const MAX_DEPTH = 100;

const OPENING: readonly TokenType[] = [TokenType.LEFT_BRACE, TokenType.LEFT_BRACKET];
const CLOSING: readonly TokenType[] = [TokenType.RIGHT_BRACE, TokenType.RIGHT_BRACKET];

/**
 * The elements of a JSON document that is a list, or an object with lists, one after the other: a document of any size takes the
 * memory of its largest element, and one that is too large or too deep is named and passed over. Behind a mistake in the syntax
 * nothing can be read; what stands before it is.
 *
 * @param lists names of the lists of a document that is an object; without any, such a document is itself the only element
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
    problem ??= `not JSON from here on: ${error.message}`;
  };
  for await (const chunk of bytes) {
    tokenizer.write(chunk);
    read += chunk.length;
    // A text without an end would be gathered until there is no memory left.
    if (read - token > MAX_BYTES) problem ??= `a text is longer than ${MAX_BYTES} bytes; nothing behind it was read`;
    yield* ready.splice(0);
    if (problem !== undefined) break;
  }
  if (problem === undefined && !tokenizer.isEnded) tokenizer.end();
  yield* ready.splice(0);
  if (problem === undefined && !outline.isWhole()) problem = "the file ends in the middle";
  if (problem !== undefined) yield { ...outline.place(), bad: problem };
}

interface Token {
  type: TokenType;
  value: unknown;
  /** Where it begins, in bytes. */
  offset: number;
}

/** An element on its way. */
interface Building {
  /** false: it is passed over. */
  isWanted: boolean;
  /** Takes its next token. @returns whether it was the last */
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

/** Follows the tokens of a document outside of its elements, and builds those. */
function createOutline(lists: readonly string[], found: (element: JsonElement) => void) {
  let [depth, index] = [0, 0];
  let [list, key] = ["", ""];
  /** Whether the brackets around the next token are those of a list that is wanted. */
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
  /** A token directly within an object that has lists. */
  const member = (token: Token) => {
    const { type, value } = token;
    if (type === TokenType.COLON) isValue = true;
    else if (type === TokenType.COMMA) isValue = false;
    else if (type === TokenType.STRING && !isValue) key = String(value);
    else if (type === TokenType.LEFT_BRACKET && isValue && lists.includes(key))
      [depth, inList, list, index] = [2, true, key, 0];
    else begin(token, false);
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
