import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { zstdCompressSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ImportReport } from "../../../src/features/imports/import-report.ts";
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
const content = async (agent: string, path = "") =>
  (await app.call<{ content: string }>("GET", `/v1/agents/${agent}/files/${encodeURI(path)}`)).body.content;
const texts = async (agent: string) => (await app.list(agent, "?limit=1000")).map((fact) => fact.text).sort();

/** Makes the folder of an OpenClaw that is running: its database is open and has an unwritten log. */
function openClawState(packs: (root: string, database: DatabaseSync) => void = () => undefined): string {
  const root = mkdtempSync(join(tmpdir(), "openclaw-"));
  const agent = join(root, "agents/main/agent");
  for (const folder of [agent, join(root, "agents/main/sessions"), join(root, "workspace")])
    mkdirSync(folder, { recursive: true });
  writeFileSync(join(root, "workspace/MEMORY.md"), "The key is with Petra.\n");
  writeFileSync(join(root, "workspace/USER.md"), "Quentin.\n");
  writeFileSync(
    join(root, "agents/main/sessions/s2.jsonl.reset.2026-02-01T08-00-00.000Z"),
    `${lineOf("z1", "user", "Old.")}\n`,
  );
  writeFileSync(
    join(root, "agents/main/sessions/s3.jsonl.deleted.2026-02-01T08-00-00.000Z"),
    `${lineOf("z2", "user", "No.")}\n`,
  );
  const database = new DatabaseSync(join(agent, "openclaw-agent.sqlite"));
  database.exec(`PRAGMA journal_mode = WAL;
    CREATE TABLE session_nodes (session_key TEXT PRIMARY KEY, spawned_by TEXT);
    CREATE TABLE session_windows (session_id TEXT PRIMARY KEY, session_key TEXT, created_at INTEGER, chat_type TEXT, spawned_by TEXT);
    CREATE TABLE transcript_events (session_id TEXT, seq INTEGER, event_json TEXT, event_zstd BLOB, PRIMARY KEY (session_id, seq));
    CREATE TABLE session_transcript_active_events (session_id TEXT, active_position INTEGER, event_seq INTEGER);`);
  const add = (id: string, key: string, at: number, lines: (string | Buffer)[], by: string | null = null) => {
    database.prepare("INSERT OR IGNORE INTO session_nodes VALUES (?, ?)").run(key, by);
    database.prepare("INSERT INTO session_windows VALUES (?, ?, ?, NULL, ?)").run(id, key, at, by);
    const insert = database.prepare("INSERT INTO transcript_events VALUES (?, ?, ?, ?)");
    for (const [seq, line] of lines.entries())
      insert.run(id, seq, typeof line === "string" ? line : null, typeof line === "string" ? null : line);
  };
  const head = JSON.stringify({ type: "session", id: "x" });
  const packed = zstdCompressSync(Buffer.from(lineOf("b1", "user", "A long line ".repeat(200).trim())));
  add("after", "agent:main:main", 2, [head, packed, lineOf("b2", "user", "A branch that was given up.")]);
  add("before", "agent:main:main", 1, [
    head,
    lineOf("a1", "user", "My name is Quentin."),
    lineOf("a2", "assistant", "Noted."),
  ]);
  const group = "agent:main:telegram:group:-5";
  add("group", group, 3, [
    head,
    lineOf("g1", "user", "The barbecue is on the roof."),
    lineOf("g2", "assistant", "Fine."),
  ]);
  add("job", "agent:main:cron:1", 4, [lineOf("c1", "user", "Do the rounds.")]);
  add("sub", "agent:main:subagent:1", 5, [lineOf("d1", "user", "Look it up.")], "agent:main:main");
  const active = database.prepare("INSERT INTO session_transcript_active_events VALUES (?, ?, ?)");
  active.run("after", 0, 0);
  active.run("after", 1, 1);
  packs(root, database);
  return root;
}

