import {
  Agent,
  type AgentInputItem,
  type Model,
  type ModelRequest,
  type ModelResponse,
  Runner,
  Usage,
} from "@openai/agents";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { RecollectSession, recollectTools } from "../../src/adapters/openai-agents/openai-agents.ts";
import type { MemoryTrouble } from "../../src/adapters/shared/adapter-options.ts";
import { type AdapterApp, startAdapterApp } from "../support/adapter-app.ts";

type Output = ModelResponse["output"];
const says = (text: string): Output => [
  { type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text }] },
];
const calls = (name: string, input: object): Output => [
  { type: "function_call", callId: "1", name, status: "completed", arguments: JSON.stringify(input) },
];

/** Returns a model with the SDK's interface that answers from a script. */
function scripted(...script: Output[]): Model & { requests: ModelRequest[] } {
  const requests: ModelRequest[] = [];
  return {
    requests,
    getResponse: async (request) => {
      requests.push({ ...request, input: structuredClone(request.input) });
      return { usage: new Usage(), output: script[requests.length - 1] ?? says("That was all.") };
    },
    // biome-ignore lint/correctness/useYield: nothing here streams.
    async *getStreamedResponse() {
      throw new Error("Nothing here streams.");
    },
  };
}

let one: AdapterApp;
let troubles: MemoryTrouble[];
const runner = new Runner({ tracingDisabled: true });
const options = (more = {}) => ({
  client: one.client,
  timeoutMs: 60_000,
  onTrouble: (trouble: MemoryTrouble) => void troubles.push(trouble),
  ...more,
});
const sessionOf = (session: string, more = {}) => new RecollectSession({ ...options(more), session });
const wordsOf = (items: AgentInputItem[]) =>
  items.flatMap((item) => ("role" in item ? [[item.role, JSON.stringify(item.content)]] : [["", item.type]]));

beforeAll(async () => {
  one = await startAdapterApp();
});
afterAll(() => one.app.drop());
beforeEach(() => {
  troubles = [];
  one.network.state = "up";
});

test("a session keeps a conversation, which others find", async () => {
  const model = scripted(says("Hello Petra."), says("You are Petra."));
  const agent = new Agent({ name: "Assistant", model });
  const session = sessionOf("monday");
  await runner.run(agent, "My name is Petra.", { session });
  const { finalOutput } = await runner.run(agent, "What is my name?", { session });
  expect(finalOutput).toBe("You are Petra.");
  expect(wordsOf(model.requests[1]?.input as AgentInputItem[])).toEqual([
    ["user", '"My name is Petra."'],
    ["assistant", '[{"type":"output_text","text":"Hello Petra."}]'],
    ["user", '"What is my name?"'],
  ]);
  expect(await session.getSessionId()).toBe("monday");
  expect(wordsOf(await session.getItems(1))).toEqual([
    ["assistant", '[{"type":"output_text","text":"You are Petra."}]'],
  ]);
  expect((await one.client.agent().facts.search("name")).facts[0]?.text).toContain("Petra");
  expect(troubles).toEqual([]);
});

test("tools of the memory are called in a run, of which the session has the words", async () => {
  await one.client.agent().files.put("ports.md", "The gateway listens on port 8080.");
  const model = scripted(calls("memory_search", { query: "gateway port" }), says("On 8080."));
  const { tools, prompt } = await recollectTools(options());
  const agent = new Agent({ name: "Assistant", instructions: prompt, tools, model });
  const session = sessionOf("tools");
  expect((await runner.run(agent, "Where does the gateway listen?", { session })).finalOutput).toBe("On 8080.");
  expect(model.requests[0]?.systemInstructions).toContain("## Memory Recall");
  expect(model.requests[0]?.tools).toMatchObject([{ name: "memory_search", strict: false }, {}, {}, {}, {}]);
  expect(JSON.stringify(model.requests[1]?.input)).toContain("ports.md");
  expect(wordsOf(await session.getItems())).toEqual([
    ["user", '"Where does the gateway listen?"'],
    ["assistant", '[{"type":"output_text","text":"On 8080."}]'],
  ]);
});

test("the last item can be taken back, and all of them", async () => {
  const session = sessionOf("corrected");
  expect(await session.popItem()).toBeUndefined();
  await session.addItems([
    { role: "user", content: [{ type: "input_text", text: "I live in Oslo." }] },
    { type: "reasoning", content: [] },
    { role: "assistant", status: "completed", content: [{ type: "refusal", refusal: "No." }] },
    { role: "user", content: "Why not?" },
  ]);
  const before = await one.client.agent().sessions.get("corrected");
  expect(await session.popItem()).toEqual({ type: "message", role: "user", content: "Why not?" });
  expect(wordsOf(await session.getItems())).toEqual([
    ["user", '"I live in Oslo."'],
    ["assistant", '[{"type":"output_text","text":"No."}]'],
  ]);
  const after = await one.client.agent().sessions.get("corrected");
  expect(after.messages.map(({ id, at }) => [id, at])).toEqual(
    before.messages.slice(0, 2).map(({ id, at }) => [id, at]),
  );
  await session.clearSession();
  await session.clearSession();
  expect(await session.getItems()).toEqual([]);
});

test("an item that waits in this process is sent before it is taken back, and does not come back", async () => {
  const session = sessionOf("waiting", { timeoutMs: 5_000 });
  one.network.state = "refused";
  await session.addItems([
    { role: "user", content: "I live in Oslo." },
    { role: "user", content: "Why not?" },
  ]);
  await expect(session.popItem()).rejects.toMatchObject({ code: "service_unreachable" });
  one.network.state = "up";
  expect(await session.popItem()).toMatchObject({ content: "Why not?" });
  expect(wordsOf(await session.getItems())).toEqual([["user", '"I live in Oslo."']]);
});

test.each(["refused", "silent"] as const)("in an outage (%s) a run goes on, and is stored later", async (state) => {
  one.network.state = state;
  const model = scripted(says("Hello."), says("Here again."));
  const { tools } = await recollectTools(options({ timeoutMs: 50 }));
  const agent = new Agent({ name: "Assistant", model, tools });
  expect((await runner.run(agent, "Hello?", { session: sessionOf(state, { timeoutMs: 50 }) })).finalOutput).toBe(
    "Hello.",
  );
  expect(new Set(troubles.map(({ step }) => step))).toEqual(new Set(["tools", "history", "capture"]));
  await expect(sessionOf(state, { timeoutMs: 50 }).clearSession()).rejects.toThrow();
  one.network.state = "up";
  await runner.run(agent, "And now?", { session: sessionOf(state) });
  expect(wordsOf(await sessionOf(state).getItems()).map(([role]) => role)).toEqual([
    ...["user", "assistant", "user", "assistant"],
  ]);
});
