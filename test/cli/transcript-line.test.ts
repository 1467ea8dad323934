import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseTranscriptLine } from "../../src/cli/sessions/transcript-line.ts";
import { turnMessageId } from "../../src/service/sessions/turn-message.ts";

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

  const said = { type: "user", uuid: "u1", message: { role: "user", content: "I live in Porto." } };
  test.each([
    { ...said, isMeta: true },
    { ...said, isCompactSummary: true },
    { ...said, isVisibleInTranscriptOnly: true },
    { ...said, isSidechain: true },
    { ...said, isVirtual: true },
    { ...said, promptSource: "system" },
    { ...said, wakeupSource: "loop_wakeup" },
    { ...said, origin: { kind: "task-notification" } },
    { ...said, type: "assistant", isApiErrorMessage: true, message: { role: "assistant", content: "API Error: 529" } },
    { ...said, type: "assistant", message: { model: "<synthetic>", role: "assistant", content: "No response." } },
    { ...said, message: { role: "user", content: "<command-name>/cost</command-name>" } },
    { ...said, message: { role: "user", content: [{ type: "text", text: "[Request interrupted by user]" }] } },
    { ...said, message: { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "Porto" }] } },
    { type: "system", subtype: "local_command", content: "<local-command-stdout>x</local-command-stdout>" },
    { type: "event_msg", payload: { type: "user_message", message: "I live in Porto." } },
    { type: "response_item", payload: { type: "message", role: "developer", content: "I live in Porto." } },
    { type: "response_item", payload: { type: "function_call_output", call_id: "c", output: "I live in Porto." } },
    { type: "compacted", payload: { message: "I live in Porto." } },
    { type: "session_meta", payload: { id: "01a2" } },
  ])("nobody said %j", (line) => {
    expect(parse(line)).toMatchObject({ skipped: true });
  });

  test("the words of a message are kept without what the program wrote into it", () => {
    const content = [
      { type: "text", text: "<ide_opened_file>a.ts</ide_opened_file>" },
      { type: "text", text: "I live in Porto." },
    ];
    expect(parse({ ...said, promptSource: "typed", origin: { kind: "human" }, message: { content } })).toMatchObject({
      message: { id: "u1", text: "I live in Porto." },
    });
    // A chat may be about such texts.
    const chat = { role: "user", content: "<system-reminder>x</system-reminder>" };
    expect(parse(chat)).toMatchObject({ message: { text: chat.content } });
  });

  test("a line of Codex has the id that its hook gives the message", () => {
    const content = [{ type: "input_text", text: "I live in Porto." }];
    const about = { internal_chat_message_metadata_passthrough: { turn_id: "t1" } };
    const payload = { type: "message", id: "m1", role: "user", content, ...about };
    const line = { type: "response_item", timestamp: "2026-11-28T17:07:06.185Z", payload };
    expect(parse(line)).toMatchObject({
      message: { id: turnMessageId("t1", "user", "I live in Porto."), at: "2026-11-28T17:07:06.185Z" },
    });
    const { internal_chat_message_metadata_passthrough: _, ...older } = payload;
    expect(parse({ ...line, payload: older })).toMatchObject({ message: { id: "m1", text: "I live in Porto." } });
    expect(parse({ ...older, id: null })).toMatchObject({ message: { role: "user", text: "I live in Porto." } });
  });

  test.each([
    ["training data", { from: "human", value: "I live in Porto." }, "user"],
    ["training data", { from: "gpt", value: "I live in Porto." }, "assistant"],
    ["LangChain", { type: "human", data: { content: "I live in Porto.", additional_kwargs: {} } }, "user"],
    ["LangChain", { type: "ai", content: "I live in Porto." }, "assistant"],
    ["ChatGPT", { author: { role: "user" }, content: { content_type: "text", parts: ["I live in Porto."] } }, "user"],
    ["Claude", { sender: "human", text: "I live in Porto." }, "user"],
    ["a chat log", { speaker: "Assistant", body: "I live in Porto." }, "assistant"],
  ])("a line in the form of %s has its role and text under other names", (_, line, role) => {
    expect(parse({ ...line, create_time: 1779150000 })).toMatchObject({
      message: { role, text: "I live in Porto.", at: "2026-05-19T00:20:00.000Z" },
    });
  });

  test.each([
    [{ type: "system", content: "Compacted." }, { skipped: true }],
    [{ type: "user", content: "No message of a person." }, { skipped: true }],
    [{ from: "ana@example.org", body: "Hello" }, { bad: "no role" }],
    [{ author: "Ana", text: "Hello" }, { bad: "no role" }],
  ])("a line whose author is not known by a role is not guessed: %j", (line, parsed) => {
    expect(parse(line)).toEqual(parsed);
  });
});
