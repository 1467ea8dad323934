import { afterAll, beforeAll, expect, test } from "vitest";
import { type ErrorBody, startTestApp, type TestApp } from "../support/test-app.ts";

interface Storage {
  agents: {
    tenantId: string;
    tenantName: string;
    agentId: string;
    bytes: number;
    parts: Record<"files" | "conversations" | "facts" | "history" | "index", number>;
    deadRows: number;
    deadBytes: number;
    cachedVectors: number;
    cacheBytes: number;
  }[];
  otherAgents: number;
  snapshots?: { snapshots: number; oldestAt: string | null; versions: number; bytes: number };
  server?: Record<string, number | null>;
}

let app: TestApp;
let tenantId: string;
let key: string;
beforeAll(async () => {
  app = await startTestApp();
  tenantId = await app.tenant("growing");
  key = await app.key(["tenant"], { tenantId });
});
afterAll(() => app.drop());

const ask = (method: string, path: string, body?: unknown, holder: string | undefined = key) =>
  app.call<Storage & ErrorBody>(method, path, body, holder);
const measure = async (query = "", holder?: string) =>
  (await ask("GET", `/v1/usage/storage${query}`, undefined, holder)).body;
const text = (mark: string) =>
  Array.from({ length: 400 }, (_, line) => `${mark} ${line} ${crypto.randomUUID()}\n`).join("");

test("says what an agent's texts, history, index and cache take, and what snapshots keep", async () => {
  const put = (content: string) => ask("PUT", "/v1/agents/notes/files/a.md", { content });
  await put(text("first"));
  const before = (await measure("?agentId=notes")).agents[0];
  await put(text("second"));
  await ask("POST", "/v1/agents/notes/snapshots", { name: "now" });
  await put(text("third"));
  await ask("POST", "/v1/agents/notes/sessions/talk/messages", { messages: [{ role: "user", text: text("message") }] });
  await ask("POST", "/v1/agents/notes/facts", { facts: [{ text: "The box is green." }] });
  const { agents, otherAgents, snapshots, server } = await measure("?agentId=notes");
  const [notes] = agents;
  expect(notes).toMatchObject({ tenantId, tenantName: "growing", agentId: "notes" });
  for (const part of ["files", "conversations", "facts", "history", "index"] as const)
    expect([part, (notes?.parts[part] ?? 0) > 8192]).toEqual([part, true]);
  expect(notes?.parts.history).toBeGreaterThan((before?.parts.history ?? 0) + 10_000);
  const sum = Object.values(notes?.parts ?? {}).reduce((total, bytes) => total + bytes, 0);
  expect(notes?.bytes).toBe(sum);
  expect([otherAgents, server]).toEqual([0, undefined]);
  // The first text ended before the snapshot, the third has not ended.
  expect(snapshots).toMatchObject({ snapshots: 1, versions: 1, oldestAt: expect.any(String) });
  expect(snapshots?.bytes).toBe(text("second").length);
});

test("counts the cached vectors of an agent with their size", async () => {
  await app.db.executeSql(
    `INSERT INTO recollect.embedding_cache (tenant_id, provider, model, provider_key, hash, embedding, agent_id, created_at)
     SELECT $1, 'p', 'm', 'k', 'hash ' || n, (SELECT array_agg(i)::vector FROM generate_series(1, 384) AS i), 'cached', now()
       FROM generate_series(1, 30) AS n`,
    [tenantId],
  );
  await ask("POST", "/v1/agents", { id: "cached" });
  const [cached] = (await measure("?agentId=cached")).agents;
  expect(cached?.cachedVectors).toBe(30);
  expect(cached?.cacheBytes).toBeGreaterThan(30 * 384 * 4);
  expect(cached?.cacheBytes).toBeLessThan(30 * 384 * 4 * 2);
});

test("measures the largest agents only, and counts the others", async () => {
  for (const id of ["small", "tiny"]) await ask("POST", "/v1/agents", { id });
  const { agents, otherAgents } = await measure("?limit=1");
  expect(agents.map(({ agentId }) => agentId)).toEqual(["notes"]);
  expect(otherAgents).toBe(3);
  expect((await measure()).agents).toHaveLength(4);
});

test("shows a disabled agent, and one whose schema is being made", async () => {
  await ask("PATCH", "/v1/agents/tiny", { disabled: true });
  expect((await measure("?agentId=tiny")).snapshots).toMatchObject({ snapshots: 0, bytes: 0 });
  await app.db.executeSql(
    `INSERT INTO recollect.agents (tenant_id, id, schema_name, role_name, schema_version, status, created_at)
     VALUES ($1, 'coming', 'agent_0123456789ab', 'agent_0123456789ab', 0, 'creating', now())`,
    [tenantId],
  );
  const [coming] = (await measure("?agentId=coming")).agents;
  expect(coming).toMatchObject({ agentId: "coming", bytes: 0, deadRows: 0 });
});

test("measures the server for its operator alone, and no other tenant's agents for a tenant", async () => {
  const operator = await app.key(["admin"]);
  await app.call("POST", "/v1/agents", { id: "ours" }, operator);
  const { agents, server } = await measure("?server=true&limit=100", operator);
  expect(agents.map(({ agentId }) => agentId)).toEqual(expect.arrayContaining(["notes", "ours"]));
  for (const what of ["databaseBytes", "cacheBytes", "controlBytes", "jobsBytes"])
    expect([what, Number(server?.[what]) > 8192]).toEqual([what, true]);
  expect(server).toMatchObject({ spareSchemas: expect.any(Number), spareBytes: expect.any(Number), heldLogBytes: 0 });
  expect(Number(server?.databaseBytes)).toBeGreaterThan(agents.reduce((sum, { bytes }) => sum + bytes, 0));
  expect((await ask("GET", "/v1/usage/storage?server=true")).body.error.code).toBe("forbidden");
  expect((await measure()).agents.map(({ agentId }) => agentId)).not.toContain("ours");
  for (const [query, code] of [
    ["agentId=notes", "agent_not_found"],
    ["agentId=nobody", "agent_not_found"],
    ["agentId=No!", "invalid_agent_id"],
    ["limit=101", "invalid_request"],
    ["limit=0", "invalid_request"],
    ["server=maybe", "invalid_request"],
    ["server=true&agentId=notes", "invalid_request"],
  ])
    expect([query, (await ask("GET", `/v1/usage/storage?${query}`, undefined, operator)).body.error?.code]).toEqual([
      query,
      code,
    ]);
  expect((await ask("GET", "/v1/usage/storage?agentId=ours")).body.error.code).toBe("agent_not_found");
  const bound = await app.key(["agent:read"], { tenantId, agentId: "notes" });
  expect((await ask("GET", "/v1/usage/storage", undefined, bound)).body.error.code).toBe("forbidden");
});
