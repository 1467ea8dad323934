import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonLines, toJsonLines } from "../../src/embeddings/json-lines.ts";

async function read(pieces: readonly Uint8Array<ArrayBuffer>[]): Promise<unknown[]> {
  const values: unknown[] = [];
  for await (const value of jsonLines(new Blob([...pieces]).stream())) values.push(value);
  return values;
}

/** Yields the same bytes in pieces of any size. */
function* cut(bytes: Uint8Array<ArrayBuffer>, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.slice(at, at + size);
}

test("what is written is read again, however it arrives", async () => {
  const value = fc.record({
    key: fc.string({ unit: "binary" }),
    vector: fc.array(fc.double({ noNaN: true, noDefaultInfinity: true })),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(value, { maxLength: 20 }), fc.integer({ min: 1, max: 50 }), async (values, size) => {
      const bytes = Buffer.concat(await toJsonLines(values, (one) => one));
      const stream = ReadableStream.from(cut(new Uint8Array(bytes), size)) as ReadableStream<Uint8Array>;
      const seen: unknown[] = [];
      for await (const one of jsonLines(stream)) seen.push(one);
      expect(JSON.stringify(seen)).toBe(JSON.stringify(values));
    }),
    { numRuns: 50 },
  );
});

test("lines that are no JSON or have no end are left out, and what is behind them is read", async () => {
  const text = (line: string) => new Uint8Array(Buffer.from(line));
  const endless = Array.from({ length: 30 }, () => text("x".repeat(100_000)));
  expect(await read([text('{"a":1}\nNaN\n{"b":\n\n'), ...endless, text('\n{"c":3}\n{"d":'), text("4}")])).toEqual([
    { a: 1 },
    { c: 3 },
    { d: 4 },
  ]);
});
