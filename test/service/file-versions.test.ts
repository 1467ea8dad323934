import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { checkAgents } from "../support/check-agent.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

interface Version {
  version: string;
  path: string;
  hash: string;
  writtenBy: string | null;
  endedBy: string;
  deleted: boolean;
}
interface Versions {
  current: { hash: string; writtenBy: string | null } | null;
  versions: Version[];
  nextCursor?: string;
}
type Failed = { code: string; details?: Record<string, unknown> };

describe("versions of files", () => {
  let app: TestApp;
  let agent: string;
  let agents = 0;
  beforeAll(async () => {
    app = await startTestApp({ embedder: undefined });
  });
  afterAll(async () => {
    await app.rested();
    const problems = await checkAgents(app.db, () => []);
    await app.drop();
    expect(problems).toEqual([]);
  });
  beforeEach(() => {
    agent = `versions${++agents}`;
  });

  const at = (path: string) => `/v1/agents/${agent}/${path}`;
  const get = async <T = Failed>(path: string) => (await app.call<T>("GET", at(path))).body;
  const put = (path: string, content: string) => app.put(path, content, agent);
  const list = (path: string, more = "") => get<Versions>(`versions?path=${encodeURIComponent(path)}${more}`);
  const text = async (version: string) => (await get<{ content: string }>(`versions/${version}`)).content;
  const texts = async (path: string) => Promise.all((await list(path)).versions.map((one) => text(one.version)));
  const restore = (version: string, headers?: Record<string, string>) =>
    app.call<Failed & { status: string; path: string }>(
      "POST",
      at(`versions/${version}/restore`),
      {},
      undefined,
      headers,
    );
  const content = async (path: string) => (await get<{ content?: string }>(`files/${path}`)).content;
  const usage = async () => {
    const { body } = await app.call<{ usage: { bytes: number; historyBytes: number } }>("GET", `/v1/agents/${agent}`);
    const { usage } = body;
    return { bytes: usage.bytes, history: usage.historyBytes };
  };
  const set = async (change: object) => {
    const { status } = await app.call("PATCH", `/v1/agents/${agent}`, change);
    expect(status).toBe(200);
  };

  test("every change keeps what the file said before, and says who changed it", async () => {
    const key = await app.key(["agent:write", "agent:read"]);
    await put("a.md", "one\n");
    expect((await list("a.md")).versions).toEqual([]);
    await app.call("PUT", at("files/a.md"), { content: "two\n" }, key);
    await app.call("POST", at("tools/memory"), {
      command: "str_replace",
      path: "/memories/a.md",
      old_str: "two",
      new_str: "three",
    });
    const { current, versions } = await list("a.md");
    expect(await texts("a.md")).toEqual(["two\n", "one\n"]);
    const prefix = key.slice(0, versions[0]?.writtenBy?.length);
    expect(versions.map(({ writtenBy, endedBy, deleted }) => [writtenBy, endedBy, deleted])).toEqual([
      [prefix, "local tool:memory", false],
      ["local", prefix, false],
    ]);
    expect(current).toMatchObject({ writtenBy: "local tool:memory" });
    expect(await usage()).toEqual({ bytes: 6, history: 8 });
  });

  test("a write of the same text makes no version", async () => {
    await put("a.md", "one");
    await put("a.md", "one");
    expect((await list("a.md")).versions).toEqual([]);
  });

  test("files that are written together each keep theirs", async () => {
    const paths = Array.from({ length: 20 }, (_, i) => `n${i}.md`);
    await Promise.all(paths.map((path) => put(path, `old ${path}`)));
    await Promise.all(paths.map((path) => put(path, `new ${path}`)));
    for (const path of paths) expect(await texts(path)).toEqual([`old ${path}`]);
  });

  test("a deleted file is listed, read and restored, and its history goes on", async () => {
    await put("notes/a.md", "one");
    await put("notes/a.md", "two");
    await put("b.md", "b");
    await app.call("DELETE", at("files/notes/a.md"));
    const { versions } = await get<Versions>("deleted-files");
    expect(versions).toMatchObject([{ path: "notes/a.md", deleted: true, endedBy: "local" }]);
    expect(await get("deleted-files?prefix=other/")).toEqual({ versions: [] });
    const [last] = versions;
    expect((await restore(last?.version ?? "")).body).toMatchObject({ path: "notes/a.md", status: "created" });
    expect(await content("notes/a.md")).toBe("two");
    expect(await get("deleted-files")).toEqual({ versions: [] });
    expect(await texts("notes/a.md")).toEqual(["two", "one"]);
    expect((await list("notes/a.md")).current).toMatchObject({ writtenBy: "local restore" });
    expect((await app.search("two", {}, agent)).results.map((hit) => hit.path)).toEqual(["notes/a.md"]);
  });

  test("restoring is a write: it can depend on what stands there, and can be undone", async () => {
    await put("a.md", "one");
    await put("a.md", "two");
    const [old] = (await list("a.md")).versions;
    const refused = await restore(old?.version ?? "", { "if-match": `"${old?.hash}"` });
    expect([refused.status, refused.body.code]).toEqual([412, "file_changed"]);
    expect((await restore(old?.version ?? "", { "if-match": "*" })).status).toBe(200);
    expect(await content("a.md")).toBe("one");
    expect(await texts("a.md")).toEqual(["two", "one"]);
  });

  test("a path that ends in /versions is a file like any other", async () => {
    await put("a.md", "one");
    await put("a.md/versions", "x");
    await put("a.md/versions", "y");
    expect(await content("a.md/versions")).toBe("y");
    expect(await texts("a.md/versions")).toEqual(["x"]);
    expect((await list("a.md")).versions).toEqual([]);
  });

  test("texts come back byte for byte", async () => {
    const odd = "\uFEFFeins\r\nzwei\u2028drei 🙂";
    await put("odd.md", odd);
    await put("odd.md", "");
    await put("odd.md", "x");
    expect(await texts("odd.md")).toEqual(["", odd]);
  });

  test("a diff is what patch takes, of two versions or of one and now", async () => {
    await put("a.md", "one\ntwo\nthree\n");
    await put("a.md", "one\n2\nthree\n");
    await put("a.md", "one\n2\nthree\nfour");
    const [second, first] = (await list("a.md")).versions.map((one) => one.version);
    const { diff } = await get<{ diff: string }>(`versions/${first}/diff?to=${second}`);
    expect(diff).toBe("--- a/a.md\n+++ b/a.md\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n");
    expect((await get<{ diff: string }>(`versions/${second}/diff`)).diff).toContain(
      "+four\n\\ No newline at end of file",
    );
    await put("b.md", "b");
    await put("b.md", "c");
    const [other] = (await list("b.md")).versions;
    expect((await get(`versions/${first}/diff?to=${other?.version}`)).code).toBe("invalid_request");
  });

  test("a listing is read page by page", async () => {
    for (let i = 0; i < 6; i++) await put("a.md", `${i}`);
    const pages: string[][] = [];
    for (let cursor = ""; ; ) {
      const page = await list("a.md", `&limit=2${cursor}`);
      pages.push(await Promise.all(page.versions.map((one) => text(one.version))));
      if (page.nextCursor === undefined) break;
      cursor = `&cursor=${page.nextCursor}`;
    }
    expect(pages).toEqual([["4", "3"], ["2", "1"], ["0"]]);
  });

  test("history takes what the limit of bytes leaves: the oldest versions go, files are never refused for it", async () => {
    await put("a.md", "");
    await set({ limits: { bytes: 100 } });
    for (const letter of "abcd") await put("a.md", letter.repeat(30));
    expect(await texts("a.md")).toEqual(["c".repeat(30), "b".repeat(30)]);
    expect(await usage()).toEqual({ bytes: 30, history: 60 });
    expect((await put("b.md", "b".repeat(65))).status).toBe(200);
    expect(await usage()).toEqual({ bytes: 95, history: 0 });
    expect((await put("c.md", "c".repeat(10))).status).toBe(413);
    await app.call("DELETE", at("files/b.md"));
    expect(await usage()).toEqual({ bytes: 30, history: 65 });
  });

  test("a limit of the tenant makes room in the same way", async () => {
    const tenantId = await app.tenant("small");
    const key = await app.key(["tenant"], { tenantId });
    await app.call("PATCH", "/v1/tenant", { limits: { bytes: 100 } }, undefined, { "recollect-tenant": tenantId });
    const write = (content: string) => app.call("PUT", "/v1/agents/main/files/a.md", { content }, key);
    for (const letter of "abcde") expect((await write(letter.repeat(40))).status).toBe(200);
    const { body } = await app.call<{ usage: object }>("GET", "/v1/agents/main", undefined, key);
    expect(body.usage).toMatchObject({ bytes: 40, historyBytes: 40 });
  });

  test("what snapshots keep counts for the limit, however small the change of what is there", async () => {
    await put("a.md", "a".repeat(40));
    await set({ limits: { bytes: 100 } });
    const snapshot = (name: string) => app.call("POST", at("snapshots"), { name });
    await snapshot("one");
    expect((await put("a.md", "b".repeat(40))).status).toBe(200);
    expect((await put("a.md", "c".repeat(40))).status).toBe(200);
    await snapshot("two");
    expect((await put("a.md", "d".repeat(40))).status).toBe(413);
    expect(await usage()).toEqual({ bytes: 40, history: 40 });
    await app.call("DELETE", at("snapshots/one"));
    expect((await put("a.md", "d".repeat(40))).status).toBe(200);
    expect(await usage()).toEqual({ bytes: 40, history: 40 });
    expect((await app.call("DELETE", at("files/a.md"))).status).toBe(200);
  });

  test("what snapshots keep counts for the tenant's limit", async () => {
    const tenantId = await app.tenant("kept");
    const key = await app.key(["tenant"], { tenantId });
    await app.call("PATCH", "/v1/tenant", { limits: { bytes: 100 } }, undefined, { "recollect-tenant": tenantId });
    const write = (content: string) => app.call("PUT", "/v1/agents/main/files/a.md", { content }, key);
    const snapshot = (name: string) => app.call("POST", "/v1/agents/main/snapshots", { name }, key);
    const statuses: number[] = [];
    for (const letter of "abcd") {
      statuses.push((await write(letter.repeat(40))).status);
      await snapshot(letter);
    }
    expect(statuses).toEqual([200, 200, 413, 413]);
    const { body } = await app.call<{ usage: object }>("GET", "/v1/agents/main", undefined, key);
    expect(body.usage).toMatchObject({ bytes: 40, historyBytes: 40 });
  });

  test("without days nothing is kept", async () => {
    await put("a.md", "one");
    await set({ settings: { history: { retentionDays: 0 } } });
    await put("a.md", "two");
    await app.call("DELETE", at("files/a.md"));
    expect(await list("a.md")).toMatchObject({ current: null, versions: [] });
    expect(await usage()).toEqual({ bytes: 0, history: 0 });
  });

  test("versions of a path can be forgotten for good", async () => {
    await put("a.md", "secret");
    await put("a.md", "public");
    await put("b.md", "1");
    await put("b.md", "2");
    const gone = await app.call<{ versions: number }>("DELETE", at("versions?path=a.md"));
    expect(gone.body).toEqual({ path: "a.md", versions: 1 });
    expect(await usage()).toEqual({ bytes: 7, history: 1 });
    expect(await content("a.md")).toBe("public");
  });

  test("a version that there is not is not found, whoever asks", async () => {
    await put("a.md", "one");
    expect(await get("versions/999999")).toMatchObject({ code: "version_not_found" });
    expect((await restore("999999")).body.code).toBe("version_not_found");
    await put("a.md", "two");
    const [version] = (await list("a.md")).versions;
    const other = await app.call<Failed>("GET", `/v1/agents/main/versions/${version?.version}`);
    expect(other.body.code).toBe("version_not_found");
  });
});
