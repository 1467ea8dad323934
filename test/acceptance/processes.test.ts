import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";
import { type FakeEmbeddings, startFakeEmbeddings } from "../support/fake-embeddings.ts";
import { callUrl, type RunningCommand, runCommand, startServerProcess } from "../support/process.ts";
import { until } from "../support/until.ts";

/** A server on Postgres requires a key, on loopback too. */
const ADMIN_KEY = `rcl_${"a".repeat(12)}_${"b".repeat(48)}`;

interface Status {
  pendingEmbeddings: number;
  chunks: number;
  files: number;
  jobs: Record<string, { active: number; waiting: number }>;
}

describe("processes", () => {
  let fake: FakeEmbeddings;
  let folder: string;
  let database: TestDatabase;
  let env: Record<string, string>;
  const running: RunningCommand[] = [];
  beforeEach(async () => {
    fake = await startFakeEmbeddings();
    folder = mkdtempSync(join(tmpdir(), "recollect-"));
    database = await openTestDatabase();
    // On Postgres the processes share this test's database; embedded, each process uses the folder
    // alone.
    env = {
      ...(database.url ? { DATABASE_URL: database.url } : {}),
      RECOLLECT_DATA_DIR: folder,
      RECOLLECT_ADMIN_KEY: ADMIN_KEY,
      RECOLLECT_PROVIDER: "openai",
      RECOLLECT_BASE_URL: fake.url,
      RECOLLECT_OUTPUT_DIMENSIONALITY: "64",
      OPENAI_API_KEY: "test-key",
    };
  });
  afterEach(async () => {
    for (const { child } of running.splice(0)) child.kill("SIGKILL");
    await fake.close();
    await database.drop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  const serve = async (extra: Record<string, string> = {}, args: string[] = []) => {
    const server = await startServerProcess({ ...env, ...extra }, args);
    running.push(server);
    return server;
  };
  const ask = <T>(url: string, method: string, path: string, body?: unknown) =>
    callUrl<T>(url, method, path, body, ADMIN_KEY);
  const status = async (url: string) => (await ask<Status>(url, "GET", "/v1/agents/main/status")).body;
  const write = (url: string, from: number, to: number) =>
    ask(url, "POST", "/v1/agents/main/files", {
      put: Array.from({ length: to - from }, (_, i) => ({
        path: `n/${from + i}.md`,
        content: `Note number ${from + i}.`,
      })),
    });

  test("a data folder belongs to one process: a second is refused with a sentence, and kill -9 frees it", async () => {
    const { DATABASE_URL: _, ...embedded } = env;
    env = embedded;
    const first = await serve();
    const second = runCommand(["serve", "--port", "0"], env);
    expect(await second.ended).toBe(1);
    expect(second.output().stderr).toMatch(
      /^The data folder .* is open in the server at http:\/\/127\.0\.0\.1:\d+: use that one .*\(data_folder_in_use\)\n$/,
    );
    first.child.kill("SIGKILL");
    await first.ended;
    const third = await serve();
    expect((await callUrl(third.url, "GET", "/health/ready")).status).toBe(200);
  });

  test("SIGTERM: the request under way is answered, the job goes back, the rest is embedded once after a restart", async () => {
    const first = await serve();
    await write(first.url, 0, 50);
    await until(async () => (await status(first.url)).pendingEmbeddings === 0);
    const { promise, resolve: release } = Promise.withResolvers<void>();
    fake.gate = promise;
    await write(first.url, 50, 100);
    const search = ask<{ results: unknown[] }>(first.url, "POST", "/v1/agents/main/tools/memory_search", {
      query: "note 7",
    });
    await until(async () => fake.requests.some((request) => request.body.input.includes("note 7")));
    await until(async () => fake.requests.some((request) => request.body.input.includes("Note number 70.")));
    first.child.kill("SIGTERM");
    await first.saw(/"msg":"stopping"/);
    release();
    fake.gate = undefined;
    expect((await search).status).toBe(200);
    expect((await search).body.results.length).toBeGreaterThan(0);
    expect(await first.ended).toBe(0);
    const second = await serve();
    await until(async () => (await status(second.url)).pendingEmbeddings === 0);
    expect(await status(second.url)).toMatchObject({ chunks: 100, files: 100 });
    const early = Array.from({ length: 50 }, (_, i) => fake.asked.get(`Note number ${i}.`));
    expect(early).toEqual(Array(50).fill(1));
  });

  test("kill -9 in the middle of embedding: everything is embedded once, nothing is lost, nothing is there twice", async () => {
    const first = await serve();
    let answered = 0;
    // The third batch never gets an answer: the process is killed while it waits.
    fake.fault = () => ++answered > 2;
    for (let from = 0; from < 500; from += 100) await write(first.url, from, from + 100);
    await until(async () => answered > 2);
    const stored = new Set(fake.asked.keys());
    first.child.kill("SIGKILL");
    await first.ended;
    fake.fault = undefined;
    const second = await serve();
    await until(async () => (await status(second.url)).pendingEmbeddings === 0);
    expect(await status(second.url)).toMatchObject({ chunks: 500, files: 500 });
    expect(fake.asked.size).toBe(500);
    // Texts that were stored before the kill, or in the one batch whose answer was in flight. No
    // other text is requested again.
    const again = [...fake.asked].filter(([, times]) => times > 1).map(([text]) => text);
    expect(again.length).toBeLessThanOrEqual(100);
    expect(again.every((text) => stored.has(text))).toBe(true);
    const found = await ask<{ results: { path: string; vectorScore?: number }[] }>(
      second.url,
      "POST",
      "/v1/agents/main/tools/memory_search",
      {
        query: "Note number 432",
      },
    );
    expect(found.body.results[0]).toMatchObject({ path: "n/432.md" });
    expect(found.body.results[0]?.vectorScore).toBeGreaterThan(0.9);
  });

  test("the tour remembers a conversation, syncs the example workspace, shows a search and a get, and goes on serving until it is told to stop", async () => {
    const tour = runCommand(["start"], { ...env, RECOLLECT_PROVIDER: "builtin", RECOLLECT_PORT: "0" });
    running.push(tour);
    const [, url = ""] = await tour.saw(/keeps serving at (http\S+)/);
    const { stdout } = tour.output();
    expect(stdout).toMatch(/what is my name\?.*\n.*\n\n1\. facts\/\d+.*\n {3}My name is Petra/);
    expect(stdout).toMatch(/sent \d{2,} · unchanged 0/);
    expect(stdout).toMatch(/\n1\. memory\/2026-04-09\.md#L1-L\d+ {2}0\.\d+ \(vector/);
    expect(stdout).toContain("# Long-term memory");
    expect((await status(url)).pendingEmbeddings).toBe(0);
    expect(stdout.match(/^curl -s .*$/gm)?.length).toBeGreaterThanOrEqual(4);
    expect(await tour.saw(/folder of your own: +(\S+) sync/)).toMatchObject({
      1: expect.stringMatching(/\/recollect$/),
    });
    tour.child.kill("SIGTERM");
    expect(await tour.ended).toBe(0);
  });

  const broken: [string, Record<string, string | undefined>, string[], RegExp][] = [
    [
      "a DATABASE_URL that is none",
      { DATABASE_URL: "mysql://root:hunter2@db" },
      ["serve"],
      /DATABASE_URL.*\(config_invalid\)/,
    ],
    [
      "a Postgres that is not there",
      { DATABASE_URL: "postgres://u:hunter2@127.0.0.1:1/db" },
      ["serve"],
      /\(database_unavailable\)/,
    ],
    ["a port that is none", { RECOLLECT_PORT: "hunter2" }, ["serve"], /RECOLLECT_PORT.*\(config_invalid\)/],
    [
      "a server whose database's URL is empty",
      { DATABASE_URL: "" },
      ["serve"],
      /DATABASE_URL: is empty.*\(config_invalid\)/,
    ],
    ["a worker without a server", { DATABASE_URL: undefined }, ["worker"], /set DATABASE_URL.*\(config_invalid\)/],
    [
      "openai without a key",
      { OPENAI_API_KEY: "", RECOLLECT_BASE_URL: "" },
      ["serve"],
      /OPENAI_API_KEY.*\(config_invalid\)/,
    ],
  ];
  test.each(broken)("%s ends with one sentence", async (_what, extra, args, sentence) => {
    const command = runCommand(args, { ...env, ...extra });
    expect(await command.ended).toBe(1);
    const { stderr } = command.output();
    expect(stderr.trim().split("\n").at(-1)).toMatch(sentence);
    expect(stderr).not.toMatch(/hunter2|test-key|\n\s+at /);
  });
});
