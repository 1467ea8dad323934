import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { originOf } from "../../src/cli/folder/origin-of.ts";
import type { SyncSummary } from "../../src/cli/folder/sync-report.ts";
import { runCaptured } from "../support/cli-harness.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

describe("a sync and what others wrote, on the real service", () => {
  let app: TestApp;
  let home: string;
  let agent: string;
  let agents = 0;
  /** Runs before a batch is sent, like another writer at that moment. */
  let beforeBatch: (() => Promise<unknown>) | undefined;
  beforeAll(async () => {
    app = await startTestApp({ worker: false });
  });
  afterAll(() => app.drop());
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "recollect-origins-"));
    beforeBatch = undefined;
    agent = `origins${++agents}`;
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  const write = (path: string, content: string) => {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), content);
  };
  const remove = (path: string) => rmSync(join(home, path));
  const connect = async () => ({
    fetch: async (path: string, init?: RequestInit) => {
      if (init?.method === "POST" && path.endsWith("/files")) await beforeBatch?.();
      return app.runtime.app.request(path, init);
    },
    close: async () => undefined,
    description: "this process",
  });
  const run = (folder: string, ...options: string[]) =>
    runCaptured(["sync", folder, "--no-wait", "--agent", agent, ...options], { connect, cwd: home });
  const sync = async (folder: string, ...options: string[]) => {
    const { code, out } = await run(folder, "--json", ...options);
    return { code, ...(JSON.parse(out) as SyncSummary) };
  };
  const contents = async () => {
    const { body } = await app.call<{ files: { path: string }[] }>("GET", `/v1/agents/${agent}/files?limit=1000`);
    const one = async ({ path }: { path: string }) =>
      [path, (await app.call<{ content: string }>("GET", `/v1/agents/${agent}/files/${path}`)).body.content] as const;
    return Object.fromEntries(await Promise.all(body.files.map(one)));
  };

  test("what was written through the API stays; what the folder sent and no longer has goes", async () => {
    write("notes/a.md", "A");
    write("notes/b.md", "B");
    await sync("notes");
    await app.put("memory/today.md", "The agent's own.", agent);
    remove("notes/b.md");
    expect(await sync("notes")).toMatchObject({ code: 0, unchanged: 1, removed: 1, kept: 1, conflicts: [] });
    expect(await contents()).toEqual({ "a.md": "A", "memory/today.md": "The agent's own." });
    expect((await run("notes")).out).toMatch(/^sent 0 · unchanged 1 · removed 0 · of others 1 · skipped 0 · /);
  });

  test("what another folder sent stays, and each removes its own", async () => {
    write("notes/a.md", "A");
    write("docs/guide.md", "Guide");
    await sync("notes");
    expect(await sync("docs")).toMatchObject({ code: 0, sent: 1, removed: 0, kept: 1 });
    expect(await sync("notes")).toMatchObject({ code: 0, sent: 0, removed: 0, kept: 1 });
    remove("docs/guide.md");
    expect(await sync("docs", "--allow-empty")).toMatchObject({ code: 0, removed: 1 });
    expect(await contents()).toEqual({ "a.md": "A" });
  });

  test("a file that the agent has edited is neither overwritten nor deleted, until --take-over says so", async () => {
    write("notes/a.md", "A");
    write("notes/b.md", "B");
    await sync("notes");
    await app.put("a.md", "A, edited by the agent", agent);
    await app.put("b.md", "B, edited by the agent", agent);
    write("notes/a.md", "A, edited on disk");
    remove("notes/b.md");
    const refused = await run("notes");
    expect(refused.code).toBe(1);
    expect(refused.out).toMatch(
      /of others 1 · .*conflicts 1 \(named below\).*\n {2}conflict a\.md: an agent or program /,
    );
    expect(refused.err).toMatch(/--take-over replaces them with this folder's files\. \(origin_conflict\)\n$/);
    expect(await contents()).toEqual({ "a.md": "A, edited by the agent", "b.md": "B, edited by the agent" });
    expect(await sync("notes", "--take-over")).toMatchObject({ code: 0, sent: 1, removed: 0, kept: 1 });
    expect(await contents()).toEqual({ "a.md": "A, edited on disk", "b.md": "B, edited by the agent" });
    // The file belongs to the folder again.
    write("notes/a.md", "A3");
    expect(await sync("notes")).toMatchObject({ code: 0, sent: 1 });
  });

  test("a dry run names what would be sent, adopted, removed, kept and left, and does nothing", async () => {
    write("notes/gone.md", "Gone");
    write("notes/mine.md", "Mine");
    await sync("notes");
    for (const path of ["theirs.md", "same.md", "only/there.md"]) await app.put(path, path, agent);
    remove("notes/gone.md");
    for (const path of ["theirs.md", "new.md"]) write(`notes/${path}`, "From disk");
    write("notes/same.md", "same.md");
    const before = await contents();
    const { code, out } = await run("notes", "--dry-run");
    expect(code).toBe(1);
    expect(out).toMatch(
      /^would send new\.md\nwould adopt same\.md\nwould remove gone\.md\nwould keep only\/there\.md: written by an agent or program\nwould send 1 · unchanged 2 · would adopt 1 · would remove 1 · of others 1 · .*\n {2}conflict theirs\.md: .*\n$/,
    );
    expect(await sync("notes", "--dry-run")).toMatchObject({
      origin: await originOf(join(home, "notes"), ""),
      wouldSend: ["new.md"],
      wouldAdopt: ["same.md"],
      wouldRemove: ["gone.md"],
      wouldKeep: [{ path: "only/there.md", origin: null }],
      conflicts: [{ path: "theirs.md" }],
    });
    expect(await contents()).toEqual(before);
  });

  test("files of before origins are adopted when they are equal; others are conflicts, and stay when the folder has them not", async () => {
    for (const path of ["same.md", "other.md", "gone.md"]) await app.put(path, path, agent);
    write("notes/same.md", "same.md");
    write("notes/other.md", "changed");
    const asked = app.embedder.asked.length;
    expect(await sync("notes")).toMatchObject({
      code: 1,
      sent: 0,
      adopted: 1,
      kept: 1,
      conflicts: [{ path: "other.md" }],
    });
    expect(app.embedder.asked).toHaveLength(asked);
    expect(await sync("notes", "--take-over")).toMatchObject({ code: 0, sent: 1, adopted: 0, kept: 1 });
    remove("notes/same.md");
    expect(await sync("notes")).toMatchObject({ code: 0, removed: 1 });
    expect(await contents()).toEqual({ "gone.md": "gone.md", "other.md": "changed" });
  });

  test("a folder that has moved says under which name it was known, and goes on under it or takes over", async () => {
    write("notes/a.md", "A");
    write("notes/b.md", "B");
    const { origin } = await sync("notes");
    renameSync(join(home, "notes"), join(home, "moved"));
    remove("moved/b.md");
    const moved = await run("moved");
    expect(moved.code).toBe(0);
    expect(moved.err).toContain(`--origin "${origin}" goes on under that name`);
    expect(await contents()).toHaveProperty(["b.md"]);
    expect(await sync("moved", "--origin", origin)).toMatchObject({ code: 0, removed: 1, shared: [] });
    expect(await sync("moved", "--take-over")).toMatchObject({ code: 0, adopted: 1 });
    expect(await sync("moved")).toMatchObject({ code: 0, unchanged: 1, adopted: 0, shared: [] });
    // With an origin of its own a folder can be anywhere, as in a pipeline.
    await sync("moved", "--take-over", "--origin", "wiki");
    renameSync(join(home, "moved"), join(home, "again"));
    expect(await sync("again", "--origin", "wiki")).toMatchObject({ code: 0, unchanged: 1, shared: [] });
    expect((await run("again", "--origin", "a\nb")).code).toBe(2);
  });

  test("one folder under two prefixes is two origins", async () => {
    write("notes/a.md", "A");
    await sync("notes");
    await sync("notes", "--prefix", "copy");
    expect(await sync("notes")).toMatchObject({ removed: 0, kept: 1 });
    expect(Object.keys(await contents())).toEqual(["a.md", "copy/a.md"]);
  });

  test("who writes between the look and the sending keeps what he wrote, and the rest of the batch is stored", async () => {
    write("notes/put.md", "1");
    write("notes/gone.md", "1");
    write("notes/old.md", "moved");
    await sync("notes");
    write("notes/put.md", "2");
    write("notes/new.md", "new");
    remove("notes/gone.md");
    renameSync(join(home, "notes/old.md"), join(home, "notes/name.md"));
    beforeBatch = async () => {
      beforeBatch = undefined;
      for (const path of ["put.md", "gone.md", "old.md"]) await app.put(path, "The agent's", agent);
    };
    const result = await sync("notes");
    expect(result).toMatchObject({ code: 1, sent: 2, removed: 0, failed: [] });
    expect(result.conflicts.map(({ path }) => path).toSorted()).toEqual(["gone.md", "old.md", "put.md"]);
    const agents = Object.fromEntries(["put.md", "gone.md", "old.md"].map((path) => [path, "The agent's"]));
    expect(await contents()).toEqual({ ...agents, "new.md": "new", "name.md": "moved" });
  });
});
