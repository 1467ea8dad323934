/**
 * An agent that remembers, with Mastra. Each run is another thread:
 *
 *   npm start                                      # in another terminal: Recollect
 *   node examples/mastra.ts "My name is Petra and I live in Oslo."
 *   node examples/mastra.ts "Where do I live?"
 *
 * It needs no key: the model is Mastra's own stand-in; what it is shown of the past is printed. Put yours in its place, such as
 * `model: "openai/gpt-5-mini"`.
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
// A demonstration waits for the memory on a busy machine too; by default a turn goes on without it after five seconds.
const memory = new RecollectMemory({ client, agent: "petra", storage: new InMemoryStore(), timeoutMs: 60_000 });
const agent = new Agent({ id: "assistant", name: "Assistant", instructions: "Be brief.", model: standIn, memory });
const { text } = await agent.generate(message, { memory: { thread: `thread-${Date.now()}`, resource: "petra" } });
console.log(text);
