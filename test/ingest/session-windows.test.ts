import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  cutWindows,
  firstChangedWindow,
  lastCompleteWindow,
  lastWindowOf,
  normaliseMessage,
  renderMessage,
  type SessionChunk,
  type TranscriptMessage,
  windowRange,
} from "../../src/ingest/session-windows.ts";

const SETTINGS = { tokens: 400, overlap: 80 };

function transcript(texts: readonly string[]): TranscriptMessage[] {
  let firstLine = 1;
  return texts.map((text, i) => {
    const message = { seq: i + 1, role: i % 2 ? "assistant" : "user", name: i % 3 ? null : "Ann", text, firstLine };
    firstLine += renderMessage(message).length;
    return message;
  });
}

const cutAll = (messages: readonly TranscriptMessage[], settings = SETTINGS) =>
  cutWindows(messages, { from: 0, to: lastWindowOf(messages.at(-1)?.seq ?? 1) }, settings);

describe("windows of a session", () => {
  test("three messages with their speakers, the last of one is the first of the next", () => {
    const chunks = cutAll(transcript(Array.from({ length: 10 }, (_, i) => `m${i + 1}`)));
    expect(chunks.map(({ firstMessage, lastMessage }) => [firstMessage, lastMessage])).toEqual([
      [1, 3],
      [3, 5],
      [5, 7],
      [7, 9],
      [9, 10],
    ]);
    expect(chunks[0]).toMatchObject({ ordinal: 0, startLine: 1, endLine: 3, heading: "" });
    expect(chunks[0]?.text).toBe("Ann: m1\nassistant: m2\nuser: m3");
  });

  test("a message that is only shared makes no window", () => {
    for (const [count, windows] of [
      ...[
        [1, 1],
        [3, 1],
        [4, 2],
        [5, 2],
      ],
      [6, 3],
    ] as const)
      expect([count, cutAll(transcript(Array(count).fill("x"))).length]).toEqual([count, windows]);
  });

  test("a long window is cut between messages; every piece says who speaks", () => {
    const long = `${"The first half of it. ".repeat(70)}\n\n${"And the second half. ".repeat(70)}`;
    const chunks = cutAll(transcript(["Short question?", long, "Thanks."]));
    expect(chunks.length).toBeGreaterThan(1);
    expect(new Set(chunks.map((chunk) => chunk.ordinal))).toEqual(new Set([0]));
    for (const chunk of chunks)
      expect(chunk.heading === "" ? chunk.text : chunk.heading).toMatch(/^(Ann|assistant|user):/);
    expect(chunks.some((chunk) => chunk.heading === "assistant:")).toBe(true);
    expect(chunks.at(-1)).toMatchObject({ lastMessage: 3, endLine: 5 });
  });

  const text = fc.oneof(
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 }),
    fc.array(fc.string({ maxLength: 30 }), { maxLength: 8 }).map((lines) => lines.join("\n")),
    fc.integer({ min: 1, max: 400 }).map((n) => "word and ".repeat(n)),
  );

  test("property: lines and texts are those of the transcript, every message is in a chunk, sizes are kept", () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 14 }), fc.constantFrom(50, 120, 400), (texts, tokens) => {
        const messages = transcript(texts.map((one) => normaliseMessage(`x${one}`)));
        const lines = messages.flatMap(renderMessage);
        const chunks = cutAll(messages, { tokens, overlap: 10 });
        const seen = new Set<number>();
        for (const chunk of chunks) {
          const range = windowRange(chunk.ordinal);
          expect(chunk.firstMessage).toBeGreaterThanOrEqual(range.first);
          expect(chunk.lastMessage).toBeLessThanOrEqual(range.last);
          expect(lines.slice(chunk.startLine - 1, chunk.endLine).join("\n")).toContain(chunk.text);
          for (let seq = chunk.firstMessage; seq <= chunk.lastMessage; seq++) seen.add(seq);
        }
        expect(seen.size).toBe(messages.length);
      }),
    );
  });

  test("property: indexing in any steps ends in the same windows as indexing once", () => {
    const steps = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(steps, (counts) => {
        const messages = transcript(Array.from({ length: counts.reduce((a, b) => a + b) }, (_, i) => `text ${i}`));
        let index: SessionChunk[] = [];
        let indexed = 0;
        let made = 0;
        for (const count of counts) {
          const upTo = indexed + count;
          const from = firstChangedWindow(indexed);
          const known = messages.slice(0, upTo);
          const fresh = cutWindows(known, { from, to: lastWindowOf(upTo) }, SETTINGS);
          const complete = lastCompleteWindow(indexed);
          // A complete window is never made a second time.
          expect(from).toBeGreaterThan(complete);
          made += fresh.length;
          index = [...index.filter((chunk) => chunk.ordinal < from), ...fresh];
          indexed = upTo;
        }
        expect(index).toEqual(cutAll(messages));
        expect(made).toBeLessThanOrEqual(index.length + counts.length);
      }),
    );
  });
});
