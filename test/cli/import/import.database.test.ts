import { resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ImportReport } from "../../../src/cli/import/import-report.ts";
import { cliOn, type Ran, runCaptured } from "../../support/cli-harness.ts";
import { type FactApp, startFactApp } from "../../support/fact-app.ts";
import { until } from "../../support/until.ts";

interface Message {
  id?: string;
  role: string;
  name?: string;
  text: string;
  at: string;
}

const FIXTURES = resolve("test/data/imports");

let app: FactApp;
let cli: (...argv: string[]) => Promise<Ran>;
beforeAll(async () => {
  app = await startFactApp();
  cli = cliOn(app, undefined, { cwd: FIXTURES });
});
afterAll(() => app.drop());

const run = async (kind: string, source: string, ...more: string[]) => {
  const { code, out, err } = await cli("import", kind, source, "--agent", `${kind}-agent`, "--json", ...more);
  return { code, err, report: JSON.parse(out) as ImportReport };
};
const sessions = async (agent: string) => {
  const { body } = await app.call<{ sessions: { session: string }[] }>("GET", `/v1/agents/${agent}/sessions`);
  return body.sessions.map((one) => one.session);
};
const messages = async (agent: string, session: string) =>
  (
    await app.call<{ messages: Message[] }>(
      "GET",
      `/v1/agents/${agent}/sessions/${encodeURIComponent(session)}?limit=1000`,
    )
  ).body.messages.map(({ id, role, name, text, at }) => ({ id, role, ...(name ? { name } : {}), text, at }));
const files = async (agent: string) => {
  const { body } = await app.call<{ files: { path: string }[] }>("GET", `/v1/agents/${agent}/files?limit=1000`);
  return body.files.map((file) => file.path);
};
const texts = async (agent: string) => (await app.list(agent, "?limit=1000")).map((fact) => fact.text).sort();

/**
 * The contents of each kind's fixture, and the messages about the parts that cannot be imported.
 */
const KINDS: [kind: string, source: string, found: Record<string, number>, skipped: string[]][] = [
  [
    ...(["chatgpt", "chatgpt", { conversations: 2, messages: 6 }] as const),
    ["conversations.json[1]: no conversation of ChatGPT: it has no mapping", "conversations.json[3]: no conversation"],
  ],
  [
    ...(["claude", "claude", { conversations: 1, messages: 3, files: 4 }] as const),
    ["conversations.json[2]: no conversation of Claude: it has no uuid or no chat_messages; import it as chatgpt"],
  ],
  [
    ...(["claude-code", "claude-code", { conversations: 1, messages: 2, files: 2 }] as const),
    ["projects/-home-mina-shop/0f3a.jsonl:6: not JSON"],
  ],
  [
    ...(["mcp-memory", "memory.jsonl", { facts: 4 }] as const),
    ["memory.jsonl:4: an entity without a name or observations", "memory.jsonl:5: not JSON"],
  ],
  [...(["mem0", "mem0.json", { facts: 4 }] as const), ["mem0.json results[3]: no memory"]],
  [...(["openclaw", "openclaw", { conversations: 1, messages: 2, files: 2 }] as const), []],
  [...(["basic-memory", "basic-memory", { facts: 5, files: 2 }] as const), []],
];

/** The progress that a command prints if a busy machine makes it slow. */
const PROGRESS = /^((embedding|indexing|importing)[^\n]*\n|No worker runs[^\n]*\n)*$/;

describe("each kind", () => {
  test.each(KINDS)(
    "%s: a dry run says what is done, and a second run adds nothing",
    async (kind, source, found, bad) => {
      const planned = await run(kind, source, "--dry-run");
      expect((await app.call("GET", `/v1/agents/${kind}-agent/status`)).status).toBe(404);
      const { code, report, err } = await run(kind, source);
      expect([code, err]).toEqual([bad.length > 0 ? 1 : 0, expect.stringMatching(PROGRESS)]);
      for (const name of ["conversations", "messages", "facts", "files"] as const) {
        const { captured: _, ...counts } = report[name] as ImportReport["facts"];
        expect({ name, ...counts }).toMatchObject({ found: found[name] ?? 0, new: found[name] ?? 0, known: 0 });
      }
      expect(report.skipped.map(({ place, reason }) => `${place}: ${reason}`)).toEqual(
        bad.map((text) => expect.stringContaining(text)),
      );
      const { dryRun, seconds, ...same } = report;
      expect([dryRun, seconds > 0]).toEqual([false, true]);
      expect(planned.report).toMatchObject({ ...same, dryRun: true, facts: { ...same.facts, captured: 0 } });

      const before = await Promise.all([texts(`${kind}-agent`), files(`${kind}-agent`), sessions(`${kind}-agent`)]);
      for (const more of [[], ["--dry-run"]]) {
        const again = await run(kind, source, ...more);
        for (const name of ["conversations", "messages", "facts", "files"] as const)
          expect({ name, ...again.report[name] }).toMatchObject({ new: 0, known: found[name] ?? 0 });
        expect(again.report).toMatchObject({ left: report.left, skippedCount: report.skippedCount });
        expect(again.report.facts.captured).toBe(0);
      }
      const after = await Promise.all([texts(`${kind}-agent`), files(`${kind}-agent`), sessions(`${kind}-agent`)]);
      expect(after).toEqual(before);
    },
  );
});

