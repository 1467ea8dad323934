import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ErrorBody, startTestApp, type TestApp } from "../support/test-app.ts";

const JSON_TYPE = { "content-type": "application/json" };
const SEARCH = "/v1/agents/main/tools/memory_search";
const GET = "/v1/agents/main/tools/memory_get";

describe("bad input is a clear 4xx that changes nothing", () => {
  let app: TestApp;
  let before: string;
  beforeAll(async () => {
    app = await startTestApp({ worker: false });
    await app.put("kept.md", "# Kept\n\nThe quick brown fox.");
    before = await state();
  });
  afterAll(() => app.drop());

  /** Returns every file of every agent as text. */
  async function state(): Promise<string> {
    const { rows } = await app.db.executeSql<{ id: string; schema: string }>(
      "SELECT id, schema_name AS schema FROM recollect.agents ORDER BY id",
    );
    const files = await Promise.all(
      rows.map((row) => app.db.executeSql(`SELECT path, content FROM ${row.schema}.files ORDER BY path`)),
    );
    return JSON.stringify(rows.map((row, index) => [row.id, files[index]?.rows]));
  }

  async function send(
    method: string,
    path: string,
    body: string | Uint8Array<ArrayBuffer>,
    headers: Record<string, string> = JSON_TYPE,
  ) {
    const response = await app.runtime.app.request(path, { method, body, headers });
    return { status: response.status, body: (await response.json()) as ErrorBody };
  }

  const put = (path: string, body: string | Uint8Array<ArrayBuffer>) =>
    send("PUT", `/v1/agents/main/files/${path}`, body);
  const search = (body: unknown) => send("POST", SEARCH, JSON.stringify(body));
  const forProgram = (body: unknown) => send("POST", "/v1/agents/main/search", JSON.stringify(body));
  const fox = { content: "fox" };

  const cases: [string, number, string, () => Promise<{ status: number; body: ErrorBody }>][] = [
    ["invalid JSON", 400, "invalid_json", () => put("a.md", '{"content": ')],
    ["no JSON at all", 400, "invalid_json", () => put("a.md", "")],
    [
      "a body that is not declared as JSON",
      415,
      "unsupported_media_type",
      () => send("PUT", "/v1/agents/main/files/a.md", "# Hi", { "content-type": "text/markdown" }),
    ],
    ["an unknown field", 400, "invalid_request", () => put("a.md", JSON.stringify({ ...fox, colour: "red" }))],
    ["a missing field", 400, "invalid_request", () => put("a.md", "{}")],
    ["content that is a number", 400, "invalid_request", () => put("a.md", '{"content": 5}')],
    ["a bad mtime", 400, "invalid_request", () => put("a.md", JSON.stringify({ ...fox, mtime: "yesterday" }))],
    ["NUL bytes in a file", 400, "invalid_encoding", () => put("a.md", JSON.stringify({ content: "a\u0000b" }))],
    ["NUL bytes in a query", 400, "invalid_encoding", () => search({ query: "a\u0000b" })],
    [
      "invalid UTF-8",
      400,
      "invalid_encoding",
      () => put("a.md", Uint8Array.from([...Buffer.from('{"content":"'), 0xff, 0xfe, ...Buffer.from('"}')])),
    ],
    [
      "a byte order mark, behind which values would not be counted",
      400,
      "invalid_json",
      () => put("a.md", Uint8Array.from([0xef, 0xbb, 0xbf, ...Buffer.from('{"content": "x"}')])),
    ],
    ["half a surrogate pair", 400, "invalid_encoding", () => put("a.md", '{"content": "\\ud83d"}')],
    [
      "a body of 100 MB",
      413,
      "payload_too_large",
      () => put("a.md", JSON.stringify({ content: "x".repeat(100_000_000) })),
    ],
    [
      "a file over the limit",
      400,
      "invalid_request",
      () => put("a.md", JSON.stringify({ content: "x".repeat(4_000_001) })),
    ],
    [
      "JSON a thousand levels deep",
      400,
      "invalid_request",
      () => put("a.md", `{"content":${"[".repeat(1000)}${"]".repeat(1000)}}`),
    ],
    ["a path with '..'", 400, "invalid_path", () => put("%2e%2e%2fsecret.md", JSON.stringify(fox))],
    [
      "a path with '..' inside a batch",
      400,
      "invalid_path",
      () =>
        send(
          "POST",
          "/v1/agents/main/files",
          JSON.stringify({
            put: [
              { path: "ok.md", ...fox },
              { path: "a/../../b.md", ...fox },
            ],
          }),
        ),
    ],
    ["an absolute path", 400, "invalid_path", () => put("%2Fetc%2Fpasswd", JSON.stringify(fox))],
    ["a Windows path", 400, "invalid_path", () => put("C%3A%5Cnotes.md", JSON.stringify(fox))],
    ["a path of 5,000 characters", 400, "invalid_path", () => put("a".repeat(5000), JSON.stringify(fox))],
    ["a path with a NUL", 400, "invalid_path", () => put("a%00b.md", JSON.stringify(fox))],
    ["a path that is not UTF-8", 400, "invalid_path", () => put("a%ff.md", JSON.stringify(fox))],
    ["memory_get outside the memory", 400, "invalid_path", () => send("POST", GET, '{"path": "../../etc/passwd"}')],
    [
      "memory_get of no number of lines",
      400,
      "invalid_request",
      () => send("POST", GET, '{"path": "kept.md", "lines": "half"}'),
    ],
    ["an empty batch", 400, "invalid_request", () => send("POST", "/v1/agents/main/files", "{}")],
    [
      "a batch of 101 files",
      400,
      "invalid_request",
      () =>
        send(
          "POST",
          "/v1/agents/main/files",
          JSON.stringify({ delete: Array.from({ length: 101 }, (_, i) => `${i}.md`) }),
        ),
    ],
    [
      "one path twice in a batch",
      400,
      "invalid_request",
      () =>
        send("POST", "/v1/agents/main/files", JSON.stringify({ put: [{ path: "a.md", ...fox }], delete: ["a.md"] })),
    ],
    ["an empty query", 400, "invalid_request", () => search({ query: "" })],
    ["a query of blanks", 400, "invalid_request", () => search({ query: " \n\t " })],
    ["a query of 1 MB", 413, "payload_too_large", () => search({ query: "fox ".repeat(250_000) })],
    ["a program's maxResults 0", 400, "invalid_request", () => forProgram({ query: "fox", maxResults: 0 })],
    ["a program's maxResults as a text", 400, "invalid_request", () => forProgram({ query: "fox", maxResults: "3" })],
    ["a program's unknown key", 400, "invalid_request", () => forProgram({ query: "fox", colour: "red" })],
    ['minScore "abc"', 400, "invalid_request", () => search({ query: "fox", minScore: "abc" })],
    ["an unknown corpus", 400, "invalid_request", () => search({ query: "fox", corpus: "cellar" })],
    [
      "an agent id with quotes",
      400,
      "invalid_agent_id",
      () =>
        send("PUT", `/v1/agents/${encodeURIComponent(`a"; DROP SCHEMA public; --`)}/files/a.md`, JSON.stringify(fox)),
    ],
    [
      "an agent id with a slash",
      400,
      "invalid_agent_id",
      () => send("PUT", "/v1/agents/a%2Fb/files/a.md", JSON.stringify(fox)),
    ],
    [
      "an agent id in unicode",
      400,
      "invalid_agent_id",
      () => send("PUT", `/v1/agents/${encodeURIComponent("агент")}/files/a.md`, JSON.stringify(fox)),
    ],
    [
      "an agent id of 200 characters",
      400,
      "invalid_agent_id",
      () => send("PUT", `/v1/agents/${"a".repeat(200)}/files/a.md`, JSON.stringify(fox)),
    ],
    [
      "the status of an agent that is not there",
      404,
      "agent_not_found",
      async () => app.call("GET", "/v1/agents/nobody/status"),
    ],
    [
      "a file that is not there",
      404,
      "file_not_found",
      async () => app.call("GET", "/v1/agents/main/files/nothing.md"),
    ],
    [
      "a deletion of what is not there",
      404,
      "file_not_found",
      async () => app.call("DELETE", "/v1/agents/main/files/nothing.md"),
    ],
    [
      "a listing with a bad limit",
      400,
      "invalid_request",
      async () => app.call("GET", "/v1/agents/main/files?limit=0"),
    ],
    [
      "a listing with a made-up cursor",
      400,
      "invalid_request",
      async () => app.call("GET", "/v1/agents/main/files?cursor=%25%25"),
    ],
    [
      "a listing with an unknown parameter",
      400,
      "invalid_request",
      async () => app.call("GET", "/v1/agents/main/files?sort=size"),
    ],
    [
      "a tool that is not there",
      404,
      "not_found",
      async () => {
        const answer = await app.call<ErrorBody>("POST", "/v1/agents/main/tools/memory_serch", {
          query: "x",
        });
        expect(answer.body.error.message).toContain("the tools are memory_search, memory_get");
        return answer;
      },
    ],
    ["a route that is not there", 404, "not_found", async () => app.call("GET", "/v1/nothing")],
    ["a route without this method", 405, "method_not_allowed", async () => app.call("PATCH", "/v1/agents/main/files")],
  ];

  test.each(cases)("%s -> %i %s", async (_what, status, code, request) => {
    const answer = await request();
    expect({ status: answer.status, code: answer.body.error.code }).toEqual({ status, code });
    expect(answer.body.error.message).toMatch(/\.$/);
    expect(answer.body.error.message).not.toMatch(/SELECT|INSERT|\bat \S+\.ts|node_modules/);
    expect(answer.body.error.requestId).not.toBe("");
    expect(await state()).toBe(before);
  });

  test("a path without a method is answered with its methods", async () => {
    const answer = await app.runtime.app.request("/v1/agents/main/facts/1", { method: "PUT" });
    expect(answer.headers.get("allow")).toBe("GET, HEAD, PATCH, DELETE");
    expect(await answer.json()).toMatchObject({ detail: "This path has no PUT. Use GET, HEAD, PATCH, DELETE." });
    const ofFiles = await app.runtime.app.request("/v1/agents/main/files/notes/a%20b.md", { method: "POST" });
    expect([ofFiles.status, ofFiles.headers.get("allow")]).toEqual([405, "GET, HEAD, PUT, DELETE"]);
  });

  test("a route that needs no input takes a request without a body", async () => {
    const sent: [string, RequestInit][] = [
      ["no media type", { method: "POST" }],
      [
        "the media type of curl -d",
        { method: "POST", body: "", headers: { "content-type": "application/x-www-form-urlencoded" } },
      ],
      ["an empty body of JSON", { method: "POST", body: "", headers: JSON_TYPE }],
      ["a stated length", { method: "POST", headers: { "content-length": "0" } }],
    ];
    for (const path of ["/v1/agents/main/sync", "/v1/agents/main/reindex"])
      for (const [what, request] of sent)
        expect([path, what, (await app.runtime.app.request(path, request)).status]).toEqual([path, what, 202]);
    const form = { method: "POST", body: "a=b", headers: { "content-type": "application/x-www-form-urlencoded" } };
    expect((await app.runtime.app.request("/v1/agents/main/sync", form)).status).toBe(415);
    const needed = await app.runtime.app.request("/v1/agents/main/search", { method: "POST" });
    expect(needed.status).toBe(415);
    const change = await app.runtime.app.request("/v1/agents/main", { method: "PATCH", body: "", headers: JSON_TYPE });
    expect(change.status).toBe(400);
  });

  test("a reindex that is queued is due", async () => {
    const answer = await app.call("POST", "/v1/agents/main/reindex", {});
    expect(answer).toMatchObject({ status: 202, body: { state: "due" } });
  });

  test("an unknown key is answered with the known ones, and with the one that was meant", async () => {
    const detailOf = async (path: string, body: unknown) =>
      (await send("POST", path, JSON.stringify(body))).body.error.message;
    const files = "/v1/agents/main/files";
    expect(await detailOf(files, { files: [] })).toContain('has no field "files"; the fields are put, delete');
    expect(await detailOf("/v1/agents/main/sessions/s/messages", { role: "user", content: "hi" })).toMatch(
      /has no field "role", "content"; the fields are [^.;]+; request: needs a message, or end\.$/,
    );
    expect(await detailOf(files, { put: [{ path: "a.md", contents: "A" }] })).toContain("Did you mean content?");
    expect(await detailOf("/v1/agents/main/search", { query: "fox", maxresults: 3, "<b>": 1 })).toMatch(
      /has no field "maxresults", "<b>"; the fields are query, .*Did you mean maxResults\?$/,
    );
  });

  test("the unknown corpus is answered with the allowed ones", async () => {
    const { body } = await search({ query: "fox", corpus: "cellar" });
    for (const allowed of ["memory", "sessions", "all"]) expect(body.error.message).toContain(allowed);
  });

  const harmless = [
    "the of and is",
    "fox & !brown | (quick <-> 'x':*)",
    "100% _fox_ \\ %",
    "O'Brien \"fox\" ''; DROP TABLE files; --",
    "\\'fox\\' $1 $$ fox",
    ":* & | ! ( ) < >",
    "😀 🦊",
  ];
  test.each(harmless)("a query is only text: %s", async (query) => {
    const { status, body } = await app.call<{ results: unknown[] }>("POST", SEARCH, { query });
    expect(status).toBe(200);
    expect(Array.isArray(body.results)).toBe(true);
    expect(await state()).toBe(before);
  });
});
