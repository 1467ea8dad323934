import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { formatMemory, type MemoryMetadata } from "../../../src/adapters/langchain/retriever.ts";
import type { SearchHit } from "../../../src/service/search/search-schemas.ts";
import { answerOf, connectClient } from "../../support/mcp-client.ts";
import { type ErrorBody, startTestApp, type TestApp } from "../../support/test-app.ts";

const PLACE = "@handbook/rules.md";
const REFUSED = { status: 400, body: { error: { code: "invalid_path", message: expect.stringContaining("'@'") } } };

describe("the names of shared memories", () => {
  let app: TestApp;
  const at = (agent: string, rest: string) => `/v1/agents/${agent}/${rest}`;
  const share = (reader: string) => app.call("PUT", at("handbook", `shares/${reader}`), {});
  const take = (reader: string) => app.call("PUT", at(reader, "reads/handbook"), {});
  const get = async (agent: string, path = PLACE) =>
    (await app.call<{ text: string; path: string; sharedBy?: string }>("POST", at(agent, "tools/memory_get"), { path }))
      .body;
  const found = async (agent: string, more: object = {}) =>
    (await app.search("refund approved", { minScore: 0, ...more }, agent)).results;
  /** Stores a file as a version of Recollect did that reserved no names. */
  const storeBefore = async (agent: string, path: string, content: string) => {
    await app.put("before.md", content, agent);
    const { rows } = await app.db.executeSql<{ schema: string }>(
      "SELECT schema_name AS schema FROM recollect.agents WHERE id = $1",
      [agent],
    );
    await app.db.executeSql(`UPDATE ${rows[0]?.schema}.files SET path = $1 WHERE path = 'before.md'`, [path]);
  };

  beforeAll(async () => {
    app = await startTestApp({ embedder: undefined });
    await app.put("rules.md", "A refund over 500 euro is approved by Ottilie.", "handbook");
    await app.put("own.md", "A note of the support team.", "support");
    await share("support");
  });
  afterAll(() => app.drop());

  test.each([PLACE, "@nobody/a.md", "@types/node/readme.md", "@/a.md", "@handbook/a/b/c.md"])(
    "%s is no path for a file of one's own, also before anything is shared",
    async (path) => {
      expect(await app.put(path, "Mine", "support")).toMatchObject(REFUSED);
      const put = [
        { path: "fine.md", content: "Fine" },
        { path, content: "Mine" },
      ];
      expect(await app.call("POST", at("support", "files"), { put, origin: "folder" })).toMatchObject(REFUSED);
      expect((await app.call("GET", at("support", "files/fine.md"))).status).toBe(404);
      expect(await app.call("POST", at("support", "ingest/text"), { path, content: "Mine" })).toMatchObject(REFUSED);
    },
  );

  test("an `@` elsewhere, or in the name of a file at the top, is one like any", async () => {
    for (const path of ["notes/@handbook/rules.md", "@todo.md", "mail/a@b.md"])
      expect([path, (await app.put(path, "Mine", "support")).status]).toEqual([path, 200]);
  });

  test("a model's file tool gets a sentence, for a new file and for a new name", async () => {
    const run = (command: object) =>
      app.call<{ content: string; is_error?: true }>("POST", at("support", "tools/memory"), command);
    for (const command of [
      { command: "create", path: `/memories/${PLACE}`, file_text: "Mine" },
      { command: "rename", old_path: "/memories/own.md", new_path: `/memories/${PLACE}` },
      { command: "rename", old_path: "/memories/notes", new_path: "/memories/@handbook" },
    ]) {
      const { body } = await run(command);
      expect([body.is_error, body.content]).toEqual([true, expect.stringContaining("reserved")]);
    }
    expect((await app.call("GET", at("support", "files/own.md"))).status).toBe(200);
  });

  test("an archive with such a file is not imported, one with such a version is without it", async () => {
    await app.put("own.md", "A note.", "packed");
    await app.put("own.md", "A note, changed.", "packed");
    const exported = await app.runtime.app.request(at("packed", "archive"));
    const whole = gunzipSync(Buffer.from(await exported.arrayBuffer())).toString();
    const headers = { "content-type": "application/gzip" };
    const load = (as: string, text: string) =>
      app.runtime.app.request(`/v1/archives?as=${as}`, {
        method: "POST",
        headers,
        body: new Uint8Array(gzipSync(text)),
      });
    const renamed = (type: string, text: string) =>
      text.replace(new RegExp(`^(\\{"type":"${type}".*?)"path":"own.md"`, "m"), `$1"path":"${PLACE}"`);
    expect(renamed("file", whole)).toContain(PLACE);
    const refused = await load("copy", renamed("file", whole));
    const body = (await refused.json()) as ErrorBody;
    expect([refused.status, body.error.code]).toEqual([400, "archive_invalid"]);
    expect(body.error.message).toContain(PLACE);
    expect((await app.call("GET", "/v1/agents/copy")).status).toBe(404);
    expect(renamed("version", whole)).toContain(PLACE);
    const loaded = await load("copy", renamed("version", whole));
    expect(loaded.status).toBe(201);
    const versions = await app.call<{ versions: unknown[] }>("GET", at("copy", `versions?path=${PLACE}`));
    expect(versions.body.versions ?? []).toEqual([]);
  });

  test("a file from before can be read and deleted, and goes under when the memory of that name is read", async () => {
    await storeBefore("old", PLACE, "A refund is approved by nobody.");
    expect((await get("old")).text).toContain("nobody");
    expect((await found("old")).map((hit) => hit.path)).toEqual([PLACE]);
    expect(await app.put(PLACE, "Changed", "old")).toMatchObject(REFUSED);
    await share("old");
    await take("old");
    const hits = await found("old");
    expect(hits.map(({ path, sharedBy }) => [path, sharedBy])).toEqual([[PLACE, "handbook"]]);
    expect(await get("old")).toMatchObject({ text: expect.stringContaining("Ottilie"), sharedBy: "handbook" });
    const asked = { query: "what does rules.md say", minScore: 0 };
    const named = await app.search(asked.query, asked, "old");
    expect(named.results.filter((hit) => hit.path === PLACE).every((hit) => hit.sharedBy === "handbook")).toBe(true);
    const { body } = await app.call<{ quotes: { path: string }[] }>("POST", at("old", "recall"), {
      message: "who approved the refund",
      isAsked: true,
    });
    expect((body.quotes ?? []).map(({ path }) => path)).not.toContain(PLACE);
    expect((await app.call<{ content: string }>("GET", at("old", `files/${PLACE}`))).body.content).toContain("nobody");
    expect((await app.call("DELETE", at("old", `files/${PLACE}`))).status).toBe(200);
  });

  test("a rollback leaves such a file as it is", async () => {
    await storeBefore("rolled", PLACE, "A refund is approved by nobody.");
    await app.call("POST", at("rolled", "snapshots"), { name: "before" });
    await app.put("new.md", "New", "rolled");
    await app.call("DELETE", at("rolled", `files/${PLACE}`));
    const rolled = await app.call<{ files: { lost: string[]; added: string[] } }>(
      ...(["POST", at("rolled", "snapshots/before/rollback"), {}] as const),
    );
    expect(rolled).toMatchObject({ status: 200, body: { files: { lost: [PLACE], added: ["new.md"] } } });
    expect((await app.call("GET", at("rolled", `files/${PLACE}`))).status).toBe(404);
  });

  test("every answer names who shares a passage", async () => {
    await take("support");
    const [hit] = await found("support", { includeText: true });
    expect(hit).toMatchObject({ path: PLACE, sharedBy: "handbook" });
    expect(await get("support")).toMatchObject({ path: PLACE, sharedBy: "handbook" });
    expect(await get("support", "own.md")).not.toHaveProperty("sharedBy");
    const client = await connectClient(app, { agent: "support" });
    const searched = answerOf(await client.callTool({ name: "memory_search", arguments: { query: "refund" } }));
    expect(searched).toMatchObject({ results: [{ path: PLACE, sharedBy: "handbook" }] });
    const read = answerOf(await client.callTool({ name: "memory_get", arguments: { path: PLACE } }));
    expect(read).toMatchObject({ path: PLACE, sharedBy: "handbook" });
    await client.close();
    const { snippet, text, ...metadata } = hit as SearchHit;
    const document = { pageContent: text ?? snippet, metadata: metadata as MemoryMetadata };
    expect(formatMemory([document])).toContain("(@handbook/rules.md#L1, shared by handbook)");
  });

  test("a sharer whose memory is switched off is neither searched nor read", async () => {
    const settle = (settings: object) => app.call("PATCH", "/v1/agents/handbook", { settings });
    expect((await settle({ enabled: false })).status).toBe(200);
    expect((await found("support")).some((hit) => hit.sharedBy)).toBe(false);
    expect(await get("support")).toMatchObject({ status: "not_found", text: "" });
    await settle({ enabled: null });
    expect((await get("support")).text).toContain("Ottilie");
    // A source that the sharer's settings exclude from searches cannot be read either.
    await settle({ sources: ["facts"] });
    expect((await found("support")).some((hit) => hit.sharedBy)).toBe(false);
    expect(await get("support")).toMatchObject({ status: "not_found", text: "" });
    await settle({ sources: null });
    expect((await get("support")).text).toContain("Ottilie");
  });
});
