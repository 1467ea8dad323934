import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseTranscriptLine } from "../../src/cli/sessions/transcript-line.ts";

const parse = (value: unknown) => parseTranscriptLine(JSON.stringify(value), 7);
const blocks = [
  { type: "thinking", thinking: "hm" },
  { type: "text", text: "one" },
  { type: "tool_use", id: "t", name: "Bash", input: { command: "ls" } },
  { type: "toolCall", id: "t", name: "read", arguments: {} },
  { type: "text", text: "two" },
];

describe("a line of a transcript", () => {
  test.each([
    [
      { role: "user", content: "Hi" },
      { role: "user", text: "Hi" },
    ],
    [
      { role: "human", text: "Hi", name: " Ann\n" },
      { role: "user", text: "Hi", name: "Ann" },
    ],
    [
      { role: "AI", content: blocks },
      { role: "assistant", text: "one\n\ntwo" },
    ],
    [
      { role: "model", parts: [{ text: "Hi" }] },
      { role: "assistant", text: "Hi" },
    ],
    [
      { role: "developer", content: "Be brief." },
      { role: "system", text: "Be brief." },
    ],
    [
      { role: "user", content: [{ type: "input_image" }, { type: "input_text", text: "See?" }] },
      { role: "user", text: "[image]\nSee?" },
    ],
    [
      { role: "tool", content: "42" },
      { role: "tool", text: "42" },
    ],
    [{ role: "user", content: "Hi", id: "m1" }, { id: "m1" }],
    [{ role: "user", content: "Hi", id: 12 }, { id: "12" }],
    [{ role: "user", content: "Hi", id: "a\nb" }, { id: expect.stringMatching(/^line:7:[0-9a-f]{16}$/) }],
    [{ role: "user", content: "Hi", at: "2026-03-02T10:00:00+02:00" }, { at: "2026-03-02T08:00:00.000Z" }],
    [{ role: "user", content: "Hi", timestamp: 1_767_225_600 }, { at: "2026-01-01T00:00:00.000Z" }],
    [{ role: "user", content: "Hi", timestamp: 1_767_225_600_000 }, { at: "2026-01-01T00:00:00.000Z" }],
    [{ role: "user", content: "a\u0000b\ud800" }, { text: "a\ufffdb\ufffd" }],
    [
      { type: "message", id: "b1", timestamp: "2026-02-06T07:49:03.491Z", message: { role: "user", content: blocks } },
      { id: "b1", role: "user", text: "one\n\ntwo", at: "2026-02-06T07:49:03.491Z" },
    ],
    [
      { type: "message", id: "b1", message: { role: "assistant", content: "Hi", timestamp: 1_770_364_143_489 } },
      { role: "assistant", at: "2026-02-06T07:49:03.489Z" },
    ],
    [
      { type: "user", uuid: "u1", timestamp: "2026-02-01T14:59:02.592Z", message: { role: "user", content: "Hi" } },
      { id: "u1", role: "user", text: "Hi" },
    ],
    [
      { type: "assistant", uuid: "u2", message: { content: blocks } },
      { id: "u2", role: "assistant", text: "one\n\ntwo" },
    ],
  ])("%j", (line, message) => expect(parse(line)).toMatchObject({ message }));

  test.each([
    [{ role: "user", content: "Hi", at: "1" }],
    [{ role: "user", content: "Hi", at: "yesterday" }],
    [{ role: "user", content: "Hi", at: 1e300 }],
    [{ role: "user", content: "Hi", at: { year: 2026 } }],
  ])("%j has no time", (line) => expect(parse(line)).not.toHaveProperty("message.at"));

  test.each([
    [{ type: "session", version: 3, id: "x", cwd: "/" }],
    [{ type: "model_change", modelId: "m" }],
    [{ type: "message", message: { role: "toolResult", content: [{ type: "text", text: "output" }] } }],
    [{ type: "user", uuid: "u", message: { content: [{ type: "tool_result", content: "output" }] } }],
    [{ type: "assistant", uuid: "u", message: { content: [{ type: "tool_use", name: "Bash" }] } }],
    [{ type: "assistant", uuid: "u", isSidechain: true, message: { content: "aside" } }],
    [{ type: "user", uuid: "u", isMeta: true, message: { content: "Caveat" } }],
    [{ type: "summary", summary: "About it", leafUuid: "u" }],
    [{ type: "progress", message: { role: "user", content: "50 %" } }],
    [{ role: "user", content: " \n" }],
    [{ role: "user" }],
  ])("%j is skipped", (line) => expect(parse(line)).toEqual({ skipped: true }));

  test.each(["{", "42", "[]", "null", '"text"', "{}", '{"role":"narrator","text":"x"}', '{"role":7,"text":"x"}'])(
    "%s is bad",
    (line) => expect(parseTranscriptLine(line, 1)).toHaveProperty("bad"),
  );

  test("an equal message has an id of its own on each line, and the same one every time", () => {
    const line = '{"role":"user","content":"yes"}';
    const idAt = (number: number) => {
      const parsed = parseTranscriptLine(line, number);
      return "message" in parsed ? parsed.message.id : undefined;
    };
    expect(idAt(1)).not.toBe(idAt(2));
    expect(idAt(2)).toBe(idAt(2));
  });

  test("property: whatever a line is, it is read without an error", () => {
    const line = fc.oneof(
      fc.string(),
      fc.json(),
      fc
        .object({ key: fc.constantFrom("role", "content", "text", "type", "message", "at", "name", "id") })
        .map((value) => JSON.stringify(value)),
    );
    fc.assert(fc.property(line, (text) => void parseTranscriptLine(text, 1)));
  });
});
