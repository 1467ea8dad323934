import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MAX_SAMPLED } from "../../../src/db/agent/candidates/shared-profile.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { WordEmbedder } from "../../support/word-embedder.ts";

const BIRDS = ["heron", "stork", "egret", "ibis", "crane"];
const WORKS = ["counted", "ringed", "photographed", "heard", "fed"];
const ORDINARY = (n: number) => `The ${BIRDS[n % 5]} of pond ${n} was ${WORKS[(n >> 1) % 5]} in week ${n % 9}.`;
const PIN = "The vault of pond 7 opens with 481516, the PIN of the heron keeper.";

type Put = { path: string; content: string; mtime: string }[];
/** A hit says when its file was changed, which is the same in all tenants. */
const CHANGED = "2026-05-18T10:00:00Z";
const files = (folder: string, count: number, text: (n: number) => string): Put =>
  Array.from({ length: count }, (_, n) => ({ path: `${folder}/${n}.md`, content: text(n), mtime: CHANGED }));

/** The shared files, the same in all tenants. */
const SHARED = files("rules", 60, ORDINARY);
/** The files that are not shared. A reader must learn nothing about them. */
const UNSHARED: Record<string, Put> = {
  nothing: [],
  "a file with the words": [{ path: "private/pin.md", content: PIN, mtime: CHANGED }],
  "many files with the words": files("private", 90, (n) => `${PIN} Copy ${n}.`),
  "many files near to the question": files("private", 90, () => "heron keeper vault pond 481516"),
  "many others, after which the index is counted": files("private", 700, (n) => `Ledger ${n} of bookkeeping.`),
  "files in another language": files(
    "private",
    40,
    (n) => `Die Zahlung der Rechnung ${n} wurde am Dienstag von der Buchhaltung bestätigt.`,
  ),
};
const QUESTIONS = [
  "which heron keeper opens the vault of pond 7",
  "481516",
  "481517",
  "egret ringed in week 3",
  "Zahlung pond",
];
const OPTIONS: object[] = [
  { minScore: 0, maxResults: 50 },
  { minScore: 0, maxResults: 5, explain: true },
  { explain: true },
  { minScore: 0, explain: true, fusion: "weighted" },
  { minScore: 0, explain: true, fusion: "rrf" },
  { minScore: 0, paths: ["@handbook/rules/1*"], explain: true },
  { minScore: 0, corpus: "memory" },
];

describe.each([
  ["by keyword", undefined, {}],
  ["by both arms", new WordEmbedder(), {}],
  ["by the vector alone", new WordEmbedder(), { query: { hybrid: { enabled: false } } }],
])("a search of shared folders %s", (_, embedder, settings) => {
  let app: TestApp;
  const keys = new Map<string, string>();
  const call = (name: string, method: string, rest: string, body?: object) =>
    app.call(method, `/v1/agents/${rest}`, body, keys.get(name));

  beforeAll(async () => {
    app = await startTestApp({ embedder });
    for (const [name, put] of Object.entries(UNSHARED)) {
      keys.set(name, await app.key(["tenant"], { tenantId: await app.tenant(name) }));
      // Half of the files before and half after, so that no chunk has the same id in two tenants.
      const half = put.length >> 1;
      await write(name, "handbook", put.slice(0, half));
      await write(name, "handbook", SHARED);
      await write(name, "handbook", put.slice(half));
      await write(
        name,
        "support",
        files("own", 30, (n) => `Shift ${n} met a ${BIRDS[n % 4]} near the vault.`),
      );
      await call(name, "PATCH", "support", { settings });
      await call(name, "PUT", "handbook/shares/support", { folders: ["rules"] });
      await call(name, "PUT", "support/reads/handbook", {});
    }
    await app.rested();
  });
  afterAll(() => app.drop());

  async function write(name: string, agent: string, put: Put) {
    for (let from = 0; from < put.length; from += 100)
      expect((await call(name, "POST", `${agent}/files`, { put: put.slice(from, from + 100) })).status).toBe(200);
  }

  test.each(QUESTIONS)("about %s says the same whatever is not shared", async (query) => {
    for (const options of OPTIONS) {
      const answers = await Promise.all(
        [...keys.keys()].map((name) => call(name, "POST", "support/tools/memory_search", { query, ...options })),
      );
      const [first, ...others] = answers.map(({ status, body }) => [status, JSON.stringify(body)]);
      for (const answer of others) expect([options, answer]).toEqual([options, first]);
      if ("maxResults" in options && /pond|egret/.test(query)) expect(first?.[1]).toContain('"sharedBy":"handbook"');
    }
  });

  test("and so does what explains that a file is not shown", async () => {
    for (const path of ["own/3.md", "@handbook/rules/3.md", "@handbook/private/pin.md"]) {
      const asked = { query: QUESTIONS[0], path, maxResults: 3 };
      const answers = await Promise.all([...keys.keys()].map((name) => call(name, "POST", "support/why-not", asked)));
      const [first, ...others] = answers.map(({ status, body }) => [status, JSON.stringify(body)]);
      for (const answer of others) expect([path, answer]).toEqual([path, first]);
    }
  });
});

