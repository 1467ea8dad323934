import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createLangGraphStore, type LangGraphStore } from "../../../src/adapters/langgraph/langgraph.ts";
import { type AdapterApp, startAdapterApp } from "../../support/adapter-app.ts";
import { needsPackagesOf } from "../../support/needs.ts";

const FOLDER = "test/adapters/stores";

/** The program in hosts/langgraph-host.ts, which is compiled with LangGraph's types. */
interface Host {
  ownStore(): LangGraphStore;
  turn(store: LangGraphStore, user: string, said: string): Promise<string[]>;
}

let one: AdapterApp;
let folder = 0;
/** Returns a store in a folder of its own. */
const newStore = (more = {}) =>
  createLangGraphStore({ client: one.client, folder: `store-${++folder}`, timeoutMs: 60_000, ...more });
const keysOf = (items: readonly { key: string }[]) => items.map(({ key }) => key);

beforeAll(async () => {
  one = await startAdapterApp();
});
afterAll(() => one.app.drop());
beforeEach(() => {
  one.network.state = "up";
});

describe("items", () => {
  test("are kept as they were put, with their times", async () => {
    const store = newStore();
    const value = { text: 'Tea, "not" coffee.\n---\nend', deep: [{ n: 1.5, none: null }], flag: false, 日本: "お茶" };
    await store.put(["users", "ana"], "likes", value);
    const first = await store.get(["users", "ana"], "likes");
    expect(first).toMatchObject({ namespace: ["users", "ana"], key: "likes", value });
    await store.put(["users", "ana"], "likes", { text: "Coffee" });
    const second = await store.get(["users", "ana"], "likes");
    expect(second?.value).toEqual({ text: "Coffee" });
    expect(second?.createdAt).toEqual(first?.createdAt);
    expect(second?.updatedAt.getTime()).toBeGreaterThanOrEqual(first?.updatedAt.getTime() ?? Infinity);
    await store.delete(["users", "ana"], "likes");
    await store.delete(["users", "ana"], "likes");
    expect(await store.get(["users", "ana"], "likes")).toBeNull();
  });

  test.each([
    ["a slash and dots", "../../etc/passwd"],
    ["a percent sign", "100%/%2F"],
    ["an address", `https://example.org/${"path/".repeat(60)}?q=*`],
    ["another form of Unicode", "cafe\u0301"],
    ["its normal form", "caf\u00e9"],
    ["signs of other languages", "記憶".repeat(80)],
    ["a control character", "a\u0000b\nc"],
    ["nothing", ""],
    ["one dot", "."],
    ["a file's name", "notes.md"],
  ])("have any key: %s", async (_, key) => {
    const store = createLangGraphStore({ client: one.client, folder: "keys", timeoutMs: 60_000 });
    const namespace = ["a/b", key === "" ? "empty" : key.replaceAll(".", "-")];
    await store.put(namespace, key, { key });
    expect(await store.get(namespace, key)).toMatchObject({ namespace, key, value: { key } });
    expect(await store.listNamespaces({ prefix: namespace })).toEqual([namespace]);
    expect(keysOf(await store.search(namespace))).toEqual([key]);
  });

  test("are read in a batch as they were before its writes", async () => {
    const store = newStore();
    await store.put(["a"], "1", { n: 1 });
    const answers: unknown[] = await store.batch([
      { namespace: ["a"], key: "1" },
      { namespace: ["a"], key: "1", value: { n: 2 } },
      { namespace: ["a"], key: "1" },
      { namespacePrefix: ["a"], filter: { n: 2 } },
    ]);
    expect(answers).toMatchObject([{ value: { n: 1 } }, undefined, { value: { n: 1 } }, []]);
    expect((await store.get(["a"], "1"))?.value).toEqual({ n: 2 });
  });

  test("are refused without a namespace, and in LangGraph's own", async () => {
    const store = newStore();
    await expect(store.put([], "key", {})).rejects.toThrow("at least one text");
    await expect(store.put(["a", ""], "key", {})).rejects.toThrow("none of them empty");
    await expect(store.put(["langgraph", "x"], "key", {})).rejects.toThrow("langgraph");
  });
});

describe("a search", () => {
  test("finds by meaning or words, below its namespace only, and then the others", async () => {
    const store = newStore();
    await store.put(["users", "ana"], "1", { text: "Ana's cello has a cracked bridge." });
    await store.put(["users", "ana", "work"], "2", { text: "The quarterly report is due on Friday." });
    await store.put(["users", "anatol"], "3", { text: "Anatol's cello is new." });
    await one.app.embedded();
    const found = await store.search(["users", "ana"], { query: "cello" });
    expect(keysOf(found)).toEqual(["1", "2"]);
    expect(found[0]?.score).toBeGreaterThan(0);
    expect(keysOf(await store.search(["users", "ana"], { query: "cello", limit: 1, offset: 1 }))).toEqual(["2"]);
    expect(keysOf(await store.search(["users"], { query: "cello", limit: 2 })).sort()).toEqual(["1", "3"]);
  });

  test("without a query, lists the newest first, page by page", async () => {
    const store = newStore();
    for (const key of ["a", "b", "c", "d"]) await store.put(["list"], key, { key });
    await store.put(["list"], "b", { key: "b", again: true });
    expect(keysOf(await store.search(["list"], { limit: 3 }))).toEqual(["b", "d", "c"]);
    expect(keysOf(await store.search(["list"], { limit: 3, offset: 3 }))).toEqual(["a"]);
    expect(keysOf(await store.search([]))).toEqual(["b", "d", "c", "a"]);
  });

  test("searches only the fields of the index", async () => {
    const store = newStore({ index: ["title", "parts[*].text"] });
    const value = { title: "Zanzibar", secret: "Xylophone", parts: [{ text: "Quokka" }, { text: "Okapi" }] };
    await store.put(["n"], "1", value);
    await store.put(["n"], "2", { title: "Wombat", secret: "Vicuna" }, ["secret"]);
    await store.put(["n"], "3", { title: "Narwhal" }, false);
    const best = async (query: string) =>
      (await store.search(["n"], { query, limit: 3 })).flatMap(({ key, score = 0 }) => (score > 0.4 ? [key] : []));
    expect(await best("Okapi")).toEqual(["1"]);
    expect(await best("Vicuna")).toEqual(["2"]);
    for (const query of ["Xylophone", "Wombat", "Narwhal"]) {
      const { results } = await one.client.agent().search(query, { paths: [`store-${folder}/`] });
      expect(JSON.stringify(results)).not.toContain(query);
    }
  });

  test("is a search of the whole memory too", async () => {
    await newStore().put(["pets"], "zebra", { text: "The zebra is called Alma." });
    const { results } = await one.client.agent().search("zebra Alma");
    expect(results[0]).toMatchObject({ path: `store-${folder}/pets/zebra.md` });
    expect(results[0]?.snippet).toContain("text: The zebra is called Alma.");
    expect(results[0]?.snippet).not.toContain("base64");
  });
});

