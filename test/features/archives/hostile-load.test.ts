import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { readJson } from "../../../src/base/json-text.ts";
import { openArchive } from "../../../src/features/archives/read-archive.ts";
import { type AnyLine, type ArchiveApp, readLines, startArchiveApp, writeLines } from "../../support/archive-app.ts";
import type { ErrorBody } from "../../support/test-app.ts";
import { until } from "../../support/until.ts";

const PACE = { bytes: 1_000_000, withinMs: 60_000 };
const parse = async (parts: readonly Uint8Array[]) => {
  const read = readJson(Buffer.concat(parts));
  return "value" in read ? read.value : undefined;
};

/** Returns a stream of these parts, which then ends, stalls, or begins again. */
function streamOf(parts: readonly Uint8Array[], then: "end" | "stall" | "again") {
  let at = 0;
  return new ReadableStream<Uint8Array>({
    pull: (controller) => {
      if (at >= parts.length && then === "stall") return new Promise<void>(() => undefined);
      if (at >= parts.length && then === "end") return controller.close();
      controller.enqueue(parts[at++ % parts.length] as Uint8Array);
    },
  });
}

describe("an archive that is made to cost much", () => {
  let app: ArchiveApp;
  let lines: AnyLine[];
  const keys: string[] = [];
  beforeAll(async () => {
    app = await startArchiveApp({ worker: false });
    await app.put("a.md", "A note", "small");
    lines = readLines(await app.export("small"));
    for (const name of ["a", "b", "c"]) keys.push(await app.key(["tenant"], { tenantId: await app.tenant(name) }));
  });
  afterAll(() => app.drop());

  const header = () => lines[0] as AnyLine;

  test("is refused for a first line that is longer or fuller than settings are", async () => {
    const full = `{"format":"recollect-agent-archive","version":1,"x":[${"{},".repeat(5_000_000)}{}]}\n`;
    const long = { ...header(), service: "x".repeat(300_000) };
    for (const [archive, problem] of [
      [gzipSync(full), /line 1 with more than 2000 values/],
      [writeLines([long]), /line 1 of more than 262144 bytes/],
    ] as const) {
      const parsed = vi.spyOn(JSON, "parse");
      const { status, body } = await app.import(archive, "?as=hostile");
      const longest = Math.max(0, ...parsed.mock.calls.map(([given]) => String(given).length));
      parsed.mockRestore();
      expect([status, body.error.code]).toEqual([400, "archive_invalid"]);
      expect(body.error.message).toMatch(problem);
      expect(longest).toBeLessThan(100_000);
    }
  });

  test("is refused for another line with more values than one full of messages has", async () => {
    const line = `{"type":"messages","session":"slack:C1","messages":[${"{},".repeat(5_000_000)}{}]}`;
    const { status, body } = await app.import(writeLines([header(), line]), "?as=hostile");
    expect([status, body.error.code]).toEqual([400, "archive_invalid"]);
    expect(body.error.message).toMatch(/line 2 with more than \d{4} values/);
  });

  test("that has long lines is taken, and none of them is parsed on the event loop", async () => {
    const content = "A line of a note.\n".repeat(50_000);
    const file = { type: "file", path: "long.md", content, mtime: "2026-01-01T00:00:00Z" };
    const end = { type: "end", files: 1, sessions: 0, messages: 0, facts: 0, vectors: 0 };
    const archive = writeLines([header(), file, end]);
    const parsed = vi.spyOn(JSON, "parse");
    const { status } = await app.import(archive, "?as=long");
    const longest = Math.max(...parsed.mock.calls.map(([given]) => String(given).length));
    parsed.mockRestore();
    expect(status).toBe(201);
    expect(longest).toBeLessThan(100_000);
  });

  test("is given up when it trickles, or unpacks to nothing without end", async () => {
    const begun = writeLines([header()]).subarray(0, 40);
    const stalled = openArchive(streamOf([begun], "stall"), {
      maxBytes: 1e6,
      parse,
      pace: { bytes: 1000, withinMs: 50 },
    });
    await expect(stalled).rejects.toMatchObject({ code: "upload_too_slow" });
    const empty = openArchive(streamOf([gzipSync("")], "again"), { maxBytes: 100_000, parse, pace: PACE });
    await expect(empty).rejects.toMatchObject({ code: "payload_too_large" });
  });

  test("takes one place of its tenant's, which leaves another for the next", async () => {
    const send = (key: string | undefined, body: ReadableStream<Uint8Array>, as: string) =>
      app.runtime.app.request(`/v1/archives?as=${as}`, {
        method: "POST",
        headers: { "content-type": "application/gzip", authorization: `Bearer ${key}` },
        body,
        duplex: "half",
      } as RequestInit);
    const whole = () => streamOf([writeLines(lines)], "end");
    const gone = Promise.withResolvers<never>();
    // A request whose body is being read takes one of the places for imports.
    const isRead = Promise.withResolvers<void>();
    const held = new ReadableStream<Uint8Array>(
      {
        start: (controller) => void gone.promise.catch((error: unknown) => controller.error(error)),
        pull: () => isRead.resolve(),
      },
      { highWaterMark: 0 },
    );
    const [a, b] = keys;
    const first = send(a, held, "held");
    await isRead.promise;
    const refused = await send(a, whole(), "more");
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "30"]);
    expect((await refused.json()) as ErrorBody).toMatchObject({ code: "rate_limited" });
    expect((await send(b, whole(), "theirs")).status).toBe(201);
    gone.reject(new Error("gone"));
    expect((await first).status).toBe(400);
    expect((await send(a, whole(), "after")).status).toBe(201);
  });

  test("leaves other tenants their exports, however many of a tenant's nobody reads", async () => {
    const ask = (key: string | undefined, agent: string) =>
      app.runtime.app.request(`/v1/agents/${agent}/archive`, { headers: { authorization: `Bearer ${key}` } });
    const [, b, c] = keys;
    for (const key of [b, c]) await app.call("PUT", "/v1/agents/main/files/a.md", { content: "A note" }, key);
    const unread = await ask(b, "main");
    expect(unread.status).toBe(200);
    const more = await Promise.all([ask(b, "main"), ask(b, "main"), ask(b, "main")]);
    expect(more.map(({ status }) => status)).toEqual([429, 429, 429]);
    const theirs = await ask(c, "main");
    expect(readLines(new Uint8Array(await theirs.arrayBuffer())).at(-1)).toMatchObject({ type: "end", files: 1 });
    await unread.body?.cancel();
    await until(async () => (await ask(b, "main")).status === 200, "the place of an export to be given back");
  });
});
