import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { MemoryTrouble } from "../../../src/adapters/shared/adapter-options.ts";
import { createStrandsMemory, type StrandsMemory } from "../../../src/adapters/strands/strands.ts";
import { type AdapterApp, startAdapterApp } from "../../support/adapter-app.ts";
import { needsPackagesOf } from "../../support/needs.ts";

const FOLDER = "test/adapters/stores";

/** The program in hosts/strands-host.ts, which is compiled with Strands' types. */
interface Host {
  everyTurn(): object;
  turn(store: StrandsMemory<unknown>, said: string, call?: { name: string; input: object }): Promise<string[]>;
}

let one: AdapterApp;
let troubles: MemoryTrouble[];
const options = (more = {}) => ({
  client: one.client,
  timeoutMs: 60_000,
  onTrouble: (trouble: MemoryTrouble) => void troubles.push(trouble),
  ...more,
});
const textsOf = (entries: readonly { content: string }[]) => entries.map(({ content }) => content).join("\n");

beforeAll(async () => {
  one = await startAdapterApp();
});
afterAll(() => one.app.drop());
beforeEach(() => {
  troubles = [];
  one.network.state = "up";
});

describe("a store", () => {
  test("adds facts, once each, and finds them", async () => {
    const store = createStrandsMemory(options({ agent: "facts", scope: { user: "ana" } }));
    const first = await store.add("Ana plays the cello.", { category: "preference", tags: ["music"], mood: "good" });
    expect(first.status).toBe("stored");
    expect(await store.add("Ana plays the cello.")).toMatchObject({ id: first.id, status: "duplicate" });
    const [found] = await store.search("Who plays the cello?", { maxSearchResults: 1 });
    expect(found).toMatchObject({ content: "Ana plays the cello.", metadata: { source: "facts" } });
    expect(await one.client.agent("facts").facts.get(first.id)).toMatchObject({
      category: "preference",
      tags: ["music"],
      scope: { user: "ana" },
    });
    await expect(store.add("long ".repeat(500))).rejects.toMatchObject({ code: "invalid_request" });
  });

  test("keeps what is for one user from the others", async () => {
    const storeOf = (user: string) =>
      createStrandsMemory(options({ agent: "users", scope: { user }, session: `chat-${user}` }));
    await storeOf("ana").add("The biopsy of Quillon showed a carcinoma.");
    await storeOf("ana").addMessages([{ role: "user", content: [{ text: "Quillon's surgeon is Dr. Vane." }] }]);
    expect(textsOf(await storeOf("ana").search("Quillon biopsy"))).toContain("carcinoma");
    expect(textsOf(await storeOf("ana").search("Quillon surgeon"))).toContain("Vane");
    for (const query of ["Quillon biopsy", "Quillon surgeon"]) expect(await storeOf("per").search(query)).toEqual([]);
  });

  test("leaves out the calls of tools, and stores a message once", async () => {
    const store = createStrandsMemory(options({ agent: "turns", session: "s" }));
    const message = { role: "user" as const, content: [{ text: "I live in Oslo." }], trackingId: "m1" };
    const call = { role: "assistant" as const, content: [{ toolUse: { name: "x", toolUseId: "1", input: {} } }] };
    await store.addMessages([message, call]);
    await store.addMessages([message, { role: "assistant", content: [{ text: "Noted." }] }]);
    const { messages } = await one.client.agent("turns").sessions.get("s");
    expect(messages.map(({ role, text }) => [role, text])).toEqual([
      ["user", "I live in Oslo."],
      ["assistant", "Noted."],
    ]);
    expect((await one.client.agent("turns").facts.list()).facts[0]?.text).toContain("Oslo");
  });

  test("gives nothing that is probably no answer, nor for an empty question", async () => {
    const agent = one.client.agent("many");
    for (let n = 0; n < 12; n++) await agent.files.put(`n${n}.md`, `The shed number ${n} holds rakes and spades.`);
    // What chance gives is measured on the embedded texts.
    for await (const { pendingEmbeddings } of agent.watchStatus()) if (pendingEmbeddings === 0) break;
    const store = createStrandsMemory(options({ agent: "many" }));
    expect(await store.search("xyzzy")).toEqual([]);
    expect(await store.search("  ")).toEqual([]);
    expect(await store.search("rakes")).not.toEqual([]);
  });

  test("in an outage finds nothing, keeps messages, and says that a fact is not stored", async () => {
    const store = createStrandsMemory(options({ agent: "away", session: "s", timeoutMs: 50 }));
    one.network.state = "silent";
    expect(await store.search("cello")).toEqual([]);
    await store.addMessages([{ role: "user", content: [{ text: "Hello?" }] }]);
    await expect(store.add("Ana plays the cello.")).rejects.toThrow();
    expect(troubles.map(({ step }) => step)).toEqual(["recall", "capture"]);
    one.network.state = "up";
    const later = createStrandsMemory(options({ agent: "away", session: "s" }));
    await later.addMessages([{ role: "user", content: [{ text: "There again?" }] }]);
    const { messages } = await one.client.agent("away").sessions.get("s");
    expect(messages.map(({ text }) => text)).toEqual(["Hello?", "There again?"]);
  });
});

describe("Strands", needsPackagesOf(FOLDER), () => {
  let host: Host;
  beforeAll(async () => {
    host = (await import(pathToFileURL(resolve(FOLDER, "hosts/strands-host.ts")).href)) as Host;
  });
  const storeOf = (session: string, more = {}) =>
    createStrandsMemory(options({ agent: "strands", session, extraction: host.everyTurn(), ...more }));

  test("stores a turn, puts it before the model in another conversation, and offers both tools", async () => {
    await host.turn(storeOf("one"), "My cello has a cracked bridge.");
    const [sent] = await host.turn(storeOf("two"), "What is wrong with my cello?");
    expect(sent).toContain("cracked bridge");
    expect((await one.client.agent("strands").sessions.get("one")).messages.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
    ]);
    const add = { name: "add_memory", input: { entries: ["Petra's boat is called Alma."] } };
    const [, stored] = await host.turn(storeOf("three"), "Remember the boat.", add);
    expect(stored).toContain("stored");
    const search = { name: "search_memory", input: { query: "Petra's boat" } };
    expect((await host.turn(storeOf("four"), "Look it up.", search))[1]).toContain("Alma");
  });

  test("goes on in an outage, and the model is told that nothing was stored", async () => {
    one.network.state = "silent";
    const add = { name: "add_memory", input: { entries: ["Petra's boat is called Bela."] } };
    const [first, second] = await host.turn(storeOf("five", { timeoutMs: 50 }), "Hello?", add);
    expect(first).toContain("Hello?");
    expect(second).toContain("failed to add 1 of 1 entries");
    expect(troubles.map(({ step }) => step)).toEqual(expect.arrayContaining(["recall", "capture"]));
  });
});
