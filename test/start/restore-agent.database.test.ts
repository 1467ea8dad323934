import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { readConfig } from "../../src/config/config.ts";
import { createAgentSchema } from "../../src/db/agent/schema/create-agent-schema.ts";
import { createGenerationTables } from "../../src/db/agent/schema/generation-tables.ts";
import { roleName, schemaName } from "../../src/db/agent/schema/schema-name.ts";
import { loadAgentMigrations } from "../../src/db/migrate/agent.ts";
import { restoreAgent } from "../../src/start/restore-agent.ts";
import { openTestDatabase } from "../support/database.ts";
import { needsPostgresTools, postgresTools } from "../support/postgres-tools.ts";
import { type ErrorBody, startTestApp, type TestApp } from "../support/test-app.ts";

/**
 * Characters that COPY escapes, and a line separator that only JavaScript takes for the end of a
 * line.
 */
const NOTE = "The heron waits\tat the ferry.\n\\. is no end\u2028nor this: \\N";

describe("one agent is restored from a dump", needsPostgresTools(), () => {
  let app: TestApp;
  let folder: string;
  let schema: string;
  beforeAll(async () => {
    app = await startTestApp({ worker: false });
    folder = mkdtempSync(join(tmpdir(), "recollect-dump-"));
    await app.put("a.md", NOTE);
    await app.put("a.md", "The other agent's own.", "other");
    const { rows } = await app.db.executeSql<{ schema: string }>(
      "SELECT schema_name AS schema FROM recollect.agents WHERE id = 'main'",
    );
    schema = rows[0]?.schema ?? "";
    const tools = postgresTools();
    if (tools !== undefined) vi.stubEnv("PATH", `${tools}:${process.env.PATH}`);
    run("pg_dump", ["--no-owner", "--no-acl", "-Fc"], "all.dump");
    run("pg_dump", ["--no-owner", "--no-acl", "-Fc", "-n", schema], "agent.dump");
    run("pg_dump", ["--no-owner", "--no-acl", "-n", schema], "agent.sql");
    run("pg_dump", ["--no-owner", "--no-acl"], "all.sql");
  });
  afterEach(() => app.call("PATCH", "/v1/agents/main", { disabled: false }));
  afterAll(async () => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
    await app.drop();
  });

  const run = (tool: string, args: string[], out: string) => {
    const { status, stdout, stderr } = spawnSync(tool, [...args, app.url ?? ""], { maxBuffer: 2 ** 28 });
    expect(status, stderr.toString()).toBe(0);
    writeFileSync(join(folder, out), stdout);
  };
  const restore = (from: string, input = Readable.from([]) as AsyncIterable<Uint8Array>, agent = "main") =>
    restoreAgent(readConfig({ DATABASE_URL: app.url }), { agent, from }, input);
  const contentOf = async (path: string, agent = "main") =>
    (await app.call<{ content?: string }>("GET", `/v1/agents/${agent}/files/${path}`)).body.content;

  test.each(["all.dump", "agent.dump", "agent.sql"])("%s", async (name) => {
    await app.put("later.md", "It is not in the dump: heron.");
    await app.call("DELETE", "/v1/agents/main/files/a.md");
    expect((await app.search("heron")).results.map(({ path }) => path)).toEqual(["later.md"]);
    expect(await restore(join(folder, name))).toMatchObject({ agent: "main", enabled: true });
    expect(await contentOf("a.md")).toBe(NOTE);
    expect(await contentOf("later.md")).toBeUndefined();
    expect((await app.search("heron")).results.map(({ path }) => path)).toEqual(["a.md"]);
    expect(await contentOf("a.md", "other")).toBe("The other agent's own.");
    const { usage } = (
      await app.call<{ usage: { files: number; chunks: number; bytes: number } }>("GET", "/v1/agents/main")
    ).body;
    expect(usage).toMatchObject({ files: 1, chunks: 1, bytes: Buffer.byteLength(NOTE) });
    expect((await app.put("b.md", "It takes writes.")).status).toBe(200);
    const status = await app.call<{ files: number }>("GET", "/v1/agents/main/status");
    expect([status.status, status.body.files]).toEqual([200, 2]);
    await app.call("DELETE", "/v1/agents/main/files/b.md");
  });

  test("the SQL on standard input, of an agent whose schema is gone and that was disabled", async () => {
    await app.call("PATCH", "/v1/agents/main", { disabled: true });
    await app.db.executeSql(`DROP SCHEMA ${schema} CASCADE`);
    // This request answered 500 in an earlier version.
    const enabled = await app.call<ErrorBody>("PATCH", "/v1/agents/main", { disabled: false });
    expect([enabled.status, enabled.body.error.code]).toEqual([403, "agent_disabled"]);
    expect(enabled.body.error.message).toMatch(/agents restore/);
    const sql = Readable.from([readFileSync(join(folder, "agent.sql"))]);
    expect(await restore("-", sql)).toMatchObject({ enabled: false });
    await app.call("PATCH", "/v1/agents/main", { disabled: false });
    expect(await contentOf("a.md")).toBe(NOTE);
  });

  test.each([
    ["a dump of everything as text", "all.sql", /more than this agent/],
    ["a file that is no dump", "no.dump", /This is no dump of pg_dump/],
    ["an empty file", "empty.dump", /The dump is empty/],
    ["a damaged dump", "half.dump", /pg_restore cannot read the dump/],
    ["a dump that breaks off in a table", "half.sql", /ends in the middle of a table/],
    ["a dump that breaks off between two tables", "tables.sql", /was cut off/],
    ["a dump that breaks off before the indexes", "no-indexes.sql", /was cut off/],
    [
      "a dump without its indexes",
      "lost-indexes.sql",
      /is incomplete. It lacks the constraint of \w+ on .* and \d+ more/,
    ],
    [
      "a dump without one foreign key",
      "lost-key.sql",
      /It lacks the constraint of vectors_1 on \(chunk_id\), REFERENCES\./,
    ],
    ["a dump without its active index", "no-active.sql", /It lacks an active index generation/],
    ["no file", "missing.dump", /cannot be read \(ENOENT\)/],
  ])("%s is refused, and nothing changes", async (_what, name, message) => {
    const sql = readFileSync(join(folder, "agent.sql"), "utf8");
    writeFileSync(join(folder, "no.dump"), "Dear diary");
    writeFileSync(join(folder, "half.dump"), readFileSync(join(folder, "agent.dump")).subarray(0, 2000));
    writeFileSync(join(folder, "empty.dump"), "");
    const afterTables = sql.lastIndexOf("\n\\.\n") + 4;
    writeFileSync(join(folder, "tables.sql"), sql.slice(0, sql.indexOf("\n\\.\n") + 4));
    writeFileSync(join(folder, "no-indexes.sql"), sql.slice(0, afterTables));
    const last = sql.slice(sql.indexOf("--\n-- PostgreSQL database dump complete"));
    writeFileSync(join(folder, "lost-indexes.sql"), `${sql.slice(0, afterTables)}${last}`);
    const key = /ALTER TABLE ONLY \S+\n +ADD CONSTRAINT vectors_1_chunk_id_fkey [^;]*;\n/;
    writeFileSync(join(folder, "lost-key.sql"), sql.replace(key, ""));
    writeFileSync(join(folder, "no-active.sql"), sql.replace(/\tactive\t/, "\tdropped\t"));
    writeFileSync(join(folder, "half.sql"), sql.slice(0, sql.indexOf("FROM stdin;") + 14));
    await expect(restore(join(folder, name))).rejects.toThrow(message);
    expect(await contentOf("a.md")).toBe(NOTE);
    expect((await app.call("GET", "/v1/agents/main/status")).status).toBe(200);
  });

  test("an empty database is refused with the command that prepares one", async () => {
    const empty = await openTestDatabase({ prepared: false });
    const config = readConfig({ DATABASE_URL: empty.url });
    const restoring = restoreAgent(config, { agent: "main", from: join(folder, "all.dump") }, Readable.from([]));
    try {
      const message = expect.stringContaining("recollect migrate");
      await expect(restoring).rejects.toMatchObject({ code: "config_invalid", message });
    } finally {
      await empty.drop();
    }
  });

  test("a dump of an older version is migrated before it counts as complete", async () => {
    const older = loadAgentMigrations().slice(0, 23);
    await app.put("a.md", NOTE, "old");
    const { rows } = await app.db.executeSql<{ name: string }>(
      "SELECT schema_name AS name FROM recollect.agents WHERE id = 'old'",
    );
    const name = rows[0]?.name ?? "";
    const space = { schema: schemaName(name), role: roleName(name) };
    await app.db.executeSql(`DROP SCHEMA ${name} CASCADE`);
    await createAgentSchema(app.db, space, older);
    await app.db.executeSql(
      `INSERT INTO ${name}.generations (provider, model, chunk_tokens, chunk_overlap, language, status, created_at)
       VALUES ('none', '', 400, 80, 'english', 'active', now())`,
    );
    const generation = { id: 1, dimensions: null, halfVectors: false };
    await createGenerationTables(app.db, space.schema, space.role, generation);
    run("pg_dump", ["--no-owner", "--no-acl", "-n", name], "old.sql");
    expect(await restore(join(folder, "old.sql"), undefined, "old")).toMatchObject({ schemaVersion: 23 });
    const { rows: after } = await app.db.executeSql("SELECT schema_version FROM recollect.agents WHERE id = 'old'");
    expect(after).toEqual([{ schema_version: loadAgentMigrations().length }]);
    expect((await app.put("a.md", NOTE, "old")).status).toBe(200);
  });

  test("an agent of another tenant, which has its name or its id", async () => {
    const tenantId = await app.tenant("a-team");
    const key = await app.key(["tenant"], { tenantId });
    const path = "/v1/agents/theirs/files/a.md";
    await app.call("PUT", path, { content: NOTE }, key);
    run("pg_dump", ["--no-owner", "--no-acl", "-Fc"], "teams.dump");
    for (const tenant of ["a-team", tenantId]) {
      await app.call("DELETE", path, undefined, key);
      const task = { agent: "theirs", tenant, from: join(folder, "teams.dump") };
      await restoreAgent(readConfig({ DATABASE_URL: app.url }), task, Readable.from([]));
      expect((await app.call<{ content?: string }>("GET", path, undefined, key)).body.content).toBe(NOTE);
    }
    const task = { agent: "theirs", from: join(folder, "teams.dump") };
    const attempt = (tenant?: string) =>
      restoreAgent(readConfig({ DATABASE_URL: app.url }), { ...task, tenant }, Readable.from([]));
    await expect(attempt("none")).rejects.toMatchObject({ code: "tenant_not_found" });
    await expect(attempt()).rejects.toThrow(/The tenant default has no such agent; --tenant names another/);
  });

  test("an agent that is not there, and one of another name, are refused", async () => {
    await expect(restore(join(folder, "all.dump"), undefined, "none")).rejects.toMatchObject({
      code: "agent_not_found",
    });
    await app.put("a.md", "Made after the dump.", "young");
    await expect(restore(join(folder, "all.dump"), undefined, "young")).rejects.toThrow(/does not hold this agent/);
    expect(await contentOf("a.md", "young")).toBe("Made after the dump.");
  });
});
