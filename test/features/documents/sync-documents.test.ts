import { mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { AppError } from "../../../src/base/errors.ts";
import { runCli } from "../../../src/cli/run-cli.ts";
import { captureOutput, cliContext } from "../../support/cli-harness.ts";
import { column, makePdf } from "../../support/make-document.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";

let app: TestApp;
let folder: string;
let agent: string;
let agents = 0;
let puts: string[];
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.drop());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "recollect-documents-"));
  agent = `documents${++agents}`;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (path: string, content: string | Buffer) => writeFileSync(join(folder, path), content);
const pdf = (text: string) => makePdf([column([text])]);

async function sync(...options: string[]) {
  const [stdout, stderr] = [captureOutput(), captureOutput()];
  puts = [];
  const connect = async () => ({
    fetch: async (path: string, init?: RequestInit) => {
      if (init?.method === "PUT") puts.push(path.slice(path.lastIndexOf("/") + 1).replace(/\?.*/, ""));
      return app.runtime.app.request(path, init);
    },
    close: async () => undefined,
    description: "this process",
  });
  const argv = ["sync", ".", "--json", "--agent", agent, ...options];
  const code = await runCli(argv, cliContext({ connect, stdout, stderr, cwd: folder }));
  return { code, ...(JSON.parse(stdout.text) as { skipped: { path: string; reason: string }[]; sent: number }) };
}
const paths = async () => {
  const { body } = await app.call<{ files: { path: string }[] }>("GET", `/v1/agents/${agent}/files`);
  return body.files.map((file) => file.path);
};

test("documents are sent beside texts, and once", async () => {
  write("a.md", "A note.");
  write("b.pdf", pdf("A zeppelin flies."));
  write("c.html", "<p>A page.");
  expect(await sync()).toMatchObject({ code: 0, sent: 3, skipped: [] });
  expect(await paths()).toEqual(["a.md", "b.pdf", "c.html"]);
  expect((await app.search("zeppelin", {}, agent)).results[0]).toMatchObject({ path: "b.pdf", page: 1 });
  utimesSync(join(folder, "b.pdf"), new Date(), new Date(0));
  expect(await sync()).toMatchObject({ code: 0, sent: 0, unchanged: 3 });
  expect(puts).toEqual([]);
});

test("one that changes is sent again, one that moves loses its old name, one that is gone is removed", async () => {
  for (const name of ["changes", "moves", "goes"]) write(`${name}.pdf`, pdf(`It ${name}.`));
  await sync();
  write("changes.pdf", pdf("It has changed."));
  renameSync(join(folder, "moves.pdf"), join(folder, "moved.pdf"));
  rmSync(join(folder, "goes.pdf"));
  expect(await sync()).toMatchObject({ code: 0, sent: 2, removed: 2 });
  expect(puts.sort()).toEqual(["changes.pdf", "moved.pdf"]);
  expect(await paths()).toEqual(["changes.pdf", "moved.pdf"]);
});

test("one that cannot be read is skipped and named, and what was stored before stays", async () => {
  write("a.pdf", pdf("Readable."));
  write("b.md", "A note.");
  await sync();
  write("a.pdf", makePdf([column(["x"])], { encrypted: true }));
  write("scan.pdf", makePdf([[]]));
  const { code, skipped } = await sync();
  expect(code).toBe(0);
  expect(skipped.map(({ path }) => path).sort()).toEqual(["a.pdf", "scan.pdf"]);
  expect(skipped.map(({ reason }) => reason).join()).toMatch(/password.*recognition|recognition.*password/);
  expect(await paths()).toEqual(["a.pdf", "b.md"]);
});

test("without the package every document of the kind is named with what to install, and one is tried", async () => {
  for (const name of ["a", "b", "c", "d", "e"]) write(`${name}.pdf`, pdf(`Text ${name}.`));
  write("n.md", "A note.");
  const { hooks } = app.runtime.deps;
  const { readDocument } = hooks;
  const missing = new AppError("converter_missing", "This server cannot read PDF: run `npm install unpdf`.");
  Object.assign(hooks, { readDocument: [() => Promise.reject(missing)] });
  const { code, sent, skipped } = await sync();
  expect({ code, sent }).toEqual({ code: 0, sent: 1 });
  expect(skipped).toHaveLength(5);
  for (const { reason } of skipped) expect(reason).toContain("npm install unpdf");
  // Two requests are under way at a time.
  expect(puts.length).toBeLessThanOrEqual(2);
  Object.assign(hooks, { readDocument });
  expect(await sync()).toMatchObject({ code: 0, sent: 5, skipped: [] });
});

test("with documents switched off they are skipped and named, and texts are sent", async () => {
  write("a.pdf", pdf("Text."));
  write("b.csv", "name;age");
  write("n.md", "A note.");
  const { hooks } = app.runtime.deps;
  const { readDocument } = hooks;
  Object.assign(hooks, { readDocument: [] });
  const { code, sent, skipped } = await sync();
  expect({ code, sent }).toEqual({ code: 0, sent: 1 });
  expect(skipped.map(({ reason }) => reason).sort()).toEqual(["this server reads no CSV", "this server reads no PDF"]);
  Object.assign(hooks, { readDocument });
});
