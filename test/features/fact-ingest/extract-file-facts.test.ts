import { expect, test } from "vitest";
import { extractFileFacts } from "../../../src/features/fact-ingest/extract-file-facts.ts";
import type { ChatModel } from "../../../src/models/chat-model.ts";

test("the answer has one JSON object a line, in a fence or not; other lines are counted", async () => {
  const extract = (answer: string) => {
    const chat: ChatModel = { provider: "fake", model: "fake", complete: async () => answer };
    return extractFileFacts(chat, "CI", new AbortController().signal);
  };
  const lines = ['{"text": "CI runs on Buildkite.", "importance": 0.7}', "Sure!", '{"text": "x", "importance": 2}'];
  const wanted = { facts: [{ text: "CI runs on Buildkite.", importance: 0.7 }], dropped: 2 };
  expect(await extract(lines.join("\n"))).toEqual(wanted);
  expect(await extract(`\`\`\`json\n${lines.join("\n\n")}\n\`\`\``)).toEqual(wanted);
  expect(await extract("")).toEqual({ facts: [], dropped: 0 });
});
