import { Agent } from "@mastra/core/agent";
import { InMemoryStore } from "@mastra/core/storage";
import { createMockModel } from "@mastra/core/test-utils/llm-mock";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { RecollectMemory } from "../../src/adapters/mastra/mastra.ts";
import type { MemoryTrouble } from "../../src/adapters/shared/adapter-options.ts";
import { readMessages } from "../../src/adapters/shared/read-messages.ts";
import { type AdapterApp, startAdapterApp } from "../support/adapter-app.ts";

interface Prompted {
  prompt: { role: string; content: string | { text: string }[] }[];
}

let one: AdapterApp;
let troubles: MemoryTrouble[];

beforeAll(async () => {
  one = await startAdapterApp();
});
afterAll(() => one.app.drop());
beforeEach(() => {
  troubles = [];
  one.network.state = "up";
});

function assistant(mockText: string, more = {}) {
  const prompts: Prompted["prompt"][] = [];
  const spy = ({ prompt }: Prompted) => void prompts.push(prompt);
  const memory = new RecollectMemory({
    client: one.client,
    agent: "main",
    timeoutMs: 60_000,
    storage: new InMemoryStore(),
    onTrouble: (trouble) => void troubles.push(trouble),
    ...more,
  });
  const model = createMockModel({ mockText, spyGenerate: spy, spyStream: spy, version: "v2" });
  const agent = new Agent({
    id: "assistant",
    name: "Assistant",
    instructions: "Be brief.",
    memory,
    model: model as Extract<typeof model, { specificationVersion: "v2" }>,
  });
  const shown = (at: number) =>
    prompts[at]?.map(({ role, content }) => [role, typeof content === "string" ? content : content[0]?.text]);
  return { agent, memory, shown };
}
const textsOf = async (session: string, id = "main") =>
  (await readMessages(one.client.agent(id), session)).map(({ role, text }) => `${role}: ${text}`);

test("what one thread states, the prompt of another has; the thread itself has only what was said", async () => {
  const { agent, memory, shown } = assistant("Hello.");
  await agent.generate("My name is Petra and I live in Oslo.", { memory: { thread: "t1", resource: "petra" } });
  expect(await textsOf("t1")).toEqual(["user: My name is Petra and I live in Oslo.", "assistant: Hello."]);

  const { text } = await agent.generate("Where do I live?", { memory: { thread: "t2", resource: "petra" } });
  expect(text).toBe("Hello.");
  expect(shown(1)).toEqual([
    ["system", "Be brief."],
    ["user", expect.stringMatching(/^<recalled-memory>\n[\s\S]*Oslo[\s\S]*<\/recalled-memory>$/)],
    ["user", "Where do I live?"],
  ]);
  const stored = await memory.recall({ threadId: "t2", resourceId: "petra" });
  expect(stored.messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
  expect(await textsOf("t2")).toEqual(["user: Where do I live?", "assistant: Hello."]);
  expect(troubles).toEqual([]);
});

test("a stream is stored too, with the thread's past in the prompt once", async () => {
  const { agent, shown } = assistant("Yes.");
  await agent.generate("Is this the first?", { memory: { thread: "t3", resource: "petra" } });
  const { textStream } = await agent.stream("And the second?", { memory: { thread: "t3", resource: "petra" } });
  for await (const _ of textStream);
  expect((await textsOf("t3")).map((line) => line.split(": ")[1])).toEqual([
    ...["Is this the first?", "Yes.", "And the second?", "Yes."],
  ]);
  const plain = shown(1)?.filter(([, text]) => !text?.startsWith("<recalled-memory>"));
  expect(plain?.map(([role]) => role)).toEqual(["system", "user", "assistant", "user"]);
});

test("each resource has an agent of its own, and facts are for it alone where they share one", async () => {
  const own = assistant("Noted.", { agent: (resource: string) => `user-${resource}` });
  await own.agent.generate("My favourite colour is teal.", { memory: { thread: "own", resource: "mina" } });
  expect(await textsOf("own", "user-mina")).toHaveLength(2);
  await own.agent.generate("What is my favourite colour?", { memory: { thread: "other", resource: "tom" } });
  expect(own.shown(1)?.map(([role]) => role)).toEqual(["system", "user"]);
  expect((await one.client.agent("user-mina").facts.list()).facts[0]?.scope).toEqual({ user: "mina" });
});

test("nothing is stored of a run that only reads", async () => {
  const { agent } = assistant("Fine.");
  const memory = { thread: "read", resource: "petra", options: { readOnly: true } };
  await agent.generate("I live in Bergen.", { memory });
  expect(await textsOf("read")).toEqual([]);
});

test("a deleted thread is gone from Recollect too", async () => {
  const { agent, memory } = assistant("Fine.");
  await agent.generate("Remember this thread.", { memory: { thread: "gone", resource: "petra" } });
  await memory.deleteThread("gone");
  expect(await textsOf("gone")).toEqual([]);
  expect(await memory.getThreadById({ threadId: "gone" })).toBeNull();
  await memory.deleteThread("gone");
});

test.each(["refused", "silent"] as const)("in an outage (%s) a run goes on, and is stored later", async (state) => {
  one.network.state = state;
  const thread = { thread: state, resource: "petra" };
  const { agent, shown } = assistant("Good day.", { timeoutMs: 50 });
  expect((await agent.generate("Where do I live?", { memory: thread })).text).toBe("Good day.");
  expect(shown(0)?.map(([role]) => role)).toEqual(["system", "user"]);
  expect(troubles.map(({ step }) => step)).toEqual(["recall", "capture"]);
  one.network.state = "up";
  await assistant("Good day.").agent.generate("And now?", { memory: thread });
  expect((await textsOf(state)).map((line) => line.split(": ")[1])).toEqual([
    ...["Where do I live?", "Good day.", "And now?", "Good day."],
  ]);
});
