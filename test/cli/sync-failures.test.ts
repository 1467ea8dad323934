import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { SyncSummary } from "../../src/cli/folder/sync-report.ts";
import { type CliHarness, startCliHarness } from "../support/cli-harness.ts";
import { errorReply, type RecordedRequest, type Reply } from "../support/fake-api.ts";

let cli: CliHarness;

beforeEach(async () => {
  cli = await startCliHarness();
});

afterEach(async () => {
  expect(cli.openConnections()).toBe(0);
  await cli.close();
});

const sync = (...argv: string[]) => cli.run(["sync", ".", ...argv]);

/** Answers the first POST requests with these replies, then lets the API answer. */
function failPosts(...replies: (Reply | "hang up")[]): void {
  cli.api.intercept = (request) => (request.method === "POST" ? replies.shift() : undefined);
}

describe("a server in trouble", () => {
  const now = { "retry-after": "0" };

  test("503, 502 and 429 are tried again, and the result is as if nothing had been", async () => {
    cli.write("a.md", "a");
    failPosts(
      errorReply(503, "database_unavailable", "No.", now),
      { status: 502, body: "<html>bad gateway</html>", headers: now },
      errorReply(429, "conflict", "Slower.", now),
    );
    expect(await sync()).toMatchObject({ code: 0, out: expect.stringMatching(/^sent 1 /) });
    expect(cli.api.posts()).toHaveLength(4);
    expect(cli.api.paths()).toEqual(["a.md"]);
  });

  test("a long wait for the rate limit is said, so that the command does not seem to hang", async () => {
    cli.write("a.md", "a");
    failPosts(errorReply(429, "rate_limited", "Slower.", { "retry-after": "3" }));
    const { code, err } = await sync();
    expect(code).toBe(0);
    expect(err).toBe("The server's rate limit is reached; the command goes on in 3 s.\n");
  });

  test("a connection that breaks is tried again", async () => {
    cli.write("a.md", "a");
    failPosts("hang up");
    expect((await sync()).code).toBe(0);
    expect(cli.api.posts()).toHaveLength(2);
  });

  test("Retry-After may be a date, and is waited for", async () => {
    cli.write("a.md", "a");
    const until = Math.ceil(Date.now() / 1000) * 1000 + 1000;
    failPosts(errorReply(503, "shutting_down", "Later.", { "retry-after": new Date(until).toUTCString() }));
    expect((await sync()).code).toBe(0);
    // Timers may fire a millisecond early.
    expect(Date.now()).toBeGreaterThanOrEqual(until - 5);
  });

  test("after five tries the server's sentence and code come out, without a stack", async () => {
    cli.write("a.md", "a");
    cli.api.intercept = () => errorReply(503, "database_unavailable", "The database is away.", now);
    expect(await sync()).toEqual({
      code: 1,
      out: "",
      err: "The database is away. See recollect doctor. (database_unavailable)\n",
    });
    expect(cli.api.requests).toHaveLength(5);
  });

  test("an error that patience does not cure is not tried again; an internal one names its request", async () => {
    cli.write("a.md", "a");
    cli.api.intercept = () => errorReply(500, "internal", "Something went wrong.");
    expect(await sync()).toEqual({ code: 1, out: "", err: "Something went wrong. (internal, request r-1)\n" });
    // After a failure the command also asks a server without a version header for its version.
    expect(cli.api.requests.filter(({ path }) => path !== "/health/live")).toHaveLength(1);
  });

  test("another kind of server is told apart", async () => {
    cli.write("a.md", "a");
    for (const status of [200, 404]) {
      cli.api.intercept = () => ({ status, body: "<html>hello</html>" });
      const { code, err } = await sync();
      expect(code).toBe(1);
      expect(err).toContain(`(status ${status}) but not as Recollect does; check the URL. (service_unreachable)`);
    }
  });

  test("when a batch fails no further ones start", async () => {
    for (let i = 0; i < 64 * 6; i++) cli.write(`${i}.md`, `${i}`);
    cli.api.intercept = ({ method }) => (method === "POST" ? errorReply(500, "internal", "Broken.") : undefined);
    expect((await sync()).code).toBe(1);
    expect(cli.api.posts().length).toBeLessThanOrEqual(4);
  });
});

