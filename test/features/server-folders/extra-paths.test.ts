import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, renameSync, rmSync, symlinkSync, utimesSync } from "node:fs";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { DEFAULT_TENANT_ID } from "../../../src/db/control/tenants.ts";
import { syncExtraPaths } from "../../../src/features/server-folders/sync-extra-paths.ts";
import type { AgentStatus } from "../../../src/service/admin/agent-status.ts";
import { findKnownAgent } from "../../../src/service/agent/find-agent.ts";
import { jobCaller } from "../../../src/service/core/authenticate.ts";
import { type ExtraFolder, extraFolder, syncNow } from "../../support/extra-folder.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { until } from "../../support/until.ts";

let root: ExtraFolder;
let app: TestApp;
let count = 0;
/** A new agent for each test, with a separate folder. */
let id: string;
let top: string;

beforeAll(async () => {
  root = extraFolder();
  app = await startTestApp({ worker: false, env: { RECOLLECT_EXTRA_PATH_ROOTS: root.path } });
});
afterAll(async () => {
  await app.drop();
  root.remove();
});
beforeEach(async () => {
  id = `a${++count}`;
  top = root.at(id);
  mkdirSync(top);
  await app.call("POST", "/v1/agents", { id, settings: { extraPaths: [top] } });
});

const write = (relative: string, content: string | Buffer, age?: number) =>
  root.write(`${id}/${relative}`, content, age);
const sync = () => syncNow(app.runtime.deps, id);
const set = (settings: object) => app.call("PATCH", `/v1/agents/${id}`, { settings });
const status = async () => (await app.call<AgentStatus>("GET", `/v1/agents/${id}/status`)).body;
const list = async () => {
  const { body } = await app.call<{ files: { path: string }[] }>("GET", `/v1/agents/${id}/files?limit=1000`);
  return body.files.map((file) => file.path.replace(`${top}/`, ""));
};
const get = async (path: string) =>
  (
    await app.call<{ text: string; status?: string; error?: { code: string } }>(
      ...(["POST", `/v1/agents/${id}/tools/memory_get`, { path }] as const),
    )
  ).body;