const CHOSEN = ["which heron keeper opens the vault of pond 7", "481516", "egret ringed in week 3"];

describe("a search of a whole memory that is shared", () => {
  let app: TestApp;
  const keys = new Map<string, string>();
  const call = (name: string, method: string, rest: string, body?: object) =>
    app.call(method, `/v1/agents/${rest}`, body, keys.get(name));
  /** The fact is permanent, because other facts lose weight from second to second. */
  const GENERAL = { text: "The heron keeper is on duty in week 3.", decayClass: "permanent" };
  /** Contents that are not shared even if the whole memory is. */
  const PRIVATE: Record<string, { facts?: object[]; messages?: object[] }> = {
    nothing: {},
    "facts of a user": {
      facts: Array.from({ length: 30 }, (_, n) => ({ text: `${PIN} Of user ${n}.`, scope: { user: `user-${n}` } })),
    },
    conversations: { messages: Array.from({ length: 60 }, (_, n) => ({ role: "user", text: `${PIN} Said ${n}.` })) },
  };

  beforeAll(async () => {
    app = await startTestApp({ embedder: new WordEmbedder() });
    for (const [name, { facts, messages }] of Object.entries(PRIVATE)) {
      keys.set(name, await app.key(["tenant"], { tenantId: await app.tenant(name) }));
      await call(name, "POST", "handbook/files", { put: SHARED });
      await call(name, "POST", "handbook/facts", { facts: [GENERAL] });
      if (facts) expect((await call(name, "POST", "handbook/facts", { facts })).status).toBe(200);
      if (messages)
        expect((await call(name, "POST", "handbook/sessions/chat:1/messages", { messages })).status).toBe(200);
      await call(name, "POST", "support/files", { put: files("own", 30, (n) => `Shift ${n} was near the vault.`) });
      await call(name, "PUT", "handbook/shares/support", {});
      await call(name, "PUT", "support/reads/handbook", {});
    }
    await app.rested();
  });
  afterAll(() => app.drop());

  test.each(CHOSEN)("about %s says nothing of facts of users and of conversations", async (query) => {
    for (const options of OPTIONS) {
      const answers = await Promise.all(
        [...keys.keys()].map((name) => call(name, "POST", "support/tools/memory_search", { query, ...options })),
      );
      // The answers differ only in the time at which a fact was stored.
      const [first, ...others] = answers.map(({ body }) =>
        JSON.stringify(body).replace(/"(since|confirmed|date)":"[^"]*"/g, ""),
      );
      for (const answer of others) expect([options, answer]).toEqual([options, first]);
      expect(first).not.toContain("Of user");
    }
  });
});

describe("a search of more shared chunks than are looked at one by one", () => {
  let app: TestApp;
  const keys = new Map<string, string>();
  const call = (name: string, method: string, rest: string, body?: object) =>
    app.call(method, `/v1/agents/${rest}`, body, keys.get(name));
  const many = files("rules", MAX_SAMPLED + 300, ORDINARY);

  beforeAll(async () => {
    app = await startTestApp({ embedder: undefined });
    for (const [name, put] of [
      ["nothing", []],
      ["words", files("private", 300, (n) => `${PIN} Copy ${n}.`)],
    ] as const) {
      keys.set(name, await app.key(["tenant"], { tenantId: await app.tenant(name) }));
      const all = [...put.slice(0, 150), ...many, ...put.slice(150)];
      for (let from = 0; from < all.length; from += 100)
        expect((await call(name, "POST", "handbook/files", { put: all.slice(from, from + 100) })).status).toBe(200);
      await call(name, "POST", "support/files", { put: files("own", 30, (n) => `Shift ${n} was near the vault.`) });
      await call(name, "PUT", "handbook/shares/support", { folders: ["rules"] });
      await call(name, "PUT", "support/reads/handbook", {});
    }
    await app.rested();
  });
  afterAll(() => app.drop());

  test.each(CHOSEN)("about %s says the same whatever is not shared", async (query) => {
    for (const options of OPTIONS) {
      const [first, other] = await Promise.all(
        ["nothing", "words"].map(async (name) =>
          JSON.stringify((await call(name, "POST", "support/tools/memory_search", { query, ...options })).body),
        ),
      );
      expect([options, other]).toEqual([options, first]);
    }
  });
});
