import { mkdirSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { AppError } from "../../../src/base/errors.ts";
import { type DocumentConverter, startDocumentConverter } from "../../../src/features/documents/convert-documents.ts";
import { documentReader } from "../../../src/features/documents/read-document.ts";
import type { AgentStatus } from "../../../src/service/admin/agent-status.ts";
import { type ExtraFolder, extraFolder, syncNow } from "../../support/extra-folder.ts";
import { column, makePdf } from "../../support/make-document.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";

let root: ExtraFolder;
let app: TestApp;
let converter: DocumentConverter;
let count = 0;
let id: string;
let conversions = 0;

beforeAll(async () => {
  root = extraFolder();
  app = await startTestApp({ worker: false, env: { RECOLLECT_EXTRA_PATH_ROOTS: root.path } });
  converter = startDocumentConverter();
  readWith((...given) => {
    conversions++;
    return converter.convert(...given);
  });
});
afterAll(async () => {
  await app.drop();
  await converter.close();
  root.remove();
});
beforeEach(async () => {
  id = `d${++count}`;
  conversions = 0;
  mkdirSync(root.at(id));
  await app.call("POST", "/v1/agents", { id, settings: { extraPaths: [root.at(id)] } });
});

const readWith = (convert: DocumentConverter["convert"]) =>
  Object.assign(app.runtime.deps.hooks, { readDocument: [documentReader({ convert })] });
const pdf = (text: string) => makePdf([column([text])]);
const write = (name: string, content: Buffer, age?: number) => root.write(`${id}/${name}`, content, age);
const sync = () => syncNow(app.runtime.deps, id);
const status = async () => (await app.call<AgentStatus>("GET", `/v1/agents/${id}/status`)).body.extraPaths?.[0];

test("a document is found with its page, and read again only when it changes", async () => {
  write("a.pdf", pdf("The zeppelin leaves."), 100);
  expect(await sync()).toMatchObject({ files: 1, read: 1 });
  const { results } = await app.search("zeppelin", {}, id);
  expect(results[0]).toMatchObject({ path: `${root.at(id)}/a.pdf`, page: 1 });
  expect(await sync()).toMatchObject({ files: 1, read: 0 });
  // The time changes but the bytes do not: the hash decides.
  write("a.pdf", pdf("The zeppelin leaves."), 50);
  expect(await sync()).toMatchObject({ read: 1 });
  expect(conversions).toBe(1);
  expect(await sync()).toMatchObject({ read: 0 });
  write("a.pdf", pdf("The airship leaves."), 10);
  expect(await sync()).toMatchObject({ read: 1 });
  expect(conversions).toBe(2);
});

test("one that cannot be read is skipped and tried again when it changes", async () => {
  write("scan.pdf", makePdf([[]]), 100);
  expect(await sync()).toMatchObject({ read: 1 });
  expect(await status()).toMatchObject({ files: 0, skipped: 1 });
  expect(await sync()).toMatchObject({ read: 0 });
  write("scan.pdf", pdf("Now with text."), 10);
  expect(await sync()).toMatchObject({ files: 1, read: 1 });
});

test("without the package the status says what to install, nothing is lost, and a later sync reads it", async () => {
  write("a.pdf", pdf("Old text."), 100);
  await sync();
  write("a.pdf", pdf("New text."), 50);
  const missing = new AppError("converter_missing", "This server cannot read PDF: run `npm install unpdf`.");
  readWith(() => Promise.reject(missing));
  await sync();
  expect(await status()).toMatchObject({ skipped: 1, error: expect.stringContaining("npm install unpdf") });
  expect((await app.search("old", {}, id)).results).toHaveLength(1);
  readWith(converter.convert);
  await sync();
  expect((await app.search("new", {}, id)).results).toHaveLength(1);
  expect(await status()).not.toHaveProperty("error");
});

test("with documents switched off the status says so, and nothing is lost", async () => {
  write("a.pdf", pdf("Old text."), 100);
  await sync();
  write("a.pdf", pdf("New text."), 50);
  write("b.pdf", pdf("More text."), 50);
  Object.assign(app.runtime.deps.hooks, { readDocument: [] });
  await sync();
  expect(await status()).toMatchObject({ skipped: 2, error: expect.stringContaining("Documents are switched off") });
  expect((await app.search("old", {}, id)).results).toHaveLength(1);
  readWith(converter.convert);
  await sync();
  expect((await app.search("new", {}, id)).results).toHaveLength(1);
  expect(await status()).not.toHaveProperty("error");
});
