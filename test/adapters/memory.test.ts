import { once } from "node:events";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { type MemoryTrouble, said } from "../../src/adapters/shared/adapter-options.ts";
import { modelTools } from "../../src/adapters/shared/model-tools.ts";
import { openMemory } from "../../src/adapters/shared/open-memory.ts";
import { createOutbox, type Parcel } from "../../src/adapters/shared/outbox.ts";
import { readMessages } from "../../src/adapters/shared/read-messages.ts";
import { createClient } from "../../src/client/client.ts";
import { type AdapterApp, startAdapterApp } from "../support/adapter-app.ts";
import { until } from "../support/until.ts";

let one: AdapterApp;
let troubles: MemoryTrouble[];
const open = (more = {}) =>
  openMemory({ client: one.client, timeoutMs: 60_000, onTrouble: (trouble) => void troubles.push(trouble), ...more });
const textsOf = async (session: string) =>
  (await readMessages(one.client.agent(), session)).map(({ role, text }) => `${role}: ${text}`);

beforeAll(async () => {
  one = await startAdapterApp();
});
afterAll(() => one.app.drop());
beforeEach(() => {
  troubles = [];
  one.network.state = "up";
});

describe("what was said", () => {
  test("is a conversation with a session, and facts alone without", async () => {
    await open().remember("talk", [
      said("user", "My name is Petra."),
      said("assistant", "  "),
      said("assistant", "Hi."),
    ]);
    await open().remember(undefined, [said("user", "I live in Oslo.")]);
    expect(await textsOf("talk")).toEqual(["user: My name is Petra.", "assistant: Hi."]);
    const block = await open().recall("Where do I live, and what is my name?");
    expect(block).toContain("I live in Oslo");
    expect(troubles).toEqual([]);
  });

  test("waits during an outage, in order, and is stored once", async () => {
    const first = said("user", "first");
    await open().remember("kept", [first]);
    one.network.state = "refused";
    await open().remember("kept", [said("user", "second")]);
    await open().remember("kept", [said("user", "third")]);
    expect(troubles.map(({ step, lost }) => [step, lost])).toEqual([
      ["capture", undefined],
      ["capture", undefined],
    ]);
    expect(troubles[1]?.message).toMatch(/^Messages that are not stored yet: 2; .* No answer from/);
    one.network.state = "up";
    await open().remember("kept", [first, said("user", "fourth")]);
    expect(await textsOf("kept")).toEqual(["user: first", "user: second", "user: third", "user: fourth"]);
  });

  test("is lost visibly when the service refuses it, and what follows is stored", async () => {
    const words = [said("user", "x".repeat(262_145))];
    await open().remember("refused", words);
    expect(troubles).toMatchObject([{ step: "capture", lost: words, error: { status: 400 } }]);
    await open().remember("refused", [said("user", "shorter")]);
    expect(await textsOf("refused")).toEqual(["user: shorter"]);
  });

  test("is lost visibly when the client itself refuses it, and no later conversation hears of it", async () => {
    const outbox = createOutbox();
    const refused = Object.assign(new Error("no user"), { code: "invalid_request" });
    const lost: string[] = [];
    await outbox.add({ ...parcel("turn 1", () => Promise.reject(refused)), report: lose(lost) });
    expect([lost, await outbox.flush("turn 1")]).toEqual([["turn 1"], 0]);
  });

  test("may be more than one request takes", async () => {
    await open().remember(
      "long",
      Array.from({ length: 1201 }, (_, n) => said("user", `number ${n}`)),
    );
    const read = (limit?: number) => readMessages(one.client.agent(), "long", { limit });
    expect(await read()).toHaveLength(1201);
    expect((await read(2)).map(({ text }) => text)).toEqual(["number 1199", "number 1200"]);
    expect(await read(0)).toEqual([]);
    expect(await readMessages(one.client.agent(), "nothing like it", { limit: 3 })).toEqual([]);
  });

  test("is given up when too much waits: the oldest first, each of it reported", async () => {
    const outbox = createOutbox();
    const lost: string[] = [];
    for (let n = 0; n < 103; n++)
      await outbox.add({ ...parcel(`turn ${n}`, () => Promise.reject(new Error("away"))), report: lose(lost) });
    expect(lost).toEqual(["turn 0", "turn 1", "turn 2"]);
  });

  test("of many conversations at once goes at once: none is lost, and no turn waits for another's", async () => {
    const outbox = createOutbox();
    const lost: string[] = [];
    const answer = Promise.withResolvers<void>();
    const send = vi.fn(() => answer.promise);
    const turns = Array.from({ length: 150 }, (_, n) =>
      outbox.add({ ...parcel(`turn ${n}`, send), conversation: `${n}`, report: lose(lost) }),
    );
    await outbox.add({ ...parcel("quick", async () => undefined), conversation: "quick" });
    expect(send).toHaveBeenCalledTimes(150);
    answer.resolve();
    await Promise.all(turns);
    expect(lost).toEqual([]);
  });

  test("of other conversations goes when one is stored again", async () => {
    await open().remember("other", [said("user", "zero")]);
    one.network.state = "refused";
    await open().remember("other", [said("user", "first")]);
    one.network.state = "up";
    await open().remember("next", [said("user", "second")]);
    await until(async () => (await textsOf("other")).length === 2);
  });

  test("is waited for as long as one turn may, however much an outage held back", async () => {
    const outbox = createOutbox();
    const sent: string[] = [];
    let isAway = true;
    const turn = (text: string, isSlow: boolean) =>
      outbox.add({
        ...parcel(text, async (signal) => {
          if (isAway) throw new Error("away");
          if (isSlow) await once(signal, "abort");
          else signal.throwIfAborted();
          sent.push(text);
        }),
        timeoutMs: 50,
      });
    await turn("first", true);
    await turn("second", false);
    isAway = false;
    await turn("third", false);
    expect(sent).toEqual(["first"]);
    await turn("fourth", false);
    expect(sent).toEqual(["first", "second", "third", "fourth"]);
  });
});

