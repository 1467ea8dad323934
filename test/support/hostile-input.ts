import { gzipSync } from "node:zlib";
import fc from "fast-check";

/** The most repetitions of a value, and the greatest length of a generated text. */
const MOST_CHARACTERS = 200_000;

const bounded = (text: string) => text.slice(0, MOST_CHARACTERS);

const MARKDOWN = [
  ...["|", "a|", "-|", ":-:|", "\n", "\n\n", "# ", "> ", "- ", "1. ", "* ", "  ", "\t", "`", "```\n", "~~~\n", "---\n"],
  ...[
    "*",
    "_",
    "**a",
    "[",
    "]",
    "](",
    "![",
    "[a]: b\n",
    "[^a]",
    "<div>",
    "</div>",
    "<!--",
    "-->",
    "<a href='",
    "&amp;",
  ],
  ...[
    "\\",
    "http://",
    "a@b.c ",
    "$",
    "$$\n",
    "\u0000".slice(1),
    "é",
    "漢字",
    "العربية",
    "🙂",
    "\u200f",
    "word ",
    "\r\n",
    "{",
    "|\n",
  ],
];

/** Any Markdown, mostly repeated parts for which a parser must look back. */
export const markdown: fc.Arbitrary<string> = fc
  .array(fc.tuple(fc.constantFrom(...MARKDOWN), fc.oneof(fc.nat(20), fc.nat(20_000))), { minLength: 1, maxLength: 8 })
  .map((parts) => bounded(parts.map(([part, count]) => bounded(part.repeat(count))).join("")));

const repeated = fc
  .tuple(fc.constantFrom("a", " ", "\\u0000", "word ", "../", "%", "🙂", "'; DROP"), fc.nat(5000))
  .map(([part, count]) => part.repeat(count));

/** Any JSON value: extreme numbers, long texts, wide lists, deep nesting. */
const anyValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 4 }),
  fc.constantFrom(0, -0, -1, 1e308, 2 ** 53, 0.1, "", null, true, [], {}),
  repeated,
  markdown,
  fc.tuple(fc.jsonValue({ maxDepth: 1 }), fc.nat(20_000)).map(([value, count]) => Array(count).fill(value)),
  fc.nat(5000).map((count) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, i]))),
  fc.nat(2000).map((depth) => nested(depth)),
);

function nested(depth: number): unknown {
  let value: unknown = 0;
  for (let i = 0; i < depth; i++) value = i % 2 === 0 ? [value] : { a: value };
  return value;
}

/** Changes a body that a route accepts: replaces one of its values, or adds one, of any shape. */
export function changed(body: unknown): fc.Arbitrary<unknown> {
  if (Array.isArray(body) && body.length > 0)
    return fc.oneof(
      anyValue,
      fc.nat(body.length - 1).chain((at) => changed(body[at]).map((value) => body.with(at, value))),
      fc.nat(3000).map((count) => Array(count).fill(body[0])),
    );
  if (typeof body !== "object" || body === null) return anyValue;
  const added = fc.tuple(fc.string(), anyValue).map(([name, value]) => ({ ...body, [name]: value }));
  const names = Object.keys(body);
  if (names.length === 0) return fc.oneof(anyValue, added);
  const inside = fc
    .constantFrom(...names)
    .chain((name) => changed((body as Record<string, unknown>)[name]).map((value) => ({ ...body, [name]: value })));
  return fc.oneof(
    { weight: 1, arbitrary: anyValue },
    { weight: 2, arbitrary: added },
    { weight: 6, arbitrary: inside },
  );
}

/** Bytes to send in place of JSON: a changed body, a body cut off anywhere, or random bytes. */
export const sentBody = (body: unknown): fc.Arbitrary<Uint8Array> =>
  fc.oneof(
    { weight: 8, arbitrary: changed(body).map((value) => Buffer.from(JSON.stringify(value) ?? "")) },
    {
      weight: 1,
      arbitrary: fc.tuple(changed(body), fc.nat(100)).map(([value, percent]) => {
        const bytes = Buffer.from(JSON.stringify(value) ?? "");
        return bytes.subarray(0, Math.floor((bytes.length * percent) / 100));
      }),
    },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 2000 }) },
  );

/**
 * An archive in which some lines are changed, cut off, doubled, or foreign.
 *
 * @param lines the lines of a complete archive
 */
export const archive = (lines: readonly unknown[]): fc.Arbitrary<Uint8Array> =>
  fc
    .tuple(
      fc.array(fc.nat(lines.length - 1), { maxLength: lines.length * 2 }),
      fc.nat(lines.length - 1).chain((at) => changed(lines[at]).map((value) => ({ at, value }))),
      fc.boolean(),
      fc.nat(100),
    )
    .map(([order, change, whole, percent]) => {
      const all = lines.map((line, at) => (at === change.at ? change.value : line));
      const sent = whole ? all : [all[0], ...order.map((at) => all[at])];
      const bytes = gzipSync(sent.map((line) => `${JSON.stringify(line)}\n`).join(""));
      return percent > 10 ? bytes : bytes.subarray(0, (bytes.length * percent) / 10);
    });
