import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createJsonCounter } from "../../src/base/json-structure.ts";
import { readJson } from "../../src/base/json-text.ts";

const WIDE = { values: 1e9, depth: 1e9 };

/** Counts the values of a parsed text and its levels. */
function sizeOf(value: unknown): { values: number; depth: number } {
  if (typeof value !== "object" || value === null) return { values: 1, depth: 0 };
  const inner = Object.values(value).map(sizeOf);
  return {
    values: inner.reduce((sum, one) => sum + one.values, 1),
    depth: Math.max(0, ...inner.map((one) => one.depth)) + 1,
  };
}

function excessOf(text: string, limits: { values: number; depth: number }, cut: number) {
  const count = createJsonCounter(limits);
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += cut) {
    const excess = count(bytes.subarray(at, at + cut));
    if (excess) return excess;
  }
  return undefined;
}

describe("the structure of JSON, counted while it comes in", () => {
  test("is that of what a parser makes of it, wherever the text is cut", () => {
    const quoted = fc.string({ unit: fc.constantFrom('"', "\\", "[", "{", ":", ",", "é", " ", "1") });
    const { json } = fc.letrec((tie) => ({
      json: fc.oneof(
        { maxDepth: 5 },
        fc.oneof(
          quoted,
          fc.integer(),
          fc.double({ noNaN: true, noDefaultInfinity: true }),
          fc.boolean(),
          fc.constant(null),
        ),
        fc.array(tie("json"), { maxLength: 5 }),
        fc.dictionary(
          quoted.filter((key) => key !== "__proto__"),
          tie("json"),
          { maxKeys: 5 },
        ),
      ),
    }));
    fc.assert(
      fc.property(json, fc.integer({ min: 1, max: 9 }), fc.integer({ min: 0, max: 2 }), (value, cut, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        const { values, depth } = sizeOf(JSON.parse(text));
        expect(excessOf(text, { values, depth }, cut)).toBeUndefined();
        expect(excessOf(text, { ...WIDE, values: values - 1 }, cut)).toBe("values");
        if (depth > 0) expect(excessOf(text, { ...WIDE, depth: depth - 1 }, cut)).toBe("depth");
      }),
      { numRuns: 500 },
    );
  });

  test("of what is no JSON, at least as much is counted as a parser reads", () => {
    const texts = [":".repeat(50), "[0,0,0,0]", "]]]][0,0,0,0", '"a""b""c""d"', "{a{b{c{d", "[0,0,0,0,0,:::::"];
    const excesses = texts.map((text) => excessOf(text, { values: 3, depth: 9 }, 100));
    expect(excesses).toEqual([undefined, "values", "values", "values", undefined, "values"]);
  });
});

describe("JSON that others have sent", () => {
  const problemOf = (text: string | Uint8Array) => {
    const read = readJson(Buffer.from(text as string));
    return "problem" in read ? read.problem : undefined;
  };

  test("is refused for what texts, our objects and Postgres cannot hold, at any place", () => {
    expect(problemOf('{"a":["x\\u0000"]}')).toBe("nul");
    expect(problemOf('{"a":{"\\ud83d":1}}')).toBe("surrogate");
    expect(problemOf('[{"__proto__":{"x":1}}]')).toBe("proto");
    expect(problemOf('[{"__pro\\u0074o__":{}}]')).toBe("proto");
    expect(problemOf('{"a":')).toBe("syntax");
    expect(problemOf(Uint8Array.from([0x22, 0xff, 0x22]))).toBe("encoding");
    expect(problemOf('{"a":["\\ud83d\\ude00 \\u00e9", "__proto__ in a text"]}')).toBeUndefined();
  });
});
