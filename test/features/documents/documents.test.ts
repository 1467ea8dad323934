import { fileURLToPath } from "node:url";
import { deflateSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startDocumentConverter } from "../../../src/features/documents/convert-documents.ts";
import { documentReader } from "../../../src/features/documents/read-document.ts";
import type { WrittenFile } from "../../../src/service/files/write-batch.ts";
import { column, DOCX, makeDocx, makePdf, wordParagraph } from "../../support/make-document.ts";
import { type ErrorBody, startTestApp, type TestApp } from "../../support/test-app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.drop());

const PDF = "application/pdf";
const filler = (topic: string) =>
  Array.from({ length: 40 }, (_, i) => `Line ${i} says something about ${topic} again.`);
const handbook = makePdf([
  [[24, 72, 740, "Handbook"], ...column(filler("offices"))],
  [[24, 72, 740, "Travel"], ...column([...filler("trains"), "A zeppelin may be booked on Tuesdays."])],
]);

/** Sends a document; another tenant's key may be given. */
async function put<T = WrittenFile>(path: string, type: string, bytes: Buffer, more: Record<string, string> = {}) {
  const headers = { "content-type": type, ...more };
  const body = new Uint8Array(bytes);
  const response = await app.runtime.app.request(`/v1/agents/main/files/${path}`, { method: "PUT", headers, body });
  return { status: response.status, body: (await response.json()) as T };
}
const file = async (path: string) =>
  (await app.call<Record<string, unknown>>("GET", `/v1/agents/main/files/${path}`)).body;
const bomb = () => deflateSync(deflateSync(Buffer.alloc(1_000_000_000, 32), { level: 9 }), { level: 9 });