describe("an outage", () => {
  test.each([
    ["get", (store: LangGraphStore) => store.get(["a"], "b")],
    ["put", (store: LangGraphStore) => store.put(["a"], "b", {})],
    ["delete", (store: LangGraphStore) => store.delete(["a"], "b")],
    ["search", (store: LangGraphStore) => store.search(["a"], { query: "b" })],
    ["listNamespaces", (store: LangGraphStore) => store.listNamespaces()],
  ])("makes %s fail, in time", async (_, call) => {
    one.network.state = "refused";
    await expect(call(newStore())).rejects.toMatchObject({ code: "service_unreachable" });
    one.network.state = "silent";
    await expect(call(newStore({ timeoutMs: 50 }))).rejects.toThrow();
  });
});

test("of an agent that does not exist yet, everything is empty; the first item makes it", async () => {
  const store = newStore({ agent: "newcomer" });
  expect(await store.get(["a"], "b")).toBeNull();
  expect(await store.search(["a"], { query: "b" })).toEqual([]);
  expect(await store.search([])).toEqual([]);
  expect(await store.listNamespaces()).toEqual([]);
  await store.put(["a"], "b", { text: "c" });
  expect(await store.get(["a"], "b")).toMatchObject({ value: { text: "c" } });
});

describe("LangGraph", needsPackagesOf(FOLDER), () => {
  let host: Host;
  beforeAll(async () => {
    host = (await import(pathToFileURL(resolve(FOLDER, "hosts/langgraph-host.ts")).href)) as Host;
  });

  test("runs a graph over the store: what a user said is found in the next turn, and only the user's", async () => {
    const store = newStore();
    expect(await host.turn(store, "ana", "My cello has a cracked bridge.")).toEqual([]);
    expect(await host.turn(store, "ana", "Which cello?")).toEqual(["My cello has a cracked bridge."]);
    expect(await host.turn(store, "per", "Which cello?")).toEqual([]);
  });

  test("has a store that gives the same answers", async () => {
    const filters = [
      { color: "red" },
      { size: { $gt: 2 } },
      { size: { $gte: 2, $lt: 4 } },
      { size: { $lte: 1 } },
      { color: { $ne: "red" } },
      { color: { $in: ["blue", "green"] } },
      { color: { $nin: ["blue", "green"] } },
      { color: { $eq: "red" }, size: { $gt: 1 } },
      { absent: { $ne: "x" } },
      { absent: "x" },
      {},
    ];
    const answers = async (store: LangGraphStore) => {
      const colors = ["red", "blue", "green", "red", "red"];
      for (const [n, color] of colors.entries()) await store.put(["things", `${n % 2}`], `${n}`, { color, size: n });
      await store.put(["other", "things"], "6", { color: "red", size: 9 });
      const batch = await store.batch([
        { namespace: ["things", "1"], key: "1" },
        { namespace: ["things", "0"], key: "0", value: { color: "grey" } },
        { namespace: ["things", "0"], key: "new" },
        { namespace: ["things", "0"], key: "2", value: null },
        { namespace: ["things", "0"], key: "new", value: { color: "grey" } },
        { namespace: ["things", "0"], key: "new", value: { color: "white" } },
        { namespacePrefix: ["things"], filter: { color: "grey" } },
      ]);
      const found: unknown[] = [];
      for (const filter of filters)
        for (const prefix of [["things"], ["things", "0"], []])
          found.push(keysOf(await store.search(prefix, { filter, limit: 50 })).sort());
      const lists = [
        {},
        { prefix: ["things"] },
        { suffix: ["things"] },
        { prefix: ["*", "1"] },
        { maxDepth: 1 },
        { maxDepth: 1, limit: 1, offset: 1 },
        { prefix: ["thing"] },
      ];
      const namespaces: unknown[] = [];
      for (const list of lists) namespaces.push(await store.listNamespaces(list));
      const read = batch.map((answer) => (answer === null ? undefined : answer));
      return JSON.parse(
        JSON.stringify({ found, namespaces, read }, (key, value) => (/At$/.test(key) ? "time" : value)),
      );
    };
    expect(await answers(newStore())).toEqual(await answers(host.ownStore()));
  });
});