describe("a folder of the server", () => {
  test("its text files are found, cited and read under their absolute paths, beside the agent's own", async () => {
    write("deep/er/zeppelin.md", "The zeppelin leaves at noon.");
    write("notes.txt", "Plain text about balloons.");
    await app.put("own.md", "An own note.", id);
    expect(await sync()).toMatchObject({ files: 2, read: 2, deleted: 0 });
    expect(await list()).toEqual(["deep/er/zeppelin.md", "notes.txt", "own.md"]);
    const { results } = await app.search("zeppelin", {}, id);
    const path = `${top}/deep/er/zeppelin.md`;
    expect(results[0]).toMatchObject({ path, source: "memory", citation: `${path}#L1` });
    expect(await get(path)).toMatchObject({ path, text: "The zeppelin leaves at noon." });
    const byName = await app.search(path, {}, id);
    expect(byName.results[0]).toMatchObject({ path, score: 1 });
    const whole = await app.call<{ content: string }>("GET", `/v1/agents/${id}/files/${encodeURIComponent(path)}`);
    expect(whole.body.content).toBe("The zeppelin leaves at noon.");
    expect((await status()).extraPaths).toEqual([
      { path: top, files: 2, skipped: 0, failed: 0, lastSyncAt: expect.any(String) },
    ]);
  });

  test("only the sync writes there, and reading elsewhere is refused alike whether a file is there or not", async () => {
    write("a.md", "Alpha");
    await sync();
    const path = `${top}/a.md`;
    const put = await app.call("PUT", `/v1/agents/${id}/files/${encodeURIComponent(path)}`, { content: "x" });
    expect([put.status, put.body.error.code]).toEqual([400, "invalid_path"]);
    const removal = await app.call("DELETE", `/v1/agents/${id}/files/${encodeURIComponent(path)}`);
    expect([removal.status, removal.body.error.code]).toEqual([400, "invalid_path"]);
    const batch = await app.call("POST", `/v1/agents/${id}/files`, { delete: [path] });
    expect(batch.body.error.code).toBe("invalid_path");
    expect(await get(`${top}/missing.md`)).toMatchObject({ status: "not_found", text: "" });
    const elsewhere = await Promise.all(["/etc/passwd", "/etc/no-such-file", root.path, `${top}x/a.md`].map(get));
    for (const answer of elsewhere) expect(answer).toMatchObject({ error: { code: "invalid_path" } });
    expect(new Set(elsewhere.map((answer) => JSON.stringify({ ...answer.error, requestId: "" }))).size).toBe(1);
    expect(await get(`${top}/../${id}/a.md`)).toMatchObject({ error: { code: "invalid_path" } });
  });

  test("what changes, moves or goes is followed; a second sync of the same reads nothing", async () => {
    write("keep.md", "Keep");
    write("edit.md", "Before", 60);
    write("move.md", "Moving");
    write("gone.md", "Going");
    await sync();
    expect(await sync()).toMatchObject({ files: 4, read: 0, deleted: 0 });
    write("edit.md", "After!");
    renameSync(`${top}/move.md`, `${top}/moved.md`);
    rmSync(`${top}/gone.md`);
    expect(await sync()).toMatchObject({ files: 3, read: 2, deleted: 2 });
    expect(await list()).toEqual(["edit.md", "keep.md", "moved.md"]);
    expect((await get(`${top}/edit.md`)).text).toBe("After!");
    // A touched file is read once, and not again.
    utimesSync(`${top}/keep.md`, 1_000_000, 1_000_000);
    const old = { before: "2000-01-01" };
    expect((await app.search("keep", old, id)).results).toEqual([]);
    expect(await sync()).toMatchObject({ read: 1 });
    expect(await sync()).toMatchObject({ read: 0 });
    expect((await app.search("keep", old, id)).results).toHaveLength(1);
  });

  test("2,000 files: the second sync reads none of them", async () => {
    for (let i = 0; i < 2000; i++) write(`f${i % 20}/n${i}.md`, `Note number ${i}`);
    expect(await sync()).toMatchObject({ files: 2000, read: 2000 });
    expect(await sync()).toMatchObject({ files: 2000, read: 0, deleted: 0 });
    expect((await status()).files).toBe(2000);
  });

  test("takes text only, and says how much it left out; what is no text is read once", async () => {
    write("good.md", "Good");
    write("binary.md", Buffer.from([77, 0, 1, 2]));
    write("latin.md", Buffer.from("caf\xe9", "latin1"));
    write("large.md", "x".repeat(4_000_001));
    write("picture.png", Buffer.from([1]));
    write(".hidden/a.md", "Hidden");
    write("node_modules/b/readme.md", "A package");
    execFileSync("mkfifo", [`${top}/pipe.md`]);
    expect(await sync()).toMatchObject({ files: 1, read: 3 });
    expect(await list()).toEqual(["good.md"]);
    expect((await status()).extraPaths[0]).toMatchObject({ files: 1, skipped: 4, failed: 0 });
    expect(await sync()).toMatchObject({ files: 1, read: 0 });
    // A file whose new content cannot be memory is forgotten.
    write("good.md", Buffer.from([0, 1, 2]));
    expect(await sync()).toMatchObject({ files: 0, deleted: 1 });
  });

  test("names are kept in one Unicode form; a control character or backslash in a name leaves the file out", async () => {
    write("cafe\u0301.md", "Decomposed");
    write("日本語/メモ.md", "Japanese");
    write("line\nbreak.md", "Broken");
    write("back\\slash.md", "Broken");
    await sync();
    expect(await list()).toEqual(["caf\u00e9.md", "日本語/メモ.md"]);
    expect((await get(`${top}/caf\u00e9.md`)).text).toBe("Decomposed");
    expect(await sync()).toMatchObject({ read: 0, deleted: 0 });
  });

  test("a hard link is a file like any other; two folders that overlap have it once", async () => {
    write("sub/a.md", "Alpha");
    linkSync(`${top}/sub/a.md`, `${top}/b.md`);
    await set({ extraPaths: [top, `${top}/sub`] });
    expect(await sync()).toMatchObject({ files: 2 });
    expect(await list()).toEqual(["b.md", "sub/a.md"]);
  });
});

describe("settings", () => {
  test("a pattern chooses, a single file needs none, and what is taken out is forgotten", async () => {
    write("a.md", "Alpha");
    write("b.log", "Beta");
    write("c/d.log", "Delta");
    await set({ extraPaths: [{ path: top, pattern: "**/*.log" }] });
    await sync();
    expect(await list()).toEqual(["b.log", "c/d.log"]);
    await set({ extraPaths: [`${top}/b.log`] });
    await sync();
    expect(await list()).toEqual(["b.log"]);
    await set({ extraPaths: null });
    await sync();
    expect(await list()).toEqual([]);
    expect((await status()).extraPaths).toEqual([]);
  });
});

