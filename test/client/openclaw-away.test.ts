import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openMemory } from "../../clients/openclaw/src/memory.ts";
import { memoryTools } from "../../clients/openclaw/src/memory-tools.ts";
import { recallFor } from "../../clients/openclaw/src/recall.ts";
import { readSettings } from "../../clients/openclaw/src/settings.ts";
import { createFileSync } from "../../clients/openclaw/src/sync-files.ts";
import { createTranscriptSync } from "../../clients/openclaw/src/transcripts.ts";
import type { Requester } from "../../src/cli/sessions/openclaw-requester.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

const OWNER: Requester = { audience: "owner", writes: { user: "owner" }, reads: undefined, isKept: true };
/** The longest time for which a turn may wait. */
const TURN_MS = 3000;

let app: TestApp;
let state: "up" | "refused" | "silent" = "up";
let asked: string[] = [];
let sentBodies: string[] = [];
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.drop());

/** A busy machine must not look like a server that is away, unless the test is about the time. */
const open = (config: Record<string, unknown> = { timeoutMs: 20_000 }) =>
  openMemory(readSettings(config, {}), async (url, init) => {
    asked.push(`${init.method} ${new URL(url).pathname}`);
    if (typeof init.body === "string") sentBodies.push(init.body);
    if (state === "refused") throw new TypeError("fetch failed", { cause: { code: "ECONNREFUSED" } });
    if (state === "silent")
      return new Promise((_, reject) => init.signal?.addEventListener("abort", () => reject(init.signal?.reason)));
    return app.runtime.app.request(url, init);
  });

describe("the plugin for OpenClaw without its server", () => {
  test.each(["refused", "silent"] as const)("a recall ends in time: %s", async (kind) => {
    const turn = { memory: open({}), agentId: "main", requester: OWNER, readsFiles: true };
    state = kind;
    const begun = performance.now();
    expect(await recallFor("Where is the key?", turn)).toContain("Long-term memory is unavailable at the moment");
    expect(performance.now() - begun).toBeLessThan(TURN_MS);
    // The next step of the turn knows that the server is away.
    const again = performance.now();
    await recallFor("Where is the key?", turn);
    expect(performance.now() - again).toBeLessThan(TURN_MS / 2);
    state = "up";
  });

  test("the tools tell the model which problem to report", async () => {
    state = "refused";
    const memory = open();
    const turn = () => ({
      memory,
      agentId: "main",
      sessionKey: "agent:main:main",
      requester: OWNER,
      readsFiles: true,
      syncFiles: async () => undefined,
    });
    for (const tool of memoryTools(turn)) {
      const { content } = await tool({}).execute("1", { query: "key", path: "MEMORY.md", text: "A." });
      expect(JSON.parse(content[0]?.text ?? "")).toMatchObject({
        disabled: true,
        warning: expect.any(String),
        action: expect.any(String),
      });
    }
    state = "up";
  });

  test("an agent that does not exist yet has an empty memory", async () => {
    const memory = open();
    const turn = { memory, agentId: "nobody-yet", requester: OWNER, readsFiles: true };
    expect(await recallFor("Where is the key?", turn)).toBeUndefined();
    const [search, get] = memoryTools(() => ({ ...turn, sessionKey: undefined, syncFiles: async () => undefined }));
    const answerOf = async (tool: typeof search, input: object) =>
      JSON.parse((await tool?.({}).execute("1", input))?.content[0]?.text ?? "");
    expect(await answerOf(search, { query: "key" })).toMatchObject({ results: [] });
    expect(await answerOf(get, { path: "MEMORY.md" })).toEqual({ status: "not_found", text: "", path: "MEMORY.md" });
  });
});

describe("the plugin for OpenClaw sends", () => {
  test("only files that have changed, without those that somebody else has written", async () => {
    const workspace = mkdtempSync(join(tmpdir(), "workspace-"));
    const warnings: string[] = [];
    const files = createFileSync(open(), (message) => warnings.push(message));
    writeFileSync(join(workspace, "MEMORY.md"), "The key is with Petra.\n");
    writeFileSync(join(workspace, "USER.md"), "Quentin.\n");
    writeFileSync(join(workspace, "SOUL.md"), "Be kind.\n");
    await app.put("USER.md", "Written by a program.\n", "files");
    expect(await files.sync("files", workspace)).toEqual({ files: 2, sent: 1, removed: 0 });
    expect(warnings).toEqual([expect.stringContaining("USER.md")]);
    asked = [];
    expect(await files.sync("files", workspace)).toEqual({ files: 2, sent: 0, removed: 0 });
    expect(asked).toEqual([]);
    rmSync(join(workspace, "MEMORY.md"));
    expect(await files.sync("files", workspace)).toMatchObject({ removed: 1 });
    // Another process compares with the server first.
    writeFileSync(join(workspace, "MEMORY.md"), "The key is with Petra.\n");
    expect(await createFileSync(open(), () => undefined).sync("files", workspace)).toMatchObject({ sent: 1 });
    expect(await createFileSync(open(), () => undefined).sync("files", workspace)).toMatchObject({ sent: 0 });
    rmSync(workspace, { recursive: true });
  });

  test("each message of a transcript once, also after an outage and in another process", async () => {
    const entries = ["one", "two"].map((text, index) => ({
      entryId: `e${index}`,
      message: { role: index === 0 ? "user" : "assistant", content: text },
    }));
    const sdk = async () => ({ readEntries: async () => entries, listSessions: () => [] });
    const conversation = { agentId: "said", sessionKey: "agent:said:main", sessionId: "s1", requester: OWNER };
    const start = () => createTranscriptSync(open(), { sdk, capture: true, warn: () => undefined });
    const first = start();
    state = "refused";
    expect(await first.send(conversation)).toMatchObject({ sent: 0, problem: expect.any(String) });
    state = "up";
    expect(await first.send(conversation)).toEqual({ sent: 2 });
    entries.push({ entryId: "e2", message: { role: "user", content: "three" } });
    expect(await first.send(conversation)).toEqual({ sent: 1 });
    asked = [];
    expect(await start().send(conversation)).toEqual({ sent: 0 });
    expect(asked).toEqual(["GET /v1/agents/said/sessions/agent%3Asaid%3Amain"]);
    const { body } = await app.call<{ session: { scope: object }; messages: { text: string }[] }>(
      "GET",
      "/v1/agents/said/sessions/main",
    );
    expect(body.messages.map(({ text }) => text)).toEqual(["one", "two", "three"]);
    expect(body.session.scope).toEqual({ user: "owner" });
  });

  test("an answer has the class of the message before it, also if that was sent earlier", async () => {
    const entries: { entryId: string; message: object }[] = [
      { entryId: "o0", message: { role: "user", content: "one", __openclaw: { senderIsOwner: true } } },
    ];
    const sdk = async () => ({ readEntries: async () => entries, listSessions: () => [] });
    sentBodies = [];
    const conversation = { agentId: "classes", sessionKey: "agent:classes:main", sessionId: "s2", requester: OWNER };
    const transcripts = createTranscriptSync(open(), { sdk, capture: false, warn: () => undefined });
    expect(await transcripts.send(conversation)).toEqual({ sent: 1 });
    entries.push({ entryId: "o1", message: { role: "assistant", content: "two" } });
    expect(await transcripts.send(conversation)).toEqual({ sent: 1 });
    const appended = sentBodies.flatMap((body) => (JSON.parse(body) as { messages?: object[] }).messages ?? []);
    expect(appended).toMatchObject([
      { id: "o0", originClass: "owner" },
      { id: "o1", originClass: "agent" },
    ]);
  });
});