describe("what comes of it", () => {
  test("chatgpt: the branch that was shown, with times; images and files are named, tools and thoughts counted", async () => {
    expect(await sessions("chatgpt-agent")).toEqual(["chatgpt:c-boat", "chatgpt:c-tax"]);
    expect(await messages("chatgpt-agent", "chatgpt:c-boat")).toEqual([
      {
        id: "u1",
        role: "user",
        at: "2025-01-01T09:00:00.250Z",
        text: "I live in Bergen and I bought a boat called Havørn.",
      },
      {
        id: "a1",
        role: "assistant",
        at: "2025-01-01T09:00:20.500Z",
        text: "Congratulations on Havørn! Where is she moored?",
      },
      {
        id: "u2",
        role: "user",
        at: "2025-01-01T09:01:40.000Z",
        text: "[image]\nAt the quay by the fish market. Here is the plan.\n[file: plan.pdf]",
      },
      // The message has no time, so it gets that of the message before it.
      {
        id: "a2",
        role: "assistant",
        at: "2025-01-01T09:01:52.000Z",
        text: "The mooring fee is 900 kroner a month.",
      },
    ]);
    const { report } = await run("chatgpt", "chatgpt", "--dry-run");
    expect(report.left).toEqual({
      "custom instructions": 1,
      files: 1,
      images: 1,
      "messages of other branches": 1,
      thoughts: 1,
      "tool calls": 1,
      "tool results": 1,
    });
    expect(await texts("chatgpt-agent")).toContainEqual(expect.stringContaining("Bergen"));
    const { out } = await cli("search", "where is the boat moored", "--agent", "chatgpt-agent");
    expect(out).toContain("sessions/chatgpt:c-boat#");
  });

  test("claude: attachments are kept as words of others; memories and documents of projects are files", async () => {
    expect(await messages("claude-agent", "claude:d0c5-garden")).toEqual([
      {
        id: "m1",
        role: "user",
        text: "What grows in shade?\n[file: garden.jpg]\n[file: beds.txt]",
        at: expect.any(String),
      },
      {
        id: "m1:attachment:1",
        role: "tool",
        name: "beds.txt",
        at: "2025-05-01T08:00:01.123Z",
        text: "Bed 1: ferns. Bed 2: hostas, slugs.",
      },
      { id: "m2", role: "assistant", text: "Ferns and hostas grow in shade.", at: "2025-05-01T08:00:09.000Z" },
    ]);
    expect(await files("claude-agent")).toEqual([
      "claude/memory.md",
      "claude/projects/p1-uuid/doc-1234--..-etc-soil.txt",
      "claude/projects/p1-uuid/memory.md",
      "claude/projects/p1-uuid/project.md",
    ]);
    const { report } = await run("claude", "claude", "--dry-run");
    expect(report.left).toMatchObject({ files: 1, thoughts: 1, "tool calls": 1, "tool results": 1 });
  });

  test("transcripts have the key that `sessions add` gives them", async () => {
    expect(await sessions("claude-code-agent")).toEqual(["transcript:0f3a"]);
    expect((await messages("claude-code-agent", "transcript:0f3a")).map((one) => one.id)).toEqual(["cc-1", "cc-2"]);
    const added = await cli(
      ...["sessions", "add", `${FIXTURES}/claude-code/projects/-home-mina-shop/0f3a.jsonl`, "--json"],
      ...["--agent", "claude-code-agent"],
    );
    expect(JSON.parse(added.out).files[0]).toMatchObject({ sent: 0 });
    expect(await files("claude-code-agent")).toEqual(["CLAUDE.md", "projects/-home-mina-shop/memory/MEMORY.md"]);
    expect(await files("openclaw-agent")).toEqual(["MEMORY.md", "memory/2026-02-03.md"]);
    const synced = await cli("sync", "openclaw", "--agent", "openclaw-agent", "--dry-run");
    expect(synced.out).toContain("would send 1 · unchanged 2");
  });

  test("graphs, memories and notes become facts", async () => {
    expect(await texts("mcp-memory-agent")).toEqual([
      "Anthropic: organization",
      "John_Smith works at Anthropic",
      "John_Smith: Graduated in 2019",
      "John_Smith: Speaks fluent Spanish",
    ]);
    const memories = await app.list("mem0-agent", "?limit=100");
    const about = (text: string) => memories.find((fact) => fact.text === text);
    expect(about("Name is Mina")).toMatchObject({ scope: { user: "mina" }, validFrom: "2024-07-26T15:30:29.123Z" });
    expect(about("Is allergic to peanuts")).toMatchObject({
      scope: { user: "mina", agent: "chef", session: "r1" },
      tags: ["health", "food"],
    });
    expect(about("Visits Oslo until spring")).toMatchObject({ expiresAt: "2099-03-01T00:00:00.000Z" });
    expect(about("mina lives in bergen")).toBeDefined();
    const notes = await app.list("basic-memory-agent", "?limit=100");
    expect(notes.map(({ text, category, tags, source }) => ({ text, category, tags, source }))).toEqual(
      expect.arrayContaining([
        {
          text: "Coffee Brewing Methods: Pour over gives more clarity than a French press",
          category: "technical",
          tags: ["method", "brewing", "coffee"],
          source: expect.objectContaining({ kind: "file", path: "coffee/Coffee Brewing Methods.md", startLine: 14 }),
        },
        expect.objectContaining({ category: "decision", tags: ["decision", "coffee", "brewing"] }),
        expect.objectContaining({ text: "Coffee Brewing Methods relates to Coffee Bean Origins", category: "entity" }),
        expect.objectContaining({
          text: "Coffee Brewing Methods pairs well with Tea Brewing Methods (in the morning)",
        }),
        expect.objectContaining({ text: "Plain note: The kettle holds 1.7 litres" }),
      ]),
    );
  });

  test("a fact that was replaced does not come back", async () => {
    const old = (await app.list("mcp-memory-agent")).find((fact) => fact.text === "John_Smith works at Anthropic");
    await app.store("mcp-memory-agent", { text: "John_Smith works in Oslo", supersedes: [old?.id ?? ""] });
    const { report } = await run("mcp-memory", "memory.jsonl");
    expect(report.facts).toMatchObject({ found: 4, new: 0, known: 4 });
    expect(await texts("mcp-memory-agent")).not.toContain("John_Smith works at Anthropic");
  });

  test("the report for people; a user, a prefix, no capture", async () => {
    const options = ["--user", "mina", "--prefix", "imported", "--no-capture", "--no-wait", "--agent", "people"];
    const { out, code } = await cli("import", "claude-code", "claude-code", ...options);
    expect([code, out]).toEqual([
      1,
      expect.stringMatching(
        /^imported claude-code claude-code → people · [\d.]+ s\nconversations: found 1 · new 1 · known 0\nmessages: found 2 · new 2 · known 0\nfiles: found 2 · new 2 · known 0\nleft out: lines without words 3\n {2}skipped projects\/-home-mina-shop\/0f3a\.jsonl:6: not JSON\n$/,
      ),
    ]);
    expect(await files("people")).toEqual(["imported/CLAUDE.md", "imported/projects/-home-mina-shop/memory/MEMORY.md"]);
    expect(await texts("people")).toEqual([]);
    const told = await cli("import", "chatgpt", "chatgpt", "--user", "mina", "--agent", "people");
    expect(told.out).toContain("facts: found 0 · new 0 · captured ");
    await until(async () => (await app.list("people")).length > 0);
    expect((await app.list("people")).every((fact) => fact.scope.user === "mina")).toBe(true);
  });

  test("a file of others stays as it is, and a changed one of the source is sent", async () => {
    await app.put("MEMORY.md", "Written by the agent.", "others");
    const { report, code } = await run("openclaw", "openclaw", "--agent", "others");
    expect([code, report.files.new, report.skipped[0]?.reason]).toEqual([
      1,
      1,
      "an agent or program has written another text",
    ]);
  });

  test("messages that the agent would not keep are counted beforehand", async () => {
    await app.call("POST", "/v1/agents", { id: "short", settings: { sync: { sessions: { retentionDays: 30 } } } });
    for (const more of [["--dry-run"], []]) {
      const { report } = await run("chatgpt", "chatgpt", "--agent", "short", ...more);
      expect(report.messages).toEqual({ found: 6, new: 0, known: 0, tooOld: 6 });
    }
  });

  test("a server that goes away: the report says what was done, and the same command goes on", async () => {
    let appends = 0;
    const connect = async () => ({
      fetch: async (path: string, init?: RequestInit) => {
        if (path.endsWith("/messages") && ++appends > 1) throw new TypeError("fetch failed");
        return app.runtime.app.request(path, init);
      },
      close: async () => undefined,
      description: "the app of this test",
    });
    const argv = ["import", "chatgpt", `${FIXTURES}/chatgpt`, "--agent", "away", "--json"];
    const { code, out, err } = await runCaptured(argv, { connect });
    const report = JSON.parse(out) as ImportReport;
    expect([code, report.conversations.new]).toEqual([1, 1]);
    expect(report.stopped).toContain("(service_unreachable)");
    expect(err).toContain("to continue where this one stopped");
    expect(JSON.parse(err.trimEnd().split("\n").at(-1) ?? "")).toMatchObject({ code: "service_unreachable" });
    const next = await run("chatgpt", "chatgpt", "--agent", "away");
    expect(next.report.conversations).toMatchObject({ found: 2, new: 1, known: 1 });
    expect(next.report).not.toHaveProperty("stopped");
  });
});