describe("a folder that cannot be looked at", () => {
  afterEach(() => rmSync(root.at("elsewhere"), { recursive: true, force: true }));

  test("missing or empty, as if it were not mounted: nothing is deleted, and the status says so", async () => {
    write("a.md", "Alpha");
    await sync();
    renameSync(top, root.at("elsewhere"));
    expect(await sync()).toMatchObject({ deleted: 0 });
    expect((await status()).extraPaths[0]).toMatchObject({ error: expect.stringContaining("cannot be read") });
    mkdirSync(top);
    expect(await sync()).toMatchObject({ deleted: 0 });
    expect((await status()).extraPaths[0]).toMatchObject({ error: expect.stringContaining("not mounted") });
    expect(await list()).toEqual(["a.md"]);
    rmSync(top, { recursive: true });
    renameSync(root.at("elsewhere"), top);
    await sync();
    expect((await status()).extraPaths[0]?.error).toBeUndefined();
  });

  test("a link that leads out of the allowed folders keeps what was there, and shows nothing of where it leads", async () => {
    write("a.md", "Alpha");
    await sync();
    const outside = extraFolder();
    outside.write("a.md", "Secret");
    renameSync(top, root.at("elsewhere"));
    symlinkSync(outside.path, top);
    expect(await sync()).toMatchObject({ read: 0, deleted: 0 });
    expect((await status()).extraPaths[0]?.error).toContain("leads out");
    expect((await get(`${top}/a.md`)).text).toBe("Alpha");
    rmSync(top);
    outside.remove();
  });

  test("a root that the operator has withdrawn is not read any more", async () => {
    write("a.md", "Alpha");
    await sync();
    write("b.md", "Beta");
    const { deps } = app.runtime;
    await syncNow({ ...deps, defaults: { ...deps.defaults, extraPathRoots: [] } }, id);
    expect(await list()).toEqual(["a.md"]);
    expect((await status()).extraPaths[0]?.error).toContain("does not allow");
  });
});

describe("with the rest of an agent", () => {
  test("limits hold, the files that fit are stored, and the others are counted", async () => {
    for (let i = 0; i < 60; i++) write(`n${String(i).padStart(2, "0")}.md`, `Note ${i}`);
    await app.call("PATCH", `/v1/agents/${id}`, { limits: { files: 10 } });
    await sync();
    expect(await list()).toHaveLength(10);
    const [found] = (await status()).extraPaths;
    expect(found).toMatchObject({ files: 10, failed: 50, error: expect.stringContaining("no room for 50 files") });
    // Stored files are still kept up to date, and the rest is not read again and again.
    expect((await sync()).read).toBeLessThanOrEqual(50);
    await app.call("PATCH", `/v1/agents/${id}`, { limits: { files: 100 } });
    await sync();
    expect(await list()).toHaveLength(60);
    const { body } = await app.call<{ usage: { files: number } }>("GET", `/v1/agents/${id}`);
    expect(body.usage.files).toBe(60);
  });

  test("a sync whose turn is over deletes nothing, keeps what it has read, and is done again", async () => {
    for (let i = 0; i < 5; i++) write(`n${i}.md`, `Note ${i}`);
    await sync();
    rmSync(`${top}/n0.md`);
    for (let i = 5; i < 9; i++) write(`n${i}.md`, `Note ${i}`);
    const { deps } = app.runtime;
    const caller = jobCaller(DEFAULT_TENANT_ID);
    const agent = await findKnownAgent(deps, caller, "agent:write", id);
    // Each sync has time for one file. The last one reads no file, so its time is enough.
    const results: unknown[] = [];
    for (let turn = 0; turn < 5 && agent; turn++)
      results.push(await syncExtraPaths(deps, agent, AbortSignal.abort()), (await list()).length);
    expect(results).toEqual(["unfinished", 6, "unfinished", 7, "unfinished", 8, "unfinished", 9, "done", 8]);
    await syncNow(deps, id, AbortSignal.abort());
    expect((await status()).jobs.sync?.waiting).toBeGreaterThan(0);
  });

  test("they are in a new index, and an erasure takes them with it", async () => {
    write("a.md", "A zeppelin");
    await sync();
    await set({ chunking: { tokens: 200, overlap: 20 } });
    const worker = await startTestApp({ on: app, env: { RECOLLECT_EXTRA_PATH_ROOTS: root.path } });
    await worker.embedded(id);
    await until(async () => (await status()).reindex.state === "none");
    expect((await app.search("zeppelin", {}, id)).results[0]).toMatchObject({ path: `${top}/a.md` });
    const erased = await app.call<{ counts: { files: number } }>("DELETE", `/v1/agents/${id}`);
    expect(erased.body.counts.files).toBe(1);
    await worker.drop();
  });
});