/** Packs transcripts as OpenClaw does when nobody has used them for long: into a file, and into the database. */
function packAway(root: string, database: DatabaseSync): void {
  database.exec(`CREATE TABLE session_transcript_cold_archives (session_id TEXT PRIMARY KEY, generation TEXT, archive_name TEXT,
    archive_sha256 TEXT, event_count INTEGER, storage TEXT, archive_blob BLOB)`);
  const sessions = join(root, "agents/main/sessions");
  mkdirSync(join(sessions, "cold"), { recursive: true });
  const insert = database.prepare("INSERT INTO session_transcript_cold_archives VALUES (?, 'g', ?, ?, 1, ?, ?)");
  const pack = (id: string, events: string[], active: number[], { inFile = false, isLost = false } = {}) => {
    const records = [
      { kind: "header", version: 1, sessionId: id, generation: "g" },
      ...events.map((event_json, seq) => ({ kind: "event", row: { seq, event_json, created_at: 1 } })),
      ...active.map((event_seq, active_position) => ({ kind: "active", row: { active_position, event_seq } })),
    ];
    const bytes = zstdCompressSync(Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join("")));
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    const name = `${sha256}.jsonl.zst`;
    if (inFile && !isLost) writeFileSync(join(sessions, "cold", name), bytes);
    database.prepare("INSERT OR IGNORE INTO session_nodes VALUES (?, NULL)").run(`agent:main:${id}`);
    database.prepare("INSERT INTO session_windows VALUES (?, ?, 9, NULL, NULL)").run(id, `agent:main:${id}`);
    insert.run(id, name, sha256, inFile ? "file" : "sqlite", inFile ? null : bytes);
  };
  const given = [lineOf("p1", "user", "The boat is in Hall 7."), lineOf("p2", "user", "A branch that was given up.")];
  pack("cold-file", given, [0], { inFile: true });
  pack("cold-blob", [lineOf("q1", "user", "The mast is in the shed.")], []);
  pack("cold-lost", [lineOf("r1", "user", "Lost.")], [], { inFile: true, isLost: true });
  const reset = zstdCompressSync(Buffer.from(`${lineOf("z3", "user", "Packed at a reset.")}\n`));
  writeFileSync(join(sessions, "s4.jsonl.reset.2026-02-02T08-00-00.000Z.zst"), reset);
}

function lineOf(id: string, role: string, text: string): string {
  const message = { role, content: [{ type: "text", text }] };
  return JSON.stringify({ type: "message", id, timestamp: "2026-02-03T09:00:00Z", message });
}

/**
 * The contents of each kind's fixture, and the messages about the parts that cannot be imported.
 */
