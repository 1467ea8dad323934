/**
 * An agent that remembers, with Mastra. Each run is a new thread:
 *
 *   npm start                                      # in another terminal: Recollect
 *   node examples/mastra.ts "My name is Petra and I live in Oslo."
 *   node examples/mastra.ts "Where do I live?"
 *
 * The example needs no key: the model is Mastra's own mock. The example prints the memory that the
 * model is given. Replace the mock with your model, such as `model: "openai/gpt-5-mini"`.
 */
import { Agent } from "@mastra/core/agent";
import type { MastraModelConfig } from "@mastra/core/llm";
import { InMemoryStore } from "@mastra/core/storage";
import { createMockModel } from "@mastra/core/test-utils/llm-mock";
import { createClient } from "recollect/client";
import { RecollectMemory } from "recollect/mastra";

const { RECOLLECT_URL: url = "http://127.0.0.1:7420", RECOLLECT_API_KEY: key } = process.env;
const message = process.argv.slice(2).join(" ") || "My name is Petra and I live in Oslo.";

const standIn = createMockModel({
  mockText: "I see.",
  spyGenerate: ({ prompt }: { prompt: { content: string | { text?: string }[] }[] }) => {
    const words = prompt.flatMap(({ content }) => (typeof content === "string" ? [] : content.map(({ text }) => text)));
    console.log(words.find((text) => text?.startsWith("<recalled-memory>")) ?? "I know nothing of the past.");
  },
  version: "v2",
}) as MastraModelConfig;

const client = createClient({ url, key });
// By default, a turn continues without the memory after five seconds. This example waits longer,
// because the machine may be busy.
const memory = new RecollectMemory({ client, agent: "petra", storage: new InMemoryStore(), timeoutMs: 60_000 });
const agent = new Agent({ id: "assistant", name: "Assistant", instructions: "Be brief.", model: standIn, memory });
const { text } = await agent.generate(message, { memory: { thread: `thread-${Date.now()}`, resource: "petra" } });
console.log(text);
