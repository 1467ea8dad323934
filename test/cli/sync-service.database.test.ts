import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { runCli } from "../../src/cli/run-cli.ts";
import { captureOutput, cliContext } from "../support/cli-harness.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

const paragraph = (topic: string) => `${`Some words about ${topic} that fill a paragraph. `.repeat(30)}\n`;

/** Runs the CLI on the whole service in this process, as `recollect sync` runs without a server. */
describe("the CLI on the real service", () => {
  let app: TestApp;
  let folder: string;
  let agent: string;
  let agents = 0;
  let writes: number;
  let statusAsked: () => void;
  beforeAll(async () => {
    app = await startTestApp();
  });
  afterAll(() => app.drop());
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "recollect-sync-"));
    statusAsked = () => undefined;
    agent = `cli${++agents}`;
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const write = (path: string, content: string | Buffer) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  };
  const run = async (...argv: string[]) => {
    const [stdout, stderr] = [captureOutput(), captureOutput()];
    writes = 0;
    const connect = async () => ({
      fetch: async (path: string, init?: RequestInit) => {
        if (path.endsWith("/files")) writes++;
        const response = await app.runtime.app.request(path, init);
        if (path.endsWith("/status")) statusAsked();
        return response;
      },
      close: async () => undefined,
      description: "this process",
    });
    const code = await runCli([...argv, "--agent", agent], cliContext({ connect, stdout, stderr, cwd: folder }));
    return { code, out: stdout.text, err: stderr.text };
  };
  const sync = async (...options: string[]) => {
    const { code, out } = await run("sync", ".", ...options, "--json");
    return { code, ...(JSON.parse(out) as { sent: number; unchanged: number; removed: number; toEmbed: number }) };
  };
  const paths = async () => {
    const { body } = await app.call<{ files: { path: string }[] }>("GET", `/v1/agents/${agent}/files?limit=1000`);
    return body.files.map((file) => file.path);
  };

  test("whatever the bytes, the second run finds both hashes equal, sends nothing and embeds nothing", async () => {
    write("bom.md", "\ufeff# Title\r\n\r\nWith a mark.\r\n");
    write("crlf.txt", "one\r\ntwo\rthree\nfour");
    write("empty.md", "");
    write("blank.md", " \n\n\t\n");
    write("control.md", "a\u0001b\u001b[31mred\u007f and enough text around it to be text");
    write("separators.md", "a\u2028b\u2029c\u0085d\u00a0e\ufeff");
    write("unicode/日本語 のメモ.md", "東京タワー 🗼 e\u0301 é \u{10ffff} \ufffd");
    write("unicode/cafe\u0301.md", "A name in decomposed form.");
    write("a space, #hash, 50% & ?query.md", "An odd name.");
    write("deep/er/and/deeper/note.org", "* deep");
    const first = await sync();
    expect(first).toMatchObject({ code: 0, sent: 10, skipped: [], failed: [] });
    const asked = app.embedder.asked.length;
    expect(await sync()).toMatchObject({ code: 0, sent: 0, unchanged: 10, removed: 0, toEmbed: 0 });
    expect(writes).toBe(0);
    expect(app.embedder.asked).toHaveLength(asked);
    expect(await paths()).toContain("unicode/café.md");
  });

  test("editing one paragraph embeds one or two chunks; a rename and a copy embed none", async () => {
    const text = Array.from({ length: 12 }, (_, i) => paragraph(`${agent} topic ${i}`));
    write("long.md", text.join("\n"));
    const first = await sync();
    expect(first.toEmbed).toBeGreaterThan(5);
    write("long.md", text.with(5, paragraph("something else")).join("\n"));
    const edited = await sync();
    expect(edited.sent).toBe(1);
    expect([1, 2]).toContain(edited.toEmbed);
    renameSync(join(folder, "long.md"), join(folder, "renamed.md"));
    write("copy.md", text.with(5, paragraph("something else")).join("\n"));
    expect(await sync()).toMatchObject({ sent: 2, removed: 1, toEmbed: 0 });
    expect(await paths()).toEqual(["copy.md", "renamed.md"]);
  });

  test("a file becomes a folder of its name, and the other way round", async () => {
    write("notes.md", "A file.");
    await sync();
    rmSync(join(folder, "notes.md"));
    write("notes.md/inner.md", "A file in a folder.");
    expect(await sync()).toMatchObject({ code: 0, sent: 1, removed: 1 });
    expect(await paths()).toEqual(["notes.md/inner.md"]);
    rmSync(join(folder, "notes.md"), { recursive: true });
    write("notes.md", "A file again.");
    expect(await sync()).toMatchObject({ code: 0, sent: 1, removed: 1 });
    expect(await paths()).toEqual(["notes.md"]);
  });

  test("names the server refuses are named and stay behind; all else is stored", async () => {
    write("good.md", "Good.");
    write("back\\slash.md", "Not on every system.");
    write("line\nbreak.md", "Nor this.");
    write("C:drive.md", "Nor this.");
    const result = await sync();
    expect(result).toMatchObject({ code: 1, sent: 1 });
    expect(result).toHaveProperty("failed.length", 3);
    expect(await paths()).toEqual(["good.md"]);
  });

  test("a file whose name cannot be read stays on the server, its neighbours go", async () => {
    write("bad\ufffd.md", "Stays.");
    write("bad\ufffd.mdx", "Goes.");
    write("other.md", "Stays, so that the folder is not empty.");
    await sync();
    rmSync(join(folder, "bad\ufffd.md"));
    rmSync(join(folder, "bad\ufffd.mdx"));
    // A name that is not UTF-8, which only some file systems allow. Node cannot open the name that
    // it reads from the folder.
    try {
      writeFileSync(Buffer.concat([Buffer.from(join(folder, "bad")), Buffer.of(0xff), Buffer.from(".md")]), "x");
    } catch {
      write("bad\ufffd.md", "Stays.");
    }
    await sync();
    expect(await paths()).toEqual(["bad\ufffd.md", "other.md"]);
  });

  test("1,100 small files, over two pages of the list, in as few requests as the batches allow", async () => {
    for (let i = 0; i < 1100; i++) write(`notes/${i % 20}/${i}.md`, `Note number ${i} of many.`);
    expect(await sync("--no-wait")).toMatchObject({ code: 0, sent: 1100 });
    expect(writes).toBe(Math.ceil(1100 / 64));
    expect(await sync("--no-wait")).toMatchObject({ code: 0, sent: 0, unchanged: 1100, removed: 0 });
    rmSync(join(folder, "notes/0"), { recursive: true });
    expect(await sync("--no-wait")).toMatchObject({ code: 0, sent: 0, unchanged: 1045, removed: 55 });
  });

  test("--dry-run makes no agent, and embeddings that an earlier run left are waited for", async () => {
    write("note.md", "The zeppelin calendar hangs in the hall.");
    expect(await sync("--dry-run")).toMatchObject({ code: 0, sent: 1 });
    expect((await app.call("GET", `/v1/agents/${agent}`)).status).toBe(404);
    const { promise, resolve } = Promise.withResolvers<void>();
    app.embedder.gate = promise;
    await sync("--no-wait");
    statusAsked = () => {
      app.embedder.gate = undefined;
      resolve();
    };
    expect(await sync()).toMatchObject({ sent: 0, embedded: 1, pendingEmbeddings: 0 });
  });

  test("what was synced is found, read and counted", async () => {
    write("memory/keys.md", "# Keys\n\nThe spare key hangs behind the zeppelin calendar.\n\nThe end.\n");
    await sync();
    const found = await run("search", "zeppelin calendar");
    expect(found).toMatchObject({ code: 0, out: expect.stringMatching(/^1\. memory\/keys\.md#L1-L5 {2}0\.\d{3} \(/m) });
    const json = JSON.parse((await run("search", "zeppelin", "--json", "--max-results", "1")).out);
    expect(json.results).toMatchObject([{ path: "memory/keys.md", startLine: 1 }]);
    const part = await run("get", "memory/keys.md", "--from", "3", "--lines", "1");
    expect(part).toEqual({
      code: 0,
      out: "The spare key hangs behind the zeppelin calendar.\n",
      err: "(more: --from 4)\n",
    });
    expect(JSON.parse((await run("get", "memory/keys.md", "--json")).out)).toMatchObject({ from: 1, lines: 5 });
    expect(await run("get", "gone.md")).toMatchObject({ code: 1, out: "", err: expect.stringMatching(/gone\.md/) });
    expect(await run("get", "../etc/passwd")).toMatchObject({
      code: 1,
      err: expect.stringMatching(/\(invalid_path\)/),
    });
    expect((await run("status")).out).toMatch(/^agent +files .*\n\S+ +1 /);
    expect(JSON.parse((await run("status", "--json")).out)).toMatchObject({ agentId: agent, files: 1 });
    agent = "nobody";
    expect(await run("status")).toMatchObject({ code: 1, err: expect.stringMatching(/\(agent_not_found\)/) });
  });
});