describe("a file in trouble", () => {
  test("one refused path is named and does not keep out its neighbours", async () => {
    const refused = 'odd"name.md';
    for (let i = 0; i < 10; i++) cli.write(`${i}.md`, `${i}`);
    cli.write(refused, "x");
    const has = (request: RecordedRequest) => request.body.put?.some((file) => file.path === refused);
    cli.api.intercept = (request) => (has(request) ? errorReply(400, "invalid_path", "The path is odd.") : undefined);
    const ran = await sync();
    expect(ran.code).toBe(1);
    expect(ran.out).toMatch(
      /^sent 10 · .*failed 1 \(named below\).*\n {2}failed odd"name\.md: The path is odd\. \(invalid_path\)\n$/,
    );
    expect(cli.api.paths()).toHaveLength(10);
  });

  test("a file that changed since the walk is sent as it is now; one that went away is named and not deleted", async () => {
    // Four batches go out at once. The fifth is read only after an answer has come, when the walk
    // is long over.
    for (let i = 0; i < 4 * 64; i++) cli.write(`a/${i}.md`, `${i}`);
    for (const name of ["y.md", "z.md"]) cli.write(name, "old");
    cli.api.files = new Map(
      ["y.md", "z.md"].map((path) => [path, { content: "stored", mtime: undefined, origin: cli.origin }]),
    );
    // Uses a flag instead of the number of requests, because a second request may arrive before the
    // first is answered.
    let isFirst = true;
    cli.api.intercept = ({ method }) => {
      if (method === "POST" && isFirst) {
        isFirst = false;
        cli.write("y.md", "new");
        rmSync(join(cli.folder, "z.md"));
      }
      return undefined;
    };
    const ran = await sync("--json");
    expect(ran.code).toBe(1);
    expect(JSON.parse(ran.out) as SyncSummary).toMatchObject({
      sent: 257,
      failed: [{ path: "z.md", reason: "changed while syncing: no such file (ENOENT)" }],
    });
    expect(cli.api.files.get("y.md")?.content).toBe("new");
    expect(cli.api.files.get("z.md")?.content).toBe("stored");
  });

  test("escape sequences in a name do not reach the terminal", async () => {
    cli.write("\u001b[31mred.md", Buffer.from([0]));
    expect((await sync()).out).toContain("skipped \ufffd[31mred.md: binary");
  });
});

describe("a folder in trouble", () => {
  test("what could not be read is not deleted from the server, be it a file or a folder", async () => {
    const isLinux = process.platform === "linux";
    cli.write("a.md", "a");
    const stored = { content: "x", mtime: undefined, origin: cli.origin };
    const remote = ["dir-\ufffd/b.md", "file-\ufffd.md", "dir-\ufffd.md"];
    cli.api.files = new Map(remote.map((path) => [path, stored]));
    // A file whose name is not UTF-8 cannot be opened again, not even by root. Only Linux allows
    // making one.
    const badName = (name: string) => Buffer.from(`${cli.folder}/${name}`, "latin1");
    if (isLinux) mkdirSync(badName("dir-\xff"));
    if (isLinux) writeFileSync(badName("file-\xff.md"), "x");
    const ran = await sync("--json");
    expect(ran.code).toBe(isLinux ? 1 : 0);
    expect(cli.api.paths()).toEqual(["a.md", ...(isLinux ? remote.slice(0, 2) : [])]);
  });

  test("one without text files does not wipe the memory, unless told to", async () => {
    cli.write("photo.png", "x");
    cli.api.files = new Map([["a.md", { content: "a", mtime: undefined, origin: cli.origin }]]);
    const refused = await sync();
    expect(refused).toMatchObject({ code: 1, out: "" });
    expect(refused.err).toMatch(
      /has no texts or documents, and the agent has 1 file from it; pass --allow-empty .*\(invalid_request\)\n$/,
    );
    expect(cli.api.paths()).toEqual(["a.md"]);
    expect((await sync("--allow-empty")).code).toBe(0);
    expect(cli.api.paths()).toEqual([]);
  });

  test("an empty folder and an agent that has nothing are in step", async () => {
    expect(await sync()).toMatchObject({
      code: 0,
      err: "The folder has no texts or documents that can be sent; recollect help sync lists the kinds.\n",
      out: expect.stringMatching(/^sent 0 · unchanged 0 · removed 0 /),
    });
  });

  test("files of kinds that are never sent are counted", async () => {
    for (const name of ["program.py", "picture.png", "no-ending"]) cli.write(name, "x");
    expect(await sync()).toMatchObject({
      code: 0,
      err: expect.stringMatching(/^The folder has no texts or documents/),
      out: expect.stringContaining(" · skipped 0 · left out 3 files of other kinds (--verbose) · "),
    });
    cli.write("a.md", "x");
    expect(await sync()).toMatchObject({
      err: "",
      out: expect.stringMatching(/^sent 1 .* left out 3 files of other kinds /),
    });
  });

  test("files with the same reason share a line, unless all names are asked for", async () => {
    for (const name of ["a", "b", "c", "d", "e"]) cli.write(`${name}.odt`, "x");
    cli.write("sheet.xlsx", "x");
    expect((await sync()).out).toMatch(
      /skipped 6 \(named below\).*\n {2}skipped a\.odt, b\.odt, c\.odt and 2 more \(--verbose\): odt is not read; .*\n {2}skipped sheet\.xlsx: .*\n$/,
    );
    expect((await sync("--verbose")).out).toMatch(/(?: {2}skipped [a-e]\.odt: .*\n){5} {2}skipped sheet\.xlsx: .*\n$/);
  });

  test("one that does not exist, or is a file, is a usage error, and nothing is asked of the server", async () => {
    cli.write("file.md", "x");
    const sentences = {
      missing: "There is no folder missing.",
      "file.md": "file.md is no folder; name the folder that holds it.",
    };
    for (const [dir, sentence] of Object.entries(sentences)) {
      expect(await cli.run(["sync", dir])).toEqual({
        code: 2,
        out: "",
        err: `${sentence} (invalid_request)\nSee: recollect help sync\n`,
      });
      // The name keeps its spelling in the object too.
      const { err } = await cli.run(["sync", dir, "--json"]);
      expect(JSON.parse(err)).toMatchObject({ code: "invalid_request", detail: sentence });
    }
    expect(cli.api.requests).toEqual([]);
  });
});
