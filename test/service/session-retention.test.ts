import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findKnownAgent } from "../../src/service/agent/find-agent.ts";
import { retainSessions } from "../../src/service/sessions/retain-sessions.ts";
import { systemCaller } from "../../src/settings/access.ts";
import { type SessionApp, startSessionApp } from "../support/session-app.ts";
import { until } from "../support/until.ts";

const DAY = 86_400_000;
const daysAgo = (days: number) => new Date(Date.now() - days * DAY).toISOString();

interface Audit {
  entries: { action: string; target: string; actor: string; details: Record<string, unknown> }[];
}

describe("retention", () => {
  let app: SessionApp;
  beforeAll(async () => {
    app = await startSessionApp();
  });
  afterAll(() => app.drop());

  const keep = (agent: string, retentionDays: number | null) =>
    app.call("PATCH", `/v1/agents/${agent}`, { settings: { sync: { sessions: { retentionDays } } } });
  const audit = async (agent: string) => {
    const { body } = await app.call<Audit>("GET", "/v1/audit?limit=1000");
    return body.entries.filter((entry) => entry.action === "sessions.retention" && entry.target === agent);
  };
  const usage = async (agent: string) =>
    (await app.call<{ usage: Record<string, number> }>("GET", `/v1/agents/${agent}`)).body.usage;

  test("old messages go with their windows, the window on the border is mended, and the audit log has the counts", async () => {
    await app.talker("trim");
    const messages = Array.from({ length: 30 }, (_, i) => ({ text: `text ${i + 1}`, at: daysAgo(39.5 - i) }));
    await app.append("trim", "web:1", messages);
    await app.append("trim", "web:old", [{ text: "all of it is old", at: daysAgo(90) }]);
    await app.synced("trim");
    expect(await app.windows("trim", "web:1")).toHaveLength(15);
    app.embedder.asked.length = 0;
    await keep("trim", 28);
    await until(async () => (await app.status("trim")).messages === 18);
    await app.synced("trim");
    // Messages 1 to 12 are older than 28 days: windows 0 to 4 are gone, window 5 (11 to 13) has one
    // message left.
    const windows = await app.windows("trim", "web:1");
    expect(windows[0]).toMatchObject({ ordinal: 5, first: 13, last: 13, startLine: 13, text: "user: text 13" });
    expect(windows.slice(1).map((window) => window.ordinal)).toEqual([6, 7, 8, 9, 10, 11, 12, 13, 14]);
    expect(app.embedder.asked).toEqual(["user: text 13"]);
    const { session } = await app.page("trim", "web:1");
    expect(session).toMatchObject({ messages: 18, lines: 30, unindexedMessages: 0 });
    expect((await app.call("GET", "/v1/agents/trim/sessions/web:old")).status).toBe(404);
    const acts = await audit("trim");
    const total = (what: string) => acts.reduce((sum, act) => sum + Number(act.details[what]), 0);
    expect([total("messages"), total("sessions"), acts[0]?.actor]).toEqual([13, 1, "system"]);
    const status = await app.status("trim");
    const { bytes } = session;
    expect(await usage("trim")).toEqual({ files: 0, facts: 0, chunks: status.chunks, bytes, historyBytes: 0 });
    expect(status.chunks).toBe(10);
    // Lines keep their numbers; reading continues after the deleted part.
    const { body } = await app.call("POST", "/v1/agents/trim/tools/memory_get", { path: "sessions/web:1", lines: 2 });
    expect(body).toMatchObject({ from: 13, text: "user: text 13\nuser: text 14", nextFrom: 15 });
  });

  test("what would be deleted at once is not stored, so that an old transcript can be sent again", async () => {
    await app.talker("resend", { sync: { sessions: { retentionDays: 10 } } });
    const messages = [30, 20, 5, 1].map((days) => ({ id: `d${days}`, text: `from ${days}`, at: daysAgo(days) }));
    expect((await app.append("resend", "web:1", messages)).body).toMatchObject({ appended: 2, expired: 2 });
    expect((await app.append("resend", "web:1", messages)).body).toMatchObject({
      appended: 0,
      expired: 2,
      duplicates: 2,
    });
    expect((await app.append("resend", "web:2", messages.slice(0, 2))).body).toMatchObject({ appended: 0, expired: 2 });
    expect((await app.status("resend")).sessions).toBe(1);
  });

  test("messages out of order, and a clock that runs ahead: what is old goes, what is not stays", async () => {
    await app.talker("mixed");
    const ages = [50, 1, 50, 2, 3, 50, 50, 50, 50, 4];
    await app.append(
      "mixed",
      "web:1",
      ages.map((days, i) => ({ text: `m${i + 1}`, at: daysAgo(days) })),
    );
    await app.append("mixed", "web:1", [{ text: "from the future", at: daysAgo(-400) }]);
    await app.synced("mixed");
    await keep("mixed", 10);
    await until(async () => (await app.status("mixed")).messages === 5);
    await app.synced("mixed");
    expect((await app.windows("mixed", "web:1")).map((window) => window.text)).toEqual([
      "user: m2",
      "user: m4\nuser: m5",
      "user: m10\nuser: from the future",
    ]);
    const { session } = await app.page("mixed", "web:1");
    expect(Date.parse(session.lastMessageAt)).toBeLessThanOrEqual(Date.now());
    // A hole in the transcript ends a reading, and the answer says where to continue.
    const { body } = await app.call("POST", "/v1/agents/mixed/tools/memory_get", { path: "sessions/web:1" });
    expect(body).toMatchObject({ from: 2, lines: 1, text: "user: m2", nextFrom: 4 });
    await app.append("mixed", "web:1", ["the next"]);
    await app.synced("mixed");
    expect((await app.windows("mixed", "web:1")).at(-1)?.text).toBe("user: from the future\nuser: the next");
  });

  test("many batches; unindexed messages; a process that stops in the middle", async () => {
    await app.talker("batches", { sync: { onSearch: false } });
    for (let i = 0; i < 3; i++)
      await app.append(
        "batches",
        "web:1",
        Array.from({ length: 500 }, (_, n) => ({ text: `m${n}`, at: daysAgo(50) })),
      );
    await app.append("batches", "web:1", ["new"]);
    const { deps } = app.runtime;
    const { rows } = await app.db.executeSql<{ id: string }>("SELECT id FROM recollect.tenants LIMIT 1");
    const known = await findKnownAgent(deps, systemCaller(rows[0]?.id ?? ""), "agent:write", "batches");
    if (!known) throw new Error("no agent");
    const { sync } = known.settings;
    const agent = {
      ...known,
      settings: { ...known.settings, sync: { ...sync, sessions: { ...sync.sessions, retentionDays: 10 } } },
    };
    await retainSessions(deps, agent, AbortSignal.abort());
    expect((await app.status("batches")).messages).toBe(1501);
    await retainSessions(deps, agent, new AbortController().signal);
    expect(await app.status("batches")).toMatchObject({ messages: 1, sessions: 1 });
    expect((await audit("batches")).map((act) => act.details.messages)).toEqual([500, 500, 500]);
    expect(await usage("batches")).toMatchObject({ bytes: 3, chunks: (await app.status("batches")).chunks });
  });

  test("an agent's receipt counts its sessions and messages", async () => {
    await app.talker("erased");
    await app.put("a.md", "A file", "erased");
    await app.append("erased", "web:1", ["one", "two"], { end: true });
    await app.append("erased", "web:2", ["three"], { end: true });
    await app.synced("erased");
    const { body } = await app.call<{ counts: Record<string, number>; pathHashes: string[] }>(
      "DELETE",
      "/v1/agents/erased",
    );
    expect(body.counts).toMatchObject({ files: 1, sessions: 2, messages: 3, chunks: 3, bytes: 6 + 11 });
    expect(body.pathHashes).toEqual([createHash("sha256").update("a.md").digest("hex")]);
  });
});
