import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { replaceBindings } from "../../src/db/control/bindings.ts";
import { DEFAULT_TENANT_ID } from "../../src/db/control/tenants.ts";
import { CLOSE_TIMES, idsOfPages } from "../support/list-pages.ts";
import { type ErrorBody, startTestApp, type TestApp } from "../support/test-app.ts";

interface Receipt {
  id: string;
  agentId: string;
  actor: string;
  counts: Record<string, number>;
  pathHashes: string[];
  nextCursor?: string;
}

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

describe("erasing an agent", () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp();
  });
  afterAll(() => app.drop());

  const schemaOf = async (agent: string) =>
    (
      await app.db.executeSql<{ name: string }>("SELECT schema_name AS name FROM recollect.agents WHERE id = $1", [
        agent,
      ])
    ).rows[0]?.name ?? "";
  const count = async (sql: string, values: unknown[] = []) =>
    (await app.db.executeSql<{ n: number }>(`SELECT count(*)::int AS n FROM ${sql}`, values)).rows[0]?.n;

  test("leaves nothing of it but a receipt, and nothing of the others is touched", async () => {
    for (const agent of ["doomed", "kept"])
      for (const path of ["a.md", "notes/b.md"]) await app.put(path, `The ${agent} text of ${path}`, agent);
    await app.put("shared.md", "A text that both have", "kept");
    await app.put("shared.md", "A text that both have", "doomed");
    await Promise.all([app.embedded("doomed"), app.embedded("kept")]);
    await app.search("what did the doomed one say?", {}, "doomed");
    await replaceBindings(app.db, DEFAULT_TENANT_ID, [
      { agentId: "doomed", match: { channel: "slack" } },
      { agentId: "kept", match: { channel: "irc" } },
    ]);
    const key = await app.key(["search"], { agentId: "doomed" });
    const schema = await schemaOf("doomed");
    const { status, body } = await app.call<Receipt>("DELETE", "/v1/agents/doomed");
    expect(status).toBe(200);
    expect(body).toMatchObject({ agentId: "doomed", actor: "local", counts: { files: 3, chunks: 3, keys: 1 } });
    expect(body.counts.cachedEmbeddings).toBe(3);
    expect(body.pathHashes).toEqual(["a.md", "notes/b.md", "shared.md"].map(sha256).sort());
    expect(await count("pg_namespace WHERE nspname = $1", [schema])).toBe(0);
    expect(await count("pg_roles WHERE rolname = $1", [schema])).toBe(0);
    for (const table of [
      "agents WHERE id",
      "usage WHERE agent_id",
      "bindings WHERE agent_id",
      "embedding_cache WHERE agent_id",
      "api_keys WHERE agent_id",
    ])
      expect([table, await count(`recollect.${table} = 'doomed'`)]).toEqual([table, 0]);
    expect(await count("recollect_jobs.job WHERE data->>'agentId' = 'doomed'")).toBe(0);
    expect((await app.call("GET", "/v1/agents/doomed")).status).toBe(404);
    expect(await app.call("POST", "/v1/agents/doomed/tools/memory_search", { query: "text" })).toMatchObject({
      status: 200,
      body: { results: [] },
    });
    expect((await app.call("POST", "/v1/agents/doomed/tools/memory_search", { query: "text" }, key)).status).toBe(401);
    expect((await app.search("text", {}, "kept")).results).toHaveLength(3);
    const list = await app.call<{ erasures: Receipt[] }>("GET", "/v1/erasures");
    expect(list.body.erasures).toEqual([expect.objectContaining({ id: body.id, agentId: "doomed" })]);
    expect((await app.call<Receipt>("GET", `/v1/erasures/${body.id}`)).body).toEqual(body);
    const audit = await app.call<{ entries: { action: string; target: string }[] }>("GET", "/v1/audit");
    expect(audit.body.entries[0]).toMatchObject({ action: "agent.erase", target: "doomed", actor: "local" });
  });

  test("the answer has the first hashes of a large agent, and its receipt has all, page by page", async () => {
    await app.put("0.md", "One text", "large");
    await app.db.executeSql(
      `INSERT INTO ${await schemaOf("large")}.files (path, name, content, content_hash, size_bytes, line_count, mtime, created_at, updated_at)
       SELECT n || '.md', n || '.md', '', '', 0, 1, now(), now(), now() FROM generate_series(1, 1003) AS n`,
    );
    const { body } = await app.call<Receipt>("DELETE", "/v1/agents/large");
    expect(body.counts).toMatchObject({ files: 1004 });
    expect(body.pathHashes).toHaveLength(1000);
    const receipt = `/v1/erasures/${body.id}`;
    const { body: rest } = await app.call<Receipt>("GET", `${receipt}?cursor=${body.nextCursor}`);
    expect(rest.nextCursor).toBeUndefined();
    const hashes = Array.from({ length: 1004 }, (_, n) => sha256(`${n}.md`)).sort();
    expect([...body.pathHashes, ...rest.pathHashes]).toEqual(hashes);
    expect((await app.call<Receipt>("GET", `${receipt}?limit=2`)).body.pathHashes).toEqual(hashes.slice(0, 2));
  });

  test("receipts are listed page by page, newest first, each once", async () => {
    const tenantId = await app.tenant("paged");
    await app.db.executeSql(
      `INSERT INTO recollect.erasure_receipts (id, tenant_id, agent_id, actor, erased_at, counts, path_hashes)
       SELECT gen_random_uuid(), $1::uuid, 'a' || n, 'local', ${CLOSE_TIMES}, '{}', '{}' FROM generate_series(1, 7) AS n`,
      [tenantId],
    );
    const { rows } = await app.db.executeSql<{ id: string }>(
      "SELECT id FROM recollect.erasure_receipts WHERE tenant_id = $1 ORDER BY erased_at DESC, id DESC",
      [tenantId],
    );
    expect(rows).toHaveLength(7);
    const key = await app.key(["tenant"], { tenantId });
    expect(await idsOfPages(app, "/v1/erasures?", "erasures", key)).toEqual(rows.map(({ id }) => id));
  });

  test("an agent made again under the same id is a new one", async () => {
    await app.put("old.md", "The old memory", "phoenix");
    const before = await schemaOf("phoenix");
    await app.call("DELETE", "/v1/agents/phoenix");
    await app.put("new.md", "The new memory", "phoenix");
    expect(await schemaOf("phoenix")).not.toBe(before);
    const { results } = await app.search("memory", {}, "phoenix");
    expect(results.map((hit) => hit.path)).toEqual(["new.md"]);
  });

  test("writes and searches under way meet no fault while it is erased", async () => {
    for (let round = 0; round < 5; round++) {
      await app.put("a.md", "Something", "fleeting");
      const traffic = Array.from({ length: 12 }, (_, i) =>
        i % 2
          ? app.call("PUT", `/v1/agents/fleeting/files/${i}.md`, { content: `Text ${i}` })
          : app.call("POST", "/v1/agents/fleeting/tools/memory_search", { query: "text" }),
      );
      const erasure = app.call<Receipt>("DELETE", "/v1/agents/fleeting");
      const statuses = (await Promise.all([erasure, ...traffic])).map((answer) => answer.status);
      expect(statuses.filter((status) => ![200, 404].includes(status))).toEqual([]);
      await app.call("DELETE", "/v1/agents/fleeting");
    }
    const { rows } = await app.db.executeSql<{ n: number }>(
      `SELECT count(*)::int AS n FROM pg_namespace WHERE nspname LIKE 'agent\\_%'
          AND nspname NOT IN (SELECT schema_name FROM recollect.agents)`,
    );
    expect(rows[0]?.n).toBe(0);
  });

  test("an erasure that was cut short is not found by anybody, and is finished by the next one", async () => {
    await app.put("a.md", "Half gone", "half");
    await app.db.executeSql("UPDATE recollect.agents SET status = 'erasing' WHERE id = 'half'");
    const read = await app.call<ErrorBody>("GET", "/v1/agents/half");
    expect([read.status, read.body.error.code]).toEqual([404, "agent_not_found"]);
    expect((await app.call("GET", "/v1/agents/half/files")).body).toEqual({ files: [] });
    const again = await app.call("POST", "/v1/agents", { id: "half" });
    expect([again.status, again.body.error.code]).toEqual([409, "agent_exists"]);
    const { status, body } = await app.call<Receipt>("DELETE", "/v1/agents/half");
    expect([status, body.counts.files]).toEqual([200, 1]);
  });

  test("the default agent can be erased and begins anew, empty", async () => {
    await app.put("a.md", "In main");
    expect((await app.call("DELETE", "/v1/agents/main")).status).toBe(200);
    expect((await app.search("main")).results).toEqual([]);
    expect((await app.call("DELETE", "/v1/agents/main")).status).toBe(404);
  });
});