/** Returns a message that waits in an outbox. */
function parcel(text: string, send: Parcel["send"]): Parcel {
  return { conversation: "one", timeoutMs: 60_000, said: [said("user", text)], send, report: () => undefined };
}

function lose(lost: string[]): Parcel["report"] {
  return (trouble) => void lost.push(...(trouble.lost ?? []).map((word) => word.text));
}

describe("without the service a turn goes on", () => {
  test.each(["refused", "silent"] as const)("when the network is %s", async (state) => {
    one.network.state = state;
    const memory = open({ timeoutMs: 50 });
    expect(await memory.recall("Where do I live?")).toBe("");
    expect(
      await modelTools({ client: one.client, timeoutMs: 50, onTrouble: (trouble) => void troubles.push(trouble) }),
    ).toEqual({ tools: [], prompt: "" });
    expect(troubles.map(({ step }) => step)).toEqual(["recall", "tools"]);
    expect(troubles[0]?.message).toMatch(/^The turn goes on without recalled memory\. ./);
  });

  test("even if nobody can be told", async () => {
    one.network.state = "refused";
    const onTrouble = () => {
      throw new Error("of the application");
    };
    expect(await open({ onTrouble }).recall("Where do I live?")).toBe("");
  });

  test("and an agent that is not there yet recalls nothing, without a word", async () => {
    expect(await open({ agent: "later" }).recall("Where do I live?")).toBe("");
    await open({ agent: "later" }).remember("s", [said("user", "I live in Graz.")]);
    expect(await open({ agent: "later" }).recall("Where do I live?")).toContain("Graz");
    expect(troubles).toEqual([]);
  });
});

describe("a model's tools", () => {
  const toolsOf = () => modelTools({ client: one.client, onTrouble: (trouble) => void troubles.push(trouble) });

  test("are those of the service, with its prompt, and carry out calls", async () => {
    const { tools, prompt } = await toolsOf();
    expect(prompt).toContain("## Memory Recall");
    const store = tools.find(({ name }) => name === "memory_store");
    expect(await store?.call({ text: "Tea, not coffee." })).toMatchObject({ facts: [{ status: "stored" }] });
    expect(await store?.call({ text: { tea: true } })).toEqual({ error: expect.stringContaining("text") });
    expect(troubles).toEqual([]);
  });

  test("are there for an agent that nobody has written to yet, and store nothing if the key may not make it", async () => {
    const { tools } = await modelTools({
      client: one.client,
      agent: "new-user",
      onTrouble: (one) => troubles.push(one),
    });
    const search = tools.find(({ name }) => name === "memory_search");
    expect(await search?.call({ query: "tea" })).toMatchObject({ results: [] });
    expect(troubles).toEqual([]);
    const key = await one.app.key(["search", "agent:write"]);
    const fetch = async (url: string, init: RequestInit) => one.app.runtime.app.request(url, init);
    const client = createClient({ url: "http://localhost", key, fetch });
    const unmade = await modelTools({ client, agent: "newer-user", onTrouble: (one) => troubles.push(one) });
    const store = unmade.tools.find(({ name }) => name === "memory_store");
    expect(await store?.call({ text: "Tea." })).toEqual({ error: expect.stringContaining("no such agent") });
    expect(troubles).toEqual([]);
  });

  test("answer in an outage what the prompt tells the model to pass on", async () => {
    const { tools } = await toolsOf();
    one.network.state = "refused";
    expect(await tools[0]?.call({ query: "tea" })).toMatchObject({ disabled: true, warning: expect.any(String) });
    expect(troubles).toMatchObject([{ step: "tools" }]);
  });
});
