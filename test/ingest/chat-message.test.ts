import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readChatMessage } from "../../src/ingest/chat-message.ts";

const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "…" } };

describe("a message as chat APIs write it", () => {
  test.each<[string, Record<string, unknown>, ...string[]]>([
    ["our own", { role: "user", text: "Hi" }, "user", "Hi"],
    ["a text", { role: "user", content: "Hi" }, "user", "Hi"],
    ["both, equal", { role: "user", text: "Hi", content: [{ type: "text", text: "Hi" }] }, "user", "Hi"],
    ["a text beside an empty content", { role: "user", text: "Hi", content: null }, "user", "Hi"],
    [
      "OpenAI: parts",
      {
        role: "user",
        content: [
          { type: "text", text: "What is it?" },
          { type: "image_url", image_url: { url: "x" } },
        ],
      },
      ...["user", "What is it?\n[image]"],
    ],
    ["OpenAI: sound", { role: "user", content: [{ type: "input_audio", input_audio: {} }] }, "user", "[audio]"],
    [
      "OpenAI: calls without content",
      { role: "assistant", content: null, tool_calls: [{ id: "1", type: "function", function: { name: "search" } }] },
      ...["assistant", "[tool call: search]"],
    ],
    ["OpenAI: an old call", { role: "assistant", function_call: { name: "f" } }, "assistant", "[tool call: f]"],
    ["OpenAI: a tool", { role: "tool", tool_call_id: "1", content: "42" }, "tool", "42"],
    ["OpenAI: a tool without an answer", { role: "tool", tool_call_id: "1", content: "" }, "tool", "[tool result]"],
    ["OpenAI: a function", { role: "function", name: "f", content: "42" }, "tool", "42"],
    ["OpenAI: the developer", { role: "developer", content: "Be brief." }, "system", "Be brief."],
    ["OpenAI: a refusal", { role: "assistant", content: null, refusal: "No." }, "assistant", "No."],
    [
      "OpenAI: a part refuses",
      { role: "assistant", content: [{ type: "refusal", refusal: "No." }] },
      "assistant",
      "No.",
    ],
    ["OpenAI: an answer in sound", { role: "assistant", audio: { transcript: "Hi" } }, "assistant", "Hi"],
    [
      "Responses: input and output",
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "Hi", annotations: [] }] },
      ...["assistant", "Hi"],
    ],
    [
      "Responses: input",
      { role: "user", content: [{ type: "input_text", text: "Hi" }, { type: "input_image" }] },
      "user",
      "Hi\n[image]",
    ],
    [
      "Responses: a file",
      { role: "user", content: [{ type: "input_file", filename: "a.pdf" }] },
      "user",
      "[file: a.pdf]",
    ],
    [
      "Responses: a call",
      { type: "function_call", name: "search", arguments: "{}" },
      "assistant",
      "[tool call: search]",
    ],
    ["Responses: its output", { type: "function_call_output", call_id: "1", output: "42" }, "tool", "[tool result] 42"],
    ["Responses: reasoning", { type: "reasoning", summary: [] }, "assistant", "[thinking]"],
    [
      "Anthropic: blocks",
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "hm" },
          { type: "text", text: "One." },
          { type: "text", text: "Two." },
          { type: "tool_use", name: "ls" },
        ],
      },
      ...["assistant", "[thinking]\nOne.\n\nTwo.\n[tool call: ls]"],
    ],
    [
      "Anthropic: an image",
      { role: "user", content: [image, { type: "text", text: "See?" }] },
      "user",
      "[image]\nSee?",
    ],
    [
      "Anthropic: a document",
      { role: "user", content: [{ type: "document", title: "Plan" }] },
      "user",
      "[document: Plan]",
    ],
    [
      "Anthropic: results alone are the tool's",
      { role: "user", content: [{ type: "tool_result", content: [{ type: "text", text: "I live in Rome." }, image] }] },
      ...["tool", "[tool result] I live in Rome.\n[image]"],
    ],
    [
      "Anthropic: a result of its own tool",
      { role: "assistant", content: [{ type: "web_search_tool_result" }] },
      "assistant",
      "[tool result]",
    ],
    [
      "Gemini",
      { role: "model", parts: [{ text: "Hi" }, { inlineData: { mimeType: "image/png" } }] },
      "assistant",
      "Hi\n[image]",
    ],
    [
      "Gemini: a call",
      { role: "model", parts: [{ functionCall: { name: "f", args: {} } }] },
      "assistant",
      "[tool call: f]",
    ],
    [
      "Gemini: its response",
      { role: "user", parts: [{ functionResponse: { name: "f", response: { a: 1 } } }] },
      ...["tool", '[tool result: f] {"a":1}'],
    ],
    [
      "Gemini: a thought",
      { role: "model", parts: [{ text: "hm", thought: true }, { text: "Hi" }] },
      "assistant",
      "[thinking]\nHi",
    ],
    [
      "Vercel: a UI message",
      {
        id: "1",
        role: "user",
        parts: [{ type: "step-start" }, { type: "text", text: "Hi" }, { type: "file", mediaType: "image/png" }],
      },
      ...["user", "Hi\n[image]"],
    ],
    [
      "Vercel: a tool",
      { role: "assistant", parts: [{ type: "tool-weather", state: "output-available", input: {}, output: "rain" }] },
      ...["assistant", "[tool call: weather]\n[tool result: weather] rain"],
    ],
    [
      "Vercel: a model message",
      { role: "tool", content: [{ type: "tool-result", toolName: "f", output: { type: "text", value: "42" } }] },
      ...["tool", "[tool result: f] 42"],
    ],
    ["Vercel: content and parts", { role: "user", content: "Hi", parts: [{ type: "text", text: "Hi" }] }, "user", "Hi"],
    ["LangChain", { type: "human", content: "Hi" }, "user", "Hi"],
    ["one part", { role: "user", content: { type: "text", text: "Hi" } }, "user", "Hi"],
    [
      "an unknown part",
      { role: "user", content: [{ type: "hologram_url" }, "and text"] },
      "user",
      "[hologram url]\nand text",
    ],
    [
      "a name that would break out",
      { role: "user", content: [{ type: "document", title: "a]\n[b" }] },
      "user",
      "[document: a b]",
    ],
  ])("%s", (_, fields, role, text) => expect(readChatMessage(fields)).toMatchObject({ role, text }));

  test.each([
    ["an unknown role", { role: "narrator", content: "Hi" }],
    ["a role of the prototype", { role: "constructor", content: "Hi" }],
    ["no role", { content: "Hi" }],
    ["a text and a content that differ", { role: "user", text: "x", content: "y" }],
    ["too many parts", { role: "user", content: Array(2001).fill("x") }],
  ])("%s is refused", (_, fields) => expect(readChatMessage(fields)).toHaveProperty("problem"));

  test("what a user says is told from what a tool says, and from what he shows", () => {
    const content = [
      { type: "tool_result", content: "I live in Rome." },
      { type: "text", text: "I live in Oslo." },
      image,
    ];
    expect(readChatMessage({ role: "user", content })).toMatchObject({
      role: "user",
      own: "I live in Oslo.",
      said: "I live in Oslo.\n[image]",
    });
  });

  test("property: whatever a message is, it is read without an error, and what is nested is bounded", () => {
    let deep: unknown = "x";
    for (let i = 0; i < 50_000; i++) deep = i % 2 ? [deep] : { type: "tool_result", content: deep };
    expect(readChatMessage({ role: "user", content: deep })).toHaveProperty("text");
    const key = fc.constantFrom("type", "text", "content", "parts", "name", "output", "function", "tool_calls");
    const message = fc.object({ key, maxDepth: 6 });
    fc.assert(fc.property(message, (fields) => void readChatMessage({ role: "user", ...fields })));
  });
});
