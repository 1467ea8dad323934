import { randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ARCHIVE_VERSION } from "../../../src/features/archives/archive-format.ts";
import { listen } from "../../../src/http/listen.ts";
import { type AnyLine, type ArchiveApp, readLines, startArchiveApp, writeLines } from "../../support/archive-app.ts";

describe("an archive that somebody made", () => {
  let app: ArchiveApp;
  let lines: AnyLine[];
  beforeAll(async () => {
    app = await startArchiveApp({ worker: false, env: { RECOLLECT_ARCHIVE_MAX_BYTES: "30000000" } });
    await app.call("POST", "/v1/agents", { id: "small", settings: { sources: ["memory", "sessions"] } });
    await app.put("a.md", "A note", "small");
    await app.put("b.md", "Another note", "small");
    const messages = [{ id: "m1", role: "user", text: "Hello" }];
    await app.call("POST", "/v1/agents/small/sessions/slack:C042/messages", { messages });
    await app.store("small", { text: "Mina lives in Bern", key: "city" });
    await app.store("small", { text: "Mina lives in Rome", key: "city" });
    lines = readLines(await app.export("small", "?vectors=true"));
  });
  afterAll(() => app.drop());

  /** Returns the archive with one line changed, or replaced by others. */
  const changed = (type: string, change: (line: AnyLine) => unknown) => {
    const at = lines.findIndex((line) => line.type === type);
    const instead = [change(lines[at] as AnyLine)].flat() as AnyLine[];
    return writeLines(lines.toSpliced(at, 1, ...instead));
  };
  const agents = async () =>
    (await app.db.executeSql(`SELECT id, status FROM recollect.agents ORDER BY id`)).rows.map((row) => row.id);

  const nested = (depth: number): unknown => (depth === 0 ? 1 : { a: nested(depth - 1) });
  const cases: Record<string, readonly [string, (line: AnyLine) => unknown, string?]> = {
    "a newer format": ["header", (line) => ({ ...line, version: ARCHIVE_VERSION + 1 })],
    "a format that never was": ["header", (line) => ({ ...line, version: 0 })],
    "another format": ["header", (line) => ({ ...line, format: "tar" })],
    "an unknown field of the header": ["header", (line) => ({ ...line, more: 1 })],
    "an unknown setting": [
      "header",
      (line) => ({ ...line, agent: { ...(line.agent as object), settings: { x: 1 } } }),
      "invalid_settings",
    ],
    "a setting that is a secret": [
      ...([
        "header",
        (line: AnyLine) => ({ ...line, agent: { ...(line.agent as object), settings: { remote: { apiKey: "x" } } } }),
        "invalid_settings",
      ] as const),
    ],
    "settings that are very deep": [
      "header",
      (line) => ({ ...line, agent: { ...(line.agent as object), settings: nested(100) } }),
    ],
    "limits that are none": [
      "header",
      (line) => ({ ...line, agent: { ...(line.agent as object), limits: { x: 1 } } }),
      "invalid_settings",
    ],
    "a fact whose id leaves no room for the next": ["fact", (line) => ({ ...line, id: "999999999999999999" })],
    "a fact whose id is very long": ["fact", (line) => ({ ...line, id: "1".repeat(100_000) })],
    "a fact whose id is no number": ["fact", (line) => ({ ...line, id: "1; DROP TABLE facts" })],
    "a link to an id without room": [
      "supersessions",
      (line) => ({ ...line, links: [{ id: "1", by: "999999999999999999" }] }),
    ],
    "an unknown field": ["file", (line) => ({ ...line, owner: "root" })],
    "an unknown kind of line": ["file", (line) => ({ ...line, type: "command" })],
    "an origin that is no name": ["file", (line) => ({ ...line, origin: "a\nb" })],
    "a path that climbs": ["file", (line) => ({ ...line, path: "../a.md" }), "invalid_path"],
    "an absolute path": ["file", (line) => ({ ...line, path: "/etc/passwd" }), "invalid_path"],
    "a file at a session's path": ["file", (line) => ({ ...line, path: "sessions/slack:C1" })],
    "a file twice": ["file", (line) => [line, line]],
    "a NUL character": ["file", (line) => ({ ...line, content: "a\u0000b" })],
    "half a surrogate pair": ["file", (line) => ({ ...line, content: "a\ud800b" })],
    "a line that is no JSON": ["file", () => "{"],
    "a session without a name": ["session", (line) => ({ ...line, key: " " }), "invalid_session_key"],
    "a session with endless numbers": ["session", (line) => ({ ...line, lastSeq: 2 ** 40 })],
    "messages of no session": ["messages", (line) => ({ ...line, session: "slack:none" })],
    "a message twice": ["messages", (line) => [line, line]],
    "a fact twice": ["fact", (line) => [line, line]],
    "a fact without end": ["fact", (line) => ({ ...line, endedBy: null })],
    "a fact with an id that is none": ["fact", (line) => ({ ...line, id: "1); DROP TABLE facts; --" })],
    "a fact that was made in no year": ["fact", (line) => ({ ...line, createdAt: "yesterday" })],
    "a vector that is too short": [
      "vectors",
      () => ({ type: "vectors", vectors: [{ hash: "a".repeat(64), embedding: "AAAA" }] }),
    ],
    "a vector that is no number": [
      ...([
        "vectors",
        () => ({
          type: "vectors",
          vectors: [{ hash: "a".repeat(64), embedding: Buffer.alloc(256, 0xff).toString("base64") }],
        }),
      ] as const),
    ],
    "lines out of order": ["fact", (line) => [line, lines[1]]],
    "counts that are wrong": ["end", (line) => ({ ...line, facts: 7 })],
    "no end": ["end", () => []],
    "something behind its end": ["end", (line) => [line, line]],
  };

  test.each(Object.entries(cases))("is refused for %s, and leaves nothing", async (_, [type, change, code]) => {
    const before = await agents();
    const { status, body } = await app.import(changed(type, change), "?as=hostile");
    expect([status, body.error.code]).toEqual([400, code ?? "archive_invalid"]);
    expect(body.error.message).not.toMatch(/select|insert|unnest/i);
    expect(await agents()).toEqual(before);
  });

  test("is refused when it is cut off anywhere, damaged, or no gzip", async () => {
    const whole = writeLines(lines);
    const cuts = [10, 100, whole.length - 9, whole.length - 1].map((length) => whole.subarray(0, length));
    const damaged = Buffer.from(whole);
    damaged.fill(0x55, 60, 80);
    for (const archive of [...cuts, damaged, randomBytes(1000), Buffer.from(""), gzipSync("")]) {
      const { status, body } = await app.import(archive, "?as=hostile");
      expect([status, body.error.code]).toEqual([400, "archive_invalid"]);
    }
    expect(await agents()).not.toContain("hostile");
  });

  test("is refused when it unpacks to too much, in one line or in many", async () => {
    const bomb = gzipSync(Buffer.concat([Buffer.from(`${JSON.stringify(lines[0])}\n`), Buffer.alloc(25_000_000, "a")]));
    expect(bomb.length).toBeLessThan(100_000);
    expect((await app.import(bomb, "?as=hostile")).body.error.code).toBe("archive_invalid");
    const long = { type: "file", content: " ".repeat(900_000), mtime: "2026-01-01T00:00:00Z" };
    const files = Array.from({ length: 40 }, (_, n) => ({ ...long, path: `f${String(n).padStart(2, "0")}.md` }));
    const many = await app.import(writeLines([lines[0], ...files]), "?as=hostile");
    expect([many.status, many.body.error.code]).toEqual([413, "payload_too_large"]);
    expect(await agents()).not.toContain("hostile");
  });

  test("obeys the limits of the tenant, who may not set what the operator alone may", async () => {
    const tenantId = await app.tenant("limited");
    const key = await app.key(["tenant"], { tenantId });
    await app.call("PATCH", "/v1/tenant", { limits: { files: 1 } }, await app.key(["admin"], { tenantId }));
    const { status, body } = await app.import(writeLines(lines), "", key);
    expect([status, body.error.code]).toEqual([413, "quota_exceeded"]);
    const remote = changed("header", (line) => ({
      ...line,
      agent: { ...(line.agent as object), settings: { remote: { baseUrl: "http://169.254.169.254" } } },
    }));
    expect((await app.import(remote, "", key)).body.error.code).toBe("forbidden");
    expect((await app.import(remote, "?settings=drop", key)).body.error.code).toBe("quota_exceeded");
    expect(await agents()).toEqual(["small"]);
  });

  test("is told so over a connection, however much more is on its way", async () => {
    const listener = await listen(app.runtime.app, { host: "127.0.0.1", port: 0 });
    const url = `${listener.url}/v1/archives?as=hostile`;
    const send = (body: Uint8Array, type = "application/gzip") =>
      fetch(url, { method: "POST", headers: { "content-type": type }, body: new Uint8Array(body) });
    const big = Buffer.concat([changed("header", (line) => ({ ...line, version: 6 })), randomBytes(20_000_000)]);
    const refused = await send(big);
    expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([400, "archive_invalid"]);
    expect((await send(writeLines(lines), "text/plain")).status).toBe(415);
    const made = await send(writeLines(lines));
    expect(made.status).toBe(201);
    const again = await fetch(`${listener.url}/v1/agents/hostile/archive?vectors=true`);
    const strip = (all: readonly AnyLine[]) => all.slice(1, -1);
    expect(strip(readLines(new Uint8Array(await again.arrayBuffer())))).toEqual(strip(lines));
    await listener.close();
  });
});