const KINDS: [kind: string, source: string, found: Record<string, number>, skipped: string[]][] = [
  [
    ...(["chatgpt", "chatgpt", { conversations: 2, messages: 6, files: 1 }] as const),
    ["conversations.json[1]: no conversation of ChatGPT: it has no mapping", "conversations.json[3]: no conversation"],
  ],
  [
    ...(["claude", "claude", { conversations: 1, messages: 3, files: 6 }] as const),
    ["conversations.json[2]: no conversation of Claude: it has no uuid or no chat_messages; import it as chatgpt"],
  ],
  [
    ...(["claude-code", "claude-code", { conversations: 1, messages: 2, files: 2 }] as const),
    ["projects/-home-mina-shop/0f3a.jsonl:6: not JSON"],
  ],
  [...(["codex", "codex", { conversations: 1, messages: 2 }] as const), []],
  [
    ...(["mcp-memory", "memory.jsonl", { facts: 4 }] as const),
    ["memory.jsonl:4: an entity without a name or observations", "memory.jsonl:5: not JSON"],
  ],
  [...(["mem0", "mem0.json", { facts: 4 }] as const), ["mem0.json results[3]: no memory"]],
  [...(["openmemory", "openmemory", { facts: 2 }] as const), ["memories.json memories[4]: no memory"]],
  [
    ...(["zep", "zep.json", { conversations: 2, messages: 3, facts: 3 }] as const),
    ["zep.json nodes[2]: neither an edge", "zep.json edges[2]: it expires before it begins to hold"],
  ],
  [
    ...(["letta", "letta.af", { conversations: 1, messages: 4, files: 2 }] as const),
    ["letta.af blocks[2]: a memory block without a label or a value"],
  ],
  [
    ...(["hindsight", "hindsight", { facts: 3, files: 2 }] as const),
    ["documents/000000.json[0] facts[1]: a fact without a text"],
  ],
  [
    ...(["honcho", "honcho.jsonl", { conversations: 1, messages: 2, facts: 1 }] as const),
    ["honcho.jsonl[3]: neither a message nor a conclusion"],
  ],
  [...(["langgraph", "langgraph.json", { facts: 3 }] as const), ["langgraph.json[3]: no item of a store"]],
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
      "changes of documents": 1,
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
    const [letter] = await files("chatgpt-agent");
    expect(letter).toMatch(/^chatgpt\/canvas\/c-boat\/[0-9a-f]{8}-Mooring letter\.md$/);
    expect(await content("chatgpt-agent", letter)).toBe("Dear harbour master, I need a berth of 9 m.");
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
    const [beds, plan, ...others] = await files("claude-agent");
    expect([plan, beds]).toEqual([
      expect.stringMatching(/^claude\/artifacts\/d0c5-garden\/[0-9a-f]{8}-Shade plan\.md$/),
      expect.stringMatching(/^claude\/artifacts\/d0c5-garden\/[0-9a-f]{8}-beds\.csv$/),
    ]);
    expect(await content("claude-agent", plan)).toBe("# Shade plan\n\nBed 1: ferns and hostas.");
    expect(others).toEqual([
      "claude/memory.md",
      "claude/projects/p1-uuid/doc-1234--..-etc-soil.txt",
      "claude/projects/p1-uuid/memory.md",
      "claude/projects/p1-uuid/project.md",
    ]);
    const { report } = await run("claude", "claude", "--dry-run");
    expect(report.left).toEqual({
      "changes of documents": 1,
      "conversations without messages": 1,
      files: 1,
      "injected prompts": 1,
      thoughts: 1,
      "tool calls": 1,
      "tool results": 1,
    });
    expect(await texts("claude-agent")).not.toContainEqual(expect.stringContaining("Nowhere"));
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
    expect(synced.out).toContain("would send 0 · unchanged 2");
    expect(synced.err).toContain("OpenClaw workspace");
    const whole = await cli("sync", "openclaw", "--agent", "openclaw-agent", "--dry-run", "--all-files");
    expect(whole.out).toContain("would send 1 · unchanged 2");
  });

  test("openclaw: conversations of today's database, each for the person or group that it belongs to", async () => {
    const root = openClawState();
    const { report, code } = await run("openclaw", root, "--agent", "claw");
    expect([code, report.conversations, report.messages]).toMatchObject([0, { new: 3 }, { new: 6 }]);
    expect(report.left).toMatchObject({ "conversations of jobs and subagents": 2, "lines without words": 3 });
    const { body } = await app.call<{ sessions: { session: string; scope: object }[] }>(
      "GET",
      "/v1/agents/claw/sessions",
    );
    expect(Object.fromEntries(body.sessions.map(({ session, scope }) => [session, scope]))).toEqual({
      "agent:main:main": { user: "owner" },
      "agent:main:telegram:group:-5": { session: "agent:main:telegram:group:-5" },
      "transcript:s2": { user: "owner" },
    });
    // The transcript before the reset comes first, a branch that was given up not at all.
    expect((await messages("claw", "agent:main:main")).map(({ id, text }) => [id, text])).toEqual([
      ["a1", "My name is Quentin."],
      ["a2", "Noted."],
      ["b1", "A long line ".repeat(200).trim()],
    ]);
    expect(await files("claw")).toEqual(["workspace/MEMORY.md", "workspace/USER.md"]);
    expect((await run("openclaw", root, "--agent", "claw")).report.messages).toMatchObject({ new: 0, known: 6 });
    const own = await run("openclaw", join(root, "agents/main"), "--agent", "main", "--user", "quentin");
    expect(own.report.messages).toMatchObject({ new: 6 });
    expect((await app.call<{ session: object }>("GET", "/v1/agents/main/sessions/main")).body.session).toMatchObject({
      scope: { user: "quentin" },
    });
    rmSync(root, { recursive: true });
  });

  test("openclaw: transcripts that are packed, wherever they are, and the name of one that is missing", async () => {
    const root = openClawState(packAway);
    const { code, report } = await run("openclaw", root, "--agent", "packed");
    expect([code, report.messages]).toMatchObject([1, { new: 9 }]);
    expect(report.skipped.map(({ place, reason }) => `${place}: ${reason}`)).toEqual([
      expect.stringMatching(/cold-lost: a packed transcript is missing: sessions\/cold\/[0-9a-f]{64}\.jsonl\.zst$/),
    ]);
    const said = async (session: string) => (await messages("packed", session)).map(({ text }) => text);
    expect(await said("agent:main:cold-file")).toEqual(["The boat is in Hall 7."]);
    expect(await said("agent:main:cold-blob")).toEqual(["The mast is in the shed."]);
    expect(await said("transcript:s4")).toEqual(["Packed at a reset."]);
    expect((await run("openclaw", root, "--agent", "packed")).report.messages).toMatchObject({ new: 0, known: 9 });
    rmSync(root, { recursive: true });
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

  test("memories of others keep their times, subjects, states and speakers", async () => {
    const all = (agent: string) => app.list(agent, "?limit=100&all=true");
    expect(await all("openmemory-agent")).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          text: "Takes the night train to Vienna every spring",
          tags: ["travel"],
          scope: { user: "mina" },
        }),
        expect.objectContaining({ text: "Eats no gluten", validTo: "2025-06-01T09:00:00.000Z" }),
      ]),
    );
    expect(await texts("openmemory-agent")).toEqual(["Takes the night train to Vienna every spring"]);
    expect((await run("openmemory", "openmemory", "--dry-run")).report.left).toEqual({
      "deleted memories": 1,
      metadata: 1,
      "paused memories": 1,
    });

    expect(
      (await all("zep-agent")).map(({ text, subject, validFrom, validTo }) => [text, subject, validFrom, validTo]),
    ).toEqual(
      expect.arrayContaining([
        ["Mina works at Lofoten Roasters", "Mina", "2024-09-01T00:00:00.000Z", undefined],
        ["Mina lives in Tromsø", "Mina", "2020-01-01T00:00:00.000Z", "2024-08-15T00:00:00.000Z"],
        ["Mina: Roasts coffee and sails.", "Mina", "2025-02-01T10:00:00.000Z", undefined],
      ]),
    );
    expect(await messages("zep-agent", "zep:team-7")).toEqual([
      { id: "p1", role: "user", name: "Mina", text: "The drum roaster arrives on Friday.", at: expect.any(String) },
      { id: "p2", role: "assistant", text: "Congratulations on the new roastery!", at: expect.any(String) },
    ]);

    expect((await messages("letta-agent", "letta:sarah-helper")).map(({ role, text }) => [role, text])).toEqual([
      ["user", "I need the Fibonacci report by Thursday."],
      ["assistant", "It will be ready on Wednesday."],
      ["user", "Thanks, and add the sums."],
      ["assistant", "The sums are in the second table."],
    ]);
    expect(await files("letta-agent")).toEqual(["letta/files/reports/unnamed/2025.md", "letta/human.md"]);
    const old = await run("letta", "letta-v1.af", "--agent", "letta-old");
    expect(old.report).toMatchObject({ messages: { new: 1 }, files: { new: 1 }, skipped: [] });

    expect(await all("hindsight-agent")).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ text: "Always give depths in metres", category: "instruction" }),
        expect.objectContaining({ tags: ["boat", "Havørn"], validFrom: "2025-06-01T00:00:00.000Z" }),
      ]),
    );
    expect(await files("hindsight-agent")).toEqual([
      "hindsight/call 2025-05-04-harbour.md",
      "hindsight/mental-models/Sailing plans.md",
    ]);

    expect(await all("honcho-agent")).toEqual(
      expect.arrayContaining([expect.objectContaining({ text: "Prefers invoices by post", subject: "mina" })]),
    );
    expect((await messages("honcho-agent", "honcho:support")).map(({ role, name }) => [role, name])).toEqual([
      ["user", "mina"],
      ["assistant", "helper-bot"],
    ]);

    expect((await all("langgraph-agent")).map(({ text, tags }) => [text, tags])).toEqual(
      expect.arrayContaining([
        ["Mina wants invoices in Norwegian kroner", ["memories", "mina"]],
        ["name: Mina; home port: Bergen; languages: Norwegian, Italian; boat length m: 9", ["profiles", "Profile"]],
        ["The berth costs 900 kroner", ["memories", "mina"]],
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

describe("a source of another kind", () => {
  test.each(["chatgpt", "claude", "claude-code", "codex", "mcp-memory", "mem0", "openclaw"])(
    "%s: nothing is imported, the exit code is 1, and the error says what was expected",
    async (kind) => {
      const folder = mkdtempSync(join(tmpdir(), "recollect-foreign-"));
      const file = join(folder, kind === "chatgpt" || kind === "claude" || kind === "mem0" ? "x.json" : "x.jsonl");
      writeFileSync(file, file.endsWith("l") ? '{"type":"summary","summary":"x"}\n{"type":"mode","mode":"x"}\n' : "[]");
      for (const more of [[], ["--dry-run"]]) {
        const { code, err } = await cli("import", kind, file, "--agent", "foreign", ...more);
        expect([code, err]).toEqual([1, expect.stringContaining(`nothing that ${kind} can import: looked for`)]);
      }
      rmSync(folder, { recursive: true });
    },
  );

  test("sessions add: as well, but a transcript without a word beside others is none", async () => {
    const folder = mkdtempSync(join(tmpdir(), "recollect-foreign-"));
    const [foreign, said] = [join(folder, "x.jsonl"), join(folder, "y.jsonl")];
    writeFileSync(foreign, '{"type":"summary","summary":"x"}\n');
    writeFileSync(said, '{"role":"user","content":"The walrus sleeps."}\n');
    const alone = await cli("sessions", "add", foreign, "--agent", "foreign");
    expect([alone.code, alone.err]).toEqual([1, expect.stringContaining("No line is a message.")]);
    expect((await cli("sessions", "add", foreign, said, "--agent", "foreign")).code).toBe(0);
    expect((await cli("sessions", "add", said, "--agent", "foreign")).code).toBe(0);
    rmSync(folder, { recursive: true });
  });
});
