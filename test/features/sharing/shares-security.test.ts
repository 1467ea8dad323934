import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { withAgentReads } from "../../../src/db/agent/schema/agent-transaction.ts";
import { DEFAULT_TENANT_ID } from "../../../src/db/control/tenants.ts";
import { findKnownAgent } from "../../../src/service/agent/find-agent.ts";
import { localCaller } from "../../../src/settings/access.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { byModel, OtherEmbedder, WordEmbedder } from "../../support/word-embedder.ts";

const SECRET = "The vault opens with cinnabar.";

describe("who may read a memory that is shared", () => {
  let app: TestApp;
  let rival: string;
  const share = (sharer: string, reader: string, key?: string) =>
    app.call("PUT", `/v1/agents/${sharer}/shares/${reader}`, {}, key);
  const take = (reader: string, sharer: string, key?: string) =>
    app.call("PUT", `/v1/agents/${reader}/reads/${sharer}`, {}, key);
  const asked = async (agent: string, query = "vault cinnabar", key?: string) =>
    JSON.stringify(
      (await app.call("POST", `/v1/agents/${agent}/tools/memory_search`, { query, minScore: 0, maxResults: 50 }, key))
        .body,
    );
  const got = async (agent: string, path = "@vault/secret.md", key?: string) =>
    JSON.stringify((await app.call("POST", `/v1/agents/${agent}/tools/memory_get`, { path }, key)).body);

  beforeAll(async () => {
    app = await startTestApp({ embedders: byModel(new WordEmbedder(), new OtherEmbedder()) });
    rival = await app.tenant("rival");
    await app.put("own.md", "A note of the reader.", "reader");
  });
  beforeEach(async () => {
    await app.put("secret.md", SECRET, "vault");
    await app.embedded("vault");
    expect((await share("vault", "reader")).status).toBe(200);
    expect((await take("reader", "vault")).status).toBe(200);
    expect(await asked("reader")).toContain("cinnabar");
  });
  afterAll(() => app.drop());

  test("not another tenant, which learns nothing of either agent", async () => {
    const key = await app.key(["tenant"], { tenantId: rival });
    const headers = { "recollect-tenant": rival };
    await app.call("PUT", "/v1/agents/reader/files/a.md", { content: "Ours" }, key);
    for (const answer of [
      await share("vault", "reader", key),
      await take("reader", "vault", key),
      await app.call("DELETE", "/v1/agents/vault/shares/reader", undefined, key),
      await app.call("GET", "/v1/agents/vault/shares", undefined, key),
    ])
      expect(answer).toMatchObject({ status: 404, body: { error: { code: "agent_not_found" } } });
    expect(await asked("reader", "vault cinnabar", key)).not.toContain("cinnabar");
    expect(await got("reader", "@vault/secret.md", key)).not.toContain("cinnabar");
    const operator = await app.call("GET", "/v1/agents/reader/reads", undefined, undefined, headers);
    expect(operator.body).toEqual({ shares: [] });
  });

  test("not across tenants even if a row said so", async () => {
    await app.call("PUT", "/v1/agents/spy/files/a.md", { content: "Spying" }, undefined, { "recollect-tenant": rival });
    await app.db.executeSql(
      `INSERT INTO recollect.shares (reader_schema, sharer_schema, folders, sessions, offered_at, taken_at)
       SELECT r.schema_name, s.schema_name, '{}', true, now(), now() FROM recollect.agents r, recollect.agents s
        WHERE r.id = 'spy' AND s.id = 'vault'`,
    );
    const key = await app.key(["search"], { tenantId: rival });
    expect(await asked("spy", "vault cinnabar", key)).not.toContain("cinnabar");
    expect(await got("spy", "@vault/secret.md", key)).not.toContain("cinnabar");
  });

  test("a key of the reader through the reader, and never by the sharer's own routes", async () => {
    const key = await app.key(["agent:read", "agent:write"], { agentId: "reader" });
    expect(await asked("reader", "vault cinnabar", key)).toContain("cinnabar");
    expect(await got("reader", "@vault/secret.md", key)).toContain("cinnabar");
    for (const [method, path, body] of [
      ["GET", "files/secret.md"],
      ["GET", "files"],
      ["GET", "shares"],
      ["GET", "status"],
      ["GET", "facts"],
      ["PUT", "files/secret.md", { content: "Mine now" }],
      ["POST", "tools/memory_search", { query: "vault" }],
      ["POST", "tools/memory_get", { path: "secret.md" }],
    ] as const) {
      const answer = await app.call(method, `/v1/agents/vault/${path}`, body, key);
      expect([path, answer.status, answer.body.error.code]).toEqual([path, 404, "agent_not_found"]);
    }
    // The reader cannot list shared files or read them as files.
    expect(JSON.stringify((await app.call("GET", "/v1/agents/reader/files", undefined, key)).body)).not.toContain(
      "vault",
    );
    expect(await app.call("GET", "/v1/agents/reader/files/@vault/secret.md", undefined, key)).toMatchObject({
      status: 404,
    });
    // The reader may not end or widen the share.
    expect((await app.call("DELETE", "/v1/agents/reader/reads/vault", undefined, key)).status).toBe(403);
    expect((await app.call("PUT", "/v1/agents/reader/reads/vault", {}, key)).status).toBe(403);
  });

  test("a key of the sharer reads nothing of the reader", async () => {
    const key = await app.key(["agent:read"], { agentId: "vault" });
    expect(await asked("vault", "note of the reader", key)).not.toContain("note of the reader.");
    expect(await got("vault", "@reader/own.md", key)).toContain("not_found");
  });

  test("nobody after withdrawal, not by an answer that was remembered either", async () => {
    expect(await asked("reader")).toContain("cinnabar");
    expect((await app.call("DELETE", "/v1/agents/vault/shares/reader")).status).toBe(200);
    expect(await asked("reader")).not.toContain("cinnabar");
    expect(await got("reader")).not.toContain("cinnabar");
  });

  test("nobody after the sharer was erased, and an agent of its name later is not read", async () => {
    expect((await app.call("DELETE", "/v1/agents/vault")).status).toBe(200);
    expect(await asked("reader")).not.toContain("cinnabar");
    expect(await got("reader")).not.toContain("cinnabar");
    expect((await app.call("GET", "/v1/agents/reader/reads")).body).toEqual({ shares: [] });
    const { rows } = await app.db.executeSql(
      "SELECT * FROM recollect.shares s JOIN recollect.agents a ON a.id = 'reader' AND a.schema_name = s.reader_schema",
    );
    expect(rows).toEqual([]);
    await app.put("secret.md", SECRET, "vault");
    expect(await asked("reader")).not.toContain("cinnabar");
    await take("reader", "vault");
    expect(await asked("reader")).not.toContain("cinnabar");
  });

  test("nobody in the place of a reader that was erased", async () => {
    await app.put("a.md", "A note", "temp");
    await share("vault", "temp");
    await take("temp", "vault");
    expect(await asked("temp")).toContain("cinnabar");
    await app.call("DELETE", "/v1/agents/temp");
    await app.put("a.md", "A note", "temp");
    expect(await asked("temp")).not.toContain("cinnabar");
  });

  test("each memory is read as its own role, so a statement of one cannot reach the other", async () => {
    const caller = localCaller(DEFAULT_TENANT_ID);
    const { deps } = app.runtime;
    const [reader, vault] = await Promise.all(
      ["reader", "vault"].map((id) => findKnownAgent(deps, caller, "search", id)),
    );
    if (!reader || !vault) throw new Error("The agents are there.");
    for (const [as, of] of [
      [reader, vault],
      [vault, reader],
    ] as const)
      await expect(
        withAgentReads(app.db, as, (tx) => tx.executeSql(`SELECT content FROM ${of.schema}.files`)),
      ).rejects.toMatchObject({ code: "42501" });
  });

  test("SQL in a question, a path, a pattern or a folder is text, in either memory", async () => {
    const { schema } = (await findKnownAgent(app.runtime.deps, localCaller(DEFAULT_TENANT_ID), "search", "vault")) ?? {
      schema: "",
    };
    const attacks = [
      `' OR true; RESET ROLE; SELECT content FROM ${schema}.files --`,
      `@vault/'; SET ROLE NONE; DROP SCHEMA ${schema} CASCADE; --`,
      "@vault/%' UNION SELECT content FROM files --",
      "$1); RESET ROLE; --",
    ];
    const before = await app.db.executeSql(`SELECT content FROM ${schema}.files`);
    for (const text of attacks) {
      const search = { query: text, paths: [text, "@vault/*"], minScore: 0 };
      expect((await app.call("POST", "/v1/agents/reader/tools/memory_search", search)).status).toBe(200);
      expect(await got("reader", text)).not.toContain("cinnabar");
      const offered = await app.call("PUT", "/v1/agents/vault/shares/reader", { folders: [text] });
      expect([200, 400]).toContain(offered.status);
      expect(await asked("reader")).not.toContain(offered.status === 200 ? "cinnabar" : "no such text");
      await share("vault", "reader");
    }
    expect(await app.db.executeSql(`SELECT content FROM ${schema}.files`)).toEqual(before);
    expect((await app.call("PUT", "/v1/agents/vault'--/shares/reader", {})).status).toBe(400);
    expect((await app.call("PUT", "/v1/agents/vault/shares/reader'--", {})).status).toBe(400);
  });

  test("paths that climb out of a folder find nothing", async () => {
    await app.put("open/a.md", "An open note.", "vault");
    await app.call("PUT", "/v1/agents/vault/shares/reader", { folders: ["open"] });
    for (const path of [
      "@vault/open/../secret.md",
      "@vault/../vault/secret.md",
      "@vault//secret.md",
      "@vault/secret.md",
    ])
      expect(await got("reader", path)).not.toContain("cinnabar");
    expect(await got("reader", "@vault/open/a.md")).toContain("An open note.");
  });

  test("the past of a memory is not shared: what was taken out of it before stays its own", async () => {
    await app.put("secret.md", "Nothing is kept here any more.", "vault");
    const asOf = new Date().toISOString();
    const search = { query: "vault cinnabar", minScore: 0, maxResults: 50, asOf };
    const found = await app.call<{ results: { path: string }[]; warning?: string }>(
      ...(["POST", "/v1/agents/reader/tools/memory_search", search] as const),
    );
    expect(found.body.warning).toContain("Memories that others share are searched only as they are now");
    expect(found.body.results.map((hit) => hit.path).filter((path) => path.startsWith("@"))).toEqual([]);
    for (const path of ["@vault/secret.md", "@vault/facts/1"])
      expect(await app.call("POST", "/v1/agents/reader/tools/memory_get", { path, asOf })).toMatchObject({
        status: 400,
        body: { error: { code: "invalid_path" } },
      });
    for (const path of ["versions?path=@vault/secret.md", "versions?path=secret.md"])
      expect(JSON.stringify((await app.call("GET", `/v1/agents/reader/${path}`)).body)).not.toContain("cinnabar");
    expect(await asked("reader")).not.toContain("cinnabar");
  });

  test("a memory under another model is searched with a vector of its own", async () => {
    await app.call("POST", "/v1/agents", { id: "far", settings: { model: "other-words" } });
    await app.put("far.md", "Basalt columns stand by the sea.", "far");
    await app.embedded("far");
    await share("far", "reader");
    await take("reader", "far");
    const { body } = await app.call<{ results: { path: string; vectorScore?: number }[] }>(
      ...(["POST", "/v1/agents/reader/tools/memory_search", { query: "basalt by the sea", minScore: 0 }] as const),
    );
    expect(body.results[0]).toMatchObject({ path: "@far/far.md" });
    expect(body.results[0]?.vectorScore).toBeGreaterThan(0.3);
    const { body: usage } = await app.call<{ days: { agentId: string; kind: string }[] }>(
      ...(["GET", "/v1/usage/embeddings"] as const),
    );
    expect(JSON.stringify(usage)).not.toContain("cinnabar");
  });
});
