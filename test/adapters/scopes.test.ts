import { afterAll, beforeAll, expect, test } from "vitest";
import { RecollectSession } from "../../src/adapters/openai-agents/openai-agents.ts";
import { said } from "../../src/adapters/shared/adapter-options.ts";
import { modelTools } from "../../src/adapters/shared/model-tools.ts";
import { openMemory } from "../../src/adapters/shared/open-memory.ts";
import { type AdapterApp, startAdapterApp } from "../support/adapter-app.ts";

let one: AdapterApp;
const options = (user: string) => ({
  client: one.client,
  timeoutMs: 60_000,
  scope: { user },
  onTrouble: () => undefined,
});

beforeAll(async () => {
  one = await startAdapterApp();
  await openMemory(options("alice")).remember("dm:alice", [said("user", "The biopsy of Quillon showed a carcinoma")]);
});
afterAll(() => one.app.drop());

test("a model's tools find what is for the speaker, whoever the model names", async () => {
  const call = async (user: string, name: string, input: object) => {
    const { tools } = await modelTools(options(user));
    const tool = tools.find((one) => one.name === name);
    expect(tool?.inputSchema.properties).not.toHaveProperty("scope");
    return JSON.stringify(await tool?.call(input));
  };
  for (const [name, input] of [
    ["memory_search", { query: "biopsy of Quillon" }],
    ["memory_recall", { query: "biopsy of Quillon" }],
    ["memory_get", { path: "sessions/dm:alice" }],
  ] as const) {
    expect(await call("alice", name, input)).toContain("carcinoma");
    for (const more of [{}, { scope: { user: "alice" } }])
      expect(await call("bob", name, { ...input, ...more })).not.toContain("carcinoma");
  }
  await call("bob", "memory_store", { text: "Bob keeps the key under the mat", scope: { user: "alice" } });
  expect(await call("bob", "memory_recall", { query: "key under the mat" })).toContain("mat");
  const { facts } = await one.client.agent().facts.list({ user: "bob" });
  expect(await call("bob", "memory_forget", { ids: facts.map(({ id }) => id) })).toContain("forgotten");
});

test("a recall and the history of a session are the speaker's", async () => {
  expect(await openMemory(options("alice")).recall("What did the biopsy of Quillon show?")).toContain("carcinoma");
  expect(await openMemory(options("bob")).recall("What did the biopsy of Quillon show?")).not.toContain("carcinoma");
  const items = (user: string) => new RecollectSession({ ...options(user), session: "dm:alice" }).getItems();
  expect(await items("alice")).toHaveLength(1);
  expect(await items("bob")).toEqual([]);
});