describe("a document as a file", () => {
  test("its text is found, cited and read with its page", async () => {
    const { status, body } = await put("handbook.pdf", PDF, handbook);
    expect(status).toBe(200);
    expect(body).toMatchObject({ path: "handbook.pdf", status: "created" });
    const { results } = await app.search("zeppelin");
    expect(results[0]?.path).toBe("handbook.pdf");
    expect(results[0]?.endPage ?? results[0]?.page).toBe(2);
    expect(results[0]?.citation).toMatch(/^handbook\.pdf#L\d+-L\d+, pages? (1-)?2$/);
    expect(results[0]?.snippet).toMatch(/Source: handbook\.pdf#L\d+-L\d+, pages? (1-)?2$/);
    const stored = await file("handbook.pdf");
    expect(stored).toMatchObject({ original: { type: PDF, size: handbook.length, pages: 2 } });
    const from = String(stored.content).split("\n").indexOf("# Travel") + 1;
    const read = await app.call("POST", "/v1/agents/main/tools/memory_get", { path: "handbook.pdf", from, lines: 2 });
    expect(read.body).toMatchObject({ text: "# Travel\n", page: 2, from });
    expect(read.body).not.toHaveProperty("endPage");
  });

  test("may be a table or a canvas, which needs no package", async () => {
    const table = 'Task;Owner\n"Order ""blue"" tiles;\nmany";Silas\n';
    expect((await put("tasks.csv", "text/csv; charset=utf-8", Buffer.from(table))).status).toBe(200);
    expect((await app.search("who orders the blue tiles")).results[0]?.snippet).toContain(
      '| Order "blue" tiles; many | Silas |',
    );
    const canvas = { nodes: [{ id: "1", type: "text", text: "The attic key hangs behind the clock.", x: 0, y: 0 }] };
    expect((await put("house.canvas", "application/x-json-canvas", Buffer.from(JSON.stringify(canvas)))).status).toBe(
      200,
    );
    expect((await app.search("attic key")).results[0]).toMatchObject({ path: "house.canvas" });
    const empty = await put<ErrorBody>("none.csv", "text/csv", Buffer.from("\n"));
    expect(empty.body).toMatchObject({ code: "document_unreadable", detail: "The CSV document has no text." });
  });

  test("the model's answer names the page", async () => {
    const call = { jsonrpc: "2.0", id: 1, method: "tools/call" };
    const params = { name: "memory_search", arguments: { query: "zeppelin" } };
    const accept = { accept: "application/json, text/event-stream" };
    const response = await app.runtime.app.request("/v1/agents/main/mcp", {
      method: "POST",
      headers: { "content-type": "application/json", ...accept },
      body: JSON.stringify({ ...call, params }),
    });
    expect(await response.text()).toMatch(/\\?"page\\?":\s*[12]/);
  });

  test("an unchanged one is not read again, and one whose text is the same is noted", async () => {
    const text = makePdf([column(["The same words."])]);
    const { readDocument } = app.runtime.deps.hooks;
    await put("same.pdf", PDF, text);
    const converter = startDocumentConverter();
    let conversions = 0;
    const convert: typeof converter.convert = (...given) => {
      conversions++;
      return converter.convert(...given);
    };
    Object.assign(app.runtime.deps.hooks, { readDocument: [documentReader({ convert })] });
    expect((await put("same.pdf", PDF, text)).body.status).toBe("unchanged");
    expect(conversions).toBe(0);
    const saved = Buffer.concat([text, Buffer.from("\n% saved anew")]);
    for (let i = 0; i < 2; i++) expect((await put("same.pdf", PDF, saved)).body.status).toBe("unchanged");
    expect(conversions).toBe(1);
    expect(await file("same.pdf")).toMatchObject({ original: { size: saved.length } });
    Object.assign(app.runtime.deps.hooks, { readDocument });
    await converter.close();
  });

  test("text that is written in its place is no document's", async () => {
    await put("over.pdf", PDF, makePdf([column(["Old words."])]));
    await app.put("over.pdf", "New words.");
    expect(await file("over.pdf")).toMatchObject({ content: "New words.", original: null });
  });

  test("HTML and DOCX are read as well, and have no pages", async () => {
    await put("page.html", "text/html; charset=utf-8", Buffer.from("<h1>Ö</h1><p>walrus"));
    await put("letter.docx", DOCX, makeDocx(wordParagraph("A narwhal writes.")));
    expect(await file("page.html")).toMatchObject({ content: "# Ö\n\nwalrus\n" });
    const { results } = await app.search("narwhal");
    expect(results[0]).toMatchObject({ path: "letter.docx", citation: "letter.docx#L1" });
    expect(results[0]).not.toHaveProperty("page");
  });

  test("a condition and an idempotency key hold as for text", async () => {
    const text = makePdf([column(["Only once."])]);
    expect((await put("once.pdf", PDF, text, { "if-match": '"other"' })).status).toBe(412);
    const key = { "idempotency-key": "one" };
    expect((await put("once.pdf", PDF, text, key)).body.status).toBe("created");
    expect((await put("once.pdf", PDF, text, key)).body.status).toBe("created");
    const other = await put<ErrorBody>("once.pdf", PDF, handbook, key);
    expect(other.body.error.code).toBe("idempotency_key_reused");
  });

  test("its archive brings document and pages along", async () => {
    const exported = await app.runtime.app.request("/v1/agents/main/archive");
    const headers = { "content-type": "application/gzip" };
    const init = { method: "POST", headers, body: await exported.arrayBuffer() };
    expect((await app.runtime.app.request("/v1/archives?as=copy", init)).status).toBe(201);
    const { results } = await app.search("zeppelin", {}, "copy");
    expect(results[0]?.path).toBe("handbook.pdf");
    expect(results[0]?.endPage ?? results[0]?.page).toBe(2);
  });
});

describe("what is refused", () => {
  test.each([
    ["a PDF with a password", 422, "document_unreadable", PDF, makePdf([column(["x"])], { encrypted: true })],
    ["a scan", 422, "document_unreadable", PDF, makePdf([[]])],
    ["what is no PDF", 422, "document_unreadable", PDF, Buffer.from("hello")],
    ["what is no DOCX", 422, "document_unreadable", DOCX, Buffer.from("hello")],
    ["too many pages", 413, "payload_too_large", PDF, makePdf(Array.from({ length: 2001 }, () => []))],
    ["more bytes than are taken", 413, "payload_too_large", PDF, Buffer.alloc(16_000_001)],
    ["a spreadsheet", 415, "unsupported_media_type", "application/vnd.ms-excel", Buffer.from("x")],
  ])("%s: nothing is written", async (_, status, code, type, bytes) => {
    await app.put("kept.pdf", "What was there.");
    const answer = await put<ErrorBody>("kept.pdf", type, bytes);
    expect({ status: answer.status, code: answer.body.error.code }).toEqual({ status, code });
    expect(await file("kept.pdf")).toMatchObject({ content: "What was there." });
  });

  test("a text that is no JSON is refused with both ways to send a text", async () => {
    const { body } = await put<ErrorBody>("note.md", "text/markdown", Buffer.from("# Hi"));
    expect(body.error.message).toMatch(/"content".*application\/json.*text\/html/);
  });

  test.each([
    ["a PDF bomb", PDF, () => makePdf([[]], { stream: { bytes: bomb(), filter: "[/FlateDecode /FlateDecode]" } })],
    ["a DOCX bomb", DOCX, () => makeDocx(Buffer.alloc(400_000_000, 32))],
    ["a page nested for ever", "text/html", () => Buffer.from("<div>".repeat(1_000_000))],
  ])("%s is refused soon, nothing is lost, and another tenant's document is read meanwhile", async (_, type, make) => {
    const bytes = make();
    await app.put("kept.txt", "What was there.");
    const other = await app.key(["tenant"], { tenantId: await app.tenant(`t${bytes.length}`) });
    const startedAt = performance.now();
    const hostile = put<ErrorBody>("kept.txt", type, bytes).then((answer) => ({
      answer,
      ms: performance.now() - startedAt,
    }));
    const theirs = await put("theirs.pdf", PDF, handbook, { authorization: `Bearer ${other}` });
    expect(theirs.status).toBe(200);
    // This is the time that the other tenant's document took: the start of a thread, on a perhaps
    // busy machine. The bomb is delayed by as much.
    const waitedMs = performance.now() - startedAt;
    const { answer, ms } = await hostile;
    expect(ms).toBeLessThan(5000 + waitedMs);
    expect(answer).toMatchObject({ status: 413, body: { code: "payload_too_large" } });
    expect(answer.body.error.message).toMatch(/send/);
    expect(await file("kept.txt")).toMatchObject({ content: "What was there." });
    expect((await put("after.pdf", PDF, handbook)).status).toBe(200);
  });

  test("without the package: what to install", async () => {
    const worker = fileURLToPath(new URL("../../support/no-package.worker.ts", import.meta.url));
    const converter = startDocumentConverter({ deadlineMs: 10_000, worker });
    const document = { type: PDF, bytes: new Uint8Array(handbook) } as const;
    await expect(converter.convert("t", document)).rejects.toMatchObject({
      code: "converter_missing",
      message: expect.stringContaining("npm install unpdf"),
    });
    await converter.close();
  });
});
