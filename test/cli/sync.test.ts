import { mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { batchesOf } from "../../src/cli/folder/send-changes.ts";
import type { Unit } from "../../src/cli/folder/sending.ts";
import type { SyncSummary } from "../../src/cli/folder/sync-report.ts";
import { type CliHarness, captureOutput, startCliHarness } from "../support/cli-harness.ts";
import { processorTime } from "../support/processor-time.ts";

let cli: CliHarness;

beforeEach(async () => {
  cli = await startCliHarness();
});

afterEach(async () => {
  expect(cli.openConnections()).toBe(0);
  await cli.close();
});

const sync = (...argv: string[]) => cli.run(["sync", ".", ...argv]);
const syncJson = async (...argv: string[]) => JSON.parse((await sync("--json", ...argv)).out) as SyncSummary;
const sentPaths = () => cli.api.posts().flatMap((request) => (request.body.put ?? []).map((file) => file.path));

describe("what is sent", () => {
  test("the first run sends everything as it is on disk, the second nothing", async () => {
    cli.write("a.md", "\ufeffone\r\n");
    cli.write("日本/caf\u0065\u0301 😀.md", "two");
    utimesSync(join(cli.folder, "a.md"), new Date(0), new Date("2026-05-18T10:00:00Z"));
    const first = await sync();
    expect(first.code).toBe(0);
    expect(first.out).toMatch(
      /^sent 2 · unchanged 0 · removed 0 · skipped 0 · chunks 2 · embedded 0 \(2 from the cache\) · \d+\.\d s\n$/,
    );
    expect(cli.api.paths()).toEqual(["a.md", "日本/caf\u00e9 😀.md"]);
    expect(cli.api.files?.get("a.md")).toMatchObject({
      content: "\ufeffone\r\n",
      mtime: "2026-05-18T10:00:00.000Z",
    });
    cli.api.requests.length = 0;
    expect((await sync()).out).toMatch(/^sent 0 · unchanged 2 · removed 0 /);
    expect(cli.api.posts()).toEqual([]);
  });

  test("a changed file is a put, a deleted one a delete, a renamed one both, all in one request", async () => {
    for (const name of ["same.md", "edit.md", "gone.md", "old.md"]) cli.write(name, name);
    await sync();
    cli.api.requests.length = 0;
    cli.write("edit.md", "edited");
    rmSync(join(cli.folder, "gone.md"));
    renameSync(join(cli.folder, "old.md"), join(cli.folder, "new.md"));
    expect(await syncJson()).toMatchObject({ sent: 2, unchanged: 1, removed: 2 });
    expect(cli.api.paths()).toEqual(["edit.md", "new.md", "same.md"]);
    expect(cli.api.posts()).toHaveLength(1);
    expect(sentPaths()).toEqual(["edit.md", "new.md"]);
    expect(cli.api.posts()[0]?.body.delete?.toSorted()).toEqual(["gone.md", "old.md"]);
  });

  test("many renamed files go each with its old name, lone deletions last", async () => {
    for (let i = 0; i < 150; i++) cli.write(`old/${i}.md`, `${i}`);
    await sync();
    cli.api.requests.length = 0;
    renameSync(join(cli.folder, "old"), join(cli.folder, "new"));
    rmSync(join(cli.folder, "new/149.md"));
    expect(await syncJson()).toMatchObject({ sent: 149, removed: 150 });
    const posts = cli.api.posts();
    // A request has 100 paths, two for each file.
    expect(posts).toHaveLength(4);
    for (const { body } of posts.slice(0, 3))
      expect(body.delete).toEqual(body.put?.map(({ path }) => path.replace("new/", "old/")));
    expect(posts[3]?.body).toEqual({ delete: ["old/149.md"], origin: cli.origin });
  });

  test("--prefix puts the folder into a folder of the memory, and touches nothing outside it", async () => {
    cli.write("a.md", "a");
    const stored = { content: "x", mtime: undefined, origin: `${cli.origin}#hand/` };
    cli.api.files = new Map([
      ["hand/gone.md", stored],
      ["handbook.md", stored],
      ["other.md", stored],
    ]);
    expect(await syncJson("--prefix", "hand/")).toMatchObject({ sent: 1, removed: 1 });
    expect(cli.api.paths()).toEqual(["hand/a.md", "handbook.md", "other.md"]);
    for (const bad of ["", "/abs", "a//b", "../a", "a\\b"]) expect((await sync("--prefix", bad)).code).toBe(2);
  });

  test("all pages of the server's list count", async () => {
    for (let i = 0; i < 7; i++) cli.write(`${i}.md`, `${i}`);
    await sync();
    cli.api.pageSize = 3;
    expect(await syncJson()).toMatchObject({ sent: 0, unchanged: 7, removed: 0 });
  });

  test("--ignore leaves files out, --max-file-bytes skips them by name", async () => {
    for (const name of ["a.md", "b.txt", "drafts/c.md"]) cli.write(name, "12345");
    cli.write("large.md", "123456");
    const ran = await sync("--max-file-bytes", "5", "--ignore", "*.txt", "drafts/");
    expect(ran.code).toBe(0);
    expect(ran.out).toMatch(/skipped 1 \(named below\).*\n {2}skipped large\.md: larger than 5 bytes\n$/);
    expect(cli.api.paths()).toEqual(["a.md"]);
  });

  test("--dry-run names what it would do and writes nothing", async () => {
    cli.write("a.md", "a");
    cli.api.files = new Map([["old.md", { content: "old", mtime: undefined, origin: cli.origin }]]);
    const ran = await sync("--dry-run");
    expect(ran.out).toMatch(
      /^would send a\.md\nwould remove old\.md\nwould send 1 · unchanged 0 · would remove 1 · skipped 0 · /,
    );
    expect(await syncJson("--dry-run")).toMatchObject({ dryRun: true, wouldSend: ["a.md"], wouldRemove: ["old.md"] });
    expect(cli.api.posts()).toEqual([]);
    expect(cli.api.paths()).toEqual(["old.md"]);
  });
});

describe("batches", () => {
  test("hold at most 64 files, 100 paths, 1 MB or one file, and every change once, in order", () => {
    const size = fc.option(fc.oneof(fc.nat(2000), fc.nat(2_000_000)), { nil: undefined });
    const changes = fc.array(fc.record({ size, moved: fc.boolean() }), { maxLength: 300 });
    fc.assert(
      fc.property(changes, (list) => {
        const units = list.map(({ size, moved }, i): Unit => {
          const file = { path: `${i}`, absolute: "", hash: "", size: size ?? 0, mtime: new Date(0) };
          return { ...(size !== undefined && { file }), ...((moved || size === undefined) && { doomed: `old ${i}` }) };
        });
        const batches = batchesOf(units);
        expect(batches.flat()).toEqual(units);
        for (const batch of batches) {
          const files = batch.flatMap((unit) => unit.file ?? []);
          const paths = files.length + batch.filter((unit) => unit.doomed !== undefined).length;
          expect(files.length).toBeLessThanOrEqual(64);
          expect(paths).toBeLessThanOrEqual(100);
          const bytes = files.reduce((sum, file) => sum + file.size, 0);
          expect(batch.length === 1 || bytes <= 1_000_000).toBe(true);
        }
      }),
    );
  });

  test("3,000 files go over quickly, never more than four batches at once, and go away as quickly", async () => {
    for (let folder = 0; folder < 30; folder++) {
      mkdirSync(join(cli.folder, `d${folder}`));
      for (let i = 0; i < 100; i++) writeFileSync(join(cli.folder, `d${folder}/f${i}.md`), `# ${folder}-${i}\n`);
    }
    cli.api.heldUntil = 2;
    const spent = processorTime();
    expect(await syncJson()).toMatchObject({ sent: 3000, chunks: 3000 });
    // About 0.4 s here; the bound only catches a walk or an upload that became quadratic.
    expect(spent()).toBeLessThan(10_000);
    expect(cli.api.posts()).toHaveLength(Math.ceil(3000 / 64));
    expect(cli.api.mostInFlight).toBeGreaterThan(1);
    expect(cli.api.mostInFlight).toBeLessThanOrEqual(4);
    cli.api.requests.length = 0;
    expect(await syncJson()).toMatchObject({ sent: 0, unchanged: 3000 });
    expect(cli.api.posts()).toHaveLength(0);
    for (let folder = 1; folder < 30; folder++) rmSync(join(cli.folder, `d${folder}`), { recursive: true });
    expect(await syncJson()).toMatchObject({ removed: 2900, unchanged: 100 });
    expect(cli.api.posts()).toHaveLength(29);
  });
});

describe("embeddings", () => {
  test("it waits until none is pending and says how many were made", async () => {
    cli.write("a.md", "a");
    cli.api.pendingPerFile = 2;
    cli.api.pending = [2, 1, 0];
    const ran = await sync();
    expect(ran.out).toMatch(/ · chunks 1 · embedded 2 · /);
    // Progress is printed only on a terminal.
    expect(ran.err).toBe("");
  });

  test("--no-wait asks nothing and says what is still to be made", async () => {
    cli.write("a.md", "a");
    cli.api.pendingPerFile = 2;
    cli.api.pending = [2];
    expect((await sync("--no-wait")).out).toMatch(/ · embedded 0 · still to embed 2 · /);
    expect(cli.api.requests.some((request) => request.path.endsWith("/status"))).toBe(false);
  });
});

describe("output", () => {
  test("--json is one JSON object, also with skipped files", async () => {
    cli.write("a.md", "a");
    cli.write("b.md", Buffer.from([0]));
    const { out } = await sync("--json");
    expect(out.trimEnd().split("\n")).toHaveLength(1);
    expect(JSON.parse(out)).toMatchObject({
      agent: "main",
      dryRun: false,
      sent: 1,
      skipped: [{ path: "b.md", reason: "binary" }],
      failed: [],
    });
  });

  test("a terminal gets a bar on standard error, and the summary alone on standard output", async () => {
    cli.write("a.md", "a");
    const [stdout, stderr] = [captureOutput(true), captureOutput(true)];
    await cli.run(["sync", "."], { stdout, stderr });
    expect(stderr.text).toContain("sending");
    expect(stdout.text).toMatch(/^sent 1 [^\n]*\n$/);
  });
});

test("the agent of --agent is written to, and its id is escaped", async () => {
  cli.write("a.md", "a");
  const ran = await sync("--agent", "a/b");
  expect(ran.code).toBe(1);
  expect(cli.api.requests[0]?.path).toBe("/v1/agents/a%2Fb/origins");
  expect(sentPaths()).toEqual([]);
});
