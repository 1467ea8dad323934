import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { readConfig } from "../../src/config/config.ts";
import { restoreAgent } from "../../src/start/restore-agent.ts";
import { branchOf } from "../support/branches.ts";
import { type ExtraFolder, extraFolder, syncNow } from "../support/extra-folder.ts";
import { type FakeModel, startFakeModel } from "../support/fake-model.ts";
import { needsPostgresTools, postgresTools } from "../support/postgres-tools.ts";
import { ALL_FEATURES, startTestApp, type TestApp } from "../support/test-app.ts";

/** Returns the lines of a piece that begin with "Rule" as facts. */
const rulesOf = (prompt: string) =>
  prompt
    .split("\n")
    .filter((line) => line.startsWith("Rule"))
    .map((text) => JSON.stringify({ text, importance: 0.7 }))
    .join("\n");

describe("an agent with tables that no migration makes is restored from a dump", needsPostgresTools(), () => {
  let app: TestApp;
  let model: FakeModel;
  let root: ExtraFolder;
  let folder: string;
  beforeAll(async () => {
    model = await startFakeModel();
    model.reply = rulesOf;
    root = extraFolder();
    folder = mkdtempSync(join(tmpdir(), "recollect-dump-"));
    app = await startTestApp({
      env: {
        ...ALL_FEATURES,
        RECOLLECT_EXTRA_PATH_ROOTS: root.path,
        RECOLLECT_CHAT_PROVIDER: "openai",
        RECOLLECT_CHAT_BASE_URL: model.url,
        RECOLLECT_CHAT_API_KEY: "k",
      },
    });
    const tools = postgresTools();
    if (tools !== undefined) vi.stubEnv("PATH", `${tools}:${process.env.PATH}`);
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
    await app.drop();
    root.remove();
    await model.close();
  });

  const tablesOf = async (agent: string) => {
    const { rows } = await app.db.executeSql<{ schema: string; name: string; owner: string }>(
      `SELECT a.schema_name AS schema, c.relname AS name, pg_get_userbyid(c.relowner) AS owner
         FROM recollect.agents a
         JOIN pg_class c ON c.relnamespace = to_regnamespace(a.schema_name) AND c.relkind = 'r'
        WHERE a.id = $1
        ORDER BY c.relname`,
      [agent],
    );
    return rows;
  };
  /** Dumps an agent's schema and returns the dump's path. */
  const dump = async (agent: string) => {
    const schema = (await tablesOf(agent))[0]?.schema ?? "";
    const args = ["--no-owner", "--no-acl", "-n", schema, app.url ?? ""];
    const { status, stdout, stderr } = spawnSync("pg_dump", args, { maxBuffer: 2 ** 28 });
    expect(status, stderr.toString()).toBe(0);
    writeFileSync(join(folder, `${agent}.sql`), stdout);
    return join(folder, `${agent}.sql`);
  };
  const restore = (agent: string, from: string) =>
    restoreAgent(readConfig({ DATABASE_URL: app.url }), { agent, from }, Readable.from([]));
  /** Dumps an agent that has the table, and restores it with the same tables of the same owner. */
  const restored = async (agent: string, table: string) => {
    await app.rested();
    const before = await tablesOf(agent);
    expect(before.map(({ name }) => name)).toContain(table);
    expect(await restore(agent, await dump(agent))).toMatchObject({ agent, enabled: true });
    expect(await tablesOf(agent)).toEqual(before);
  };
  const contentOf = async (path: string, agent: string) =>
    (await app.call<{ content?: string }>("GET", `/v1/agents/${agent}/files/${path}`)).body.content;

  test("the folders of the server are synced afterwards", async () => {
    mkdirSync(root.at("notes"));
    root.write("notes/a.md", "A zeppelin");
    await app.call("POST", "/v1/agents", { id: "folders", settings: { extraPaths: [root.at("notes")] } });
    expect(await syncNow(app.runtime.deps, "folders")).toMatchObject({ files: 1, read: 1 });
    await restored("folders", "extra_paths");
    const { body } = await app.call("GET", "/v1/agents/folders/status");
    expect(body).toMatchObject({ extraPaths: [{ files: 1 }] });
    root.write("notes/b.md", "A balloon");
    expect(await syncNow(app.runtime.deps, "folders")).toMatchObject({ files: 2, read: 1 });
    expect((await app.search("balloon", {}, "folders")).results[0]?.path).toBe(root.at("notes/b.md"));
  });

  test("a branch is compared and merged afterwards", async () => {
    await app.put("a.md", "The note of the origin.", "origin");
    await app.put("b.md", "The other note of the origin.", "origin");
    await branchOf(app, "origin", "branch");
    await app.put("a.md", "Changed in the branch.", "branch");
    await app.put("b.md", "Changed in the origin.", "origin");
    await restored("branch", "branch_base");
    const { body } = await app.call<{ files: object[] }>("GET", "/v1/agents/branch/diff/origin");
    expect(body.files).toMatchObject([
      { path: "a.md", here: "changed", there: "none" },
      { path: "b.md", here: "none", there: "changed" },
    ]);
    expect((await app.call("POST", "/v1/agents/branch/merge", { into: "origin" })).body).toMatchObject({
      merged: true,
    });
    expect(await contentOf("a.md", "origin")).toBe("Changed in the branch.");
    expect(await contentOf("b.md", "origin")).toBe("Changed in the origin.");
  });

  test("files are ingested again afterwards, and known pieces are not sent again", async () => {
    const ingest = async () => {
      expect((await app.call("POST", "/v1/agents/reader/ingest", {})).status).toBe(202);
      const status = async () => (await app.call<{ state: string }>("GET", "/v1/agents/reader/ingest")).body;
      await expect.poll(async () => (await status()).state).not.toBe("running");
      return status();
    };
    await app.put("AGENTS.md", "# Agents\n\nRule 1: commits are signed.", "reader");
    expect(await ingest()).toMatchObject({ state: "done", stored: 1 });
    await restored("reader", "ingested_pieces");
    const { body } = await app.call("GET", "/v1/agents/reader/ingest");
    expect(body).toMatchObject({ state: "done", stored: 1 });
    await app.put("TOOLS.md", "# Tools\n\nRule 2: no emojis.", "reader");
    expect(await ingest()).toMatchObject({ state: "done", stored: 1, piecesDone: 1, piecesKnown: 1 });
  });

  test("a dump with a lost or a new column in a table of the migrations is still refused", async () => {
    await app.put("a.md", "A note", "strict");
    await app.rested();
    const schema = (await tablesOf("strict"))[0]?.schema ?? "";
    for (const change of ["ADD COLUMN later text", "DROP COLUMN mtime"]) {
      await app.db.executeSql(`ALTER TABLE ${schema}.files ${change}`);
      await expect(restore("strict", await dump("strict")), change).rejects.toThrow(/its tables match no version/);
      await app.db.executeSql(`ALTER TABLE ${schema}.files DROP COLUMN IF EXISTS later`);
    }
  });
});
