/**
 * A chat that remembers, with Vercel's AI SDK. Each run is a new conversation:
 *
 *   npm start                                      # in another terminal: Recollect
 *   node examples/ai-sdk.ts "My name is Petra and I live in Oslo."
 *   node examples/ai-sdk.ts "Where do I live?"
 *
 * The example needs no key: the model is the SDK's own mock. The example prints the memory that the
 * model is given. Replace the mock with your model, such as `gateway("openai/gpt-5-mini")`.
 */
import { generateText, wrapLanguageModel } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { recollectMiddleware } from "recollect/ai-sdk";
import { createClient } from "recollect/client";

const { RECOLLECT_URL: url = "http://127.0.0.1:7420", RECOLLECT_API_KEY: key } = process.env;
const message = process.argv.slice(2).join(" ") || "My name is Petra and I live in Oslo.";

const standIn = new MockLanguageModelV4({
  doGenerate: async ({ prompt }) => {
    const [recalled] = /<recalled-memory>[\s\S]*<\/recalled-memory>/.exec(prompt.map(textOf).join("\n")) ?? [];
    console.log(recalled ?? "Nothing was recalled.");
    return {
      content: [{ type: "text", text: "Noted." }],
      finishReason: { unified: "stop", raw: undefined },
      usage: {
        inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 0, text: 0, reasoning: 0 },
      },
      warnings: [],
    };
  },
});

function textOf({ content }: { content: string | { type: string; text?: string }[] }): string {
  return typeof content === "string" ? content : content.map((part) => part.text ?? "").join("\n");
}

const client = createClient({ url, key });
const model = wrapLanguageModel({
  model: standIn,
  // By default, a turn continues without the memory after five seconds. This example waits longer,
  // because the machine may be busy.
  middleware: recollectMiddleware({ client, agent: "petra", session: `chat-${Date.now()}`, timeoutMs: 60_000 }),
});
const { text } = await generateText({ model, prompt: message });
console.log(text);
