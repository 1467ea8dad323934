import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type CliHarness, startCliHarness } from "../support/cli-harness.ts";
import { errorReply } from "../support/fake-api.ts";
import { until } from "../support/until.ts";
import { beginWatch, startWatch, type Watching } from "../support/watch-harness.ts";

let cli: CliHarness;
let watching: Watching | undefined;

beforeEach(async () => {
  cli = await startCliHarness();
});

afterEach(async () => {
  if (watching) expect(await watching.stop()).toBe(0);
  watching = undefined;
  expect(cli.openConnections()).toBe(0);
  await cli.close();
});

const at = (path: string) => join(cli.folder, path);
const has = (path: string, content: string) => () => cli.api.files?.get(path)?.content === content;
const hasOnly =
  (...paths: string[]) =>
  () =>
    cli.api.paths().join() === paths.join();
const stored = (content: string, place = "") => ({ content, mtime: undefined, origin: `${cli.origin}${place}` });

describe("a folder that changes", () => {
  test("begins as a sync, then every file that comes, changes or goes is so in the memory", async () => {
    cli.write("a.md", "a");
    cli.write("deep/er/b.md", "b");
    cli.api.files = new Map([["gone.md", stored("gone")]]);
    watching = await startWatch(cli);
    expect(cli.api.paths()).toEqual(["a.md", "deep/er/b.md"]);
    cli.write("a.md", "a2");
    cli.write("new/folder/c.md", "c");
    cli.write("code.ts", "not memory");
    await until(has("a.md", "a2"));
    await until(has("new/folder/c.md", "c"));
    rmSync(at("deep"), { recursive: true });
    await until(hasOnly("a.md", "new/folder/c.md"));
    rmSync(at("new"), { recursive: true });
    cli.write("new/folder/d.md", "again");
    await until(hasOnly("a.md", "new/folder/d.md"));
  });

  test("a renamed file and a renamed folder go in one request each, new and old name together", async () => {
    cli.write("old.md", "text");
    for (let i = 0; i < 30; i++) cli.write(`from/${i}.md`, `note ${i}`);
    // Longer than the time that a busy machine takes from the first event of a rename to the last.
    watching = await startWatch(cli, "--debounce", "700");
    cli.api.requests.length = 0;
    renameSync(at("old.md"), at("new.md"));
    await until(has("new.md", "text"));
    renameSync(at("from"), at("to"));
    await until(() => cli.api.paths().filter((path) => path.startsWith("to/")).length === 30);
    const posts = cli.api.posts().map(({ body }) => [body.put?.map((file) => file.path), body.delete]);
    expect(posts).toHaveLength(2);
    expect(posts[0]).toEqual([["new.md"], ["old.md"]]);
    expect(posts[1]?.[1]).toEqual(posts[1]?.[0]?.map((path) => path?.replace("to/", "from/")));
    expect(cli.api.paths()).toHaveLength(31);
  });

  test("a rule that is added, changed or removed holds at once, in both directions", async () => {
    for (const path of ["a.md", "drafts/b.md", "drafts/c.md"]) cli.write(path, path);
    cli.write(".recollectignore", "drafts/\n");
    watching = await startWatch(cli);
    expect(cli.api.paths()).toEqual(["a.md"]);
    cli.write("drafts/.gitignore", "c.md\n");
    cli.write(".recollectignore", "a.md\n");
    await until(hasOnly("drafts/b.md"));
    // The file is watched now, although it was ignored when the command began.
    cli.write("drafts/b.md", "b2");
    await until(has("drafts/b.md", "b2"));
    rmSync(at("drafts/.gitignore"));
    await until(hasOnly("drafts/b.md", "drafts/c.md"));
    rmSync(at(".recollectignore"));
    await until(hasOnly("a.md", "drafts/b.md", "drafts/c.md"));
  });

  test("with a prefix nothing outside it is touched, and names are those of the memory", async () => {
    cli.write("a.md", "a");
    cli.api.files = new Map([
      ["other.md", stored("x")],
      ["hand/gone.md", stored("x", "#hand/")],
    ]);
    watching = await startWatch(cli, "--prefix", "hand");
    expect(cli.api.paths()).toEqual(["hand/a.md", "other.md"]);
    cli.write("sub/b.md", "b");
    await until(has("hand/sub/b.md", "b"));
    rmSync(at("sub"), { recursive: true });
    await until(hasOnly("hand/a.md", "other.md"));
  });

  test("symbolic links are named once and not followed, neither below the folder nor out of it", async () => {
    cli.write("a.md", "a");
    symlinkSync("..", at("out"));
    watching = await startWatch(cli);
    symlinkSync("a.md", at("link.md"));
    cli.write("b.md", "b");
    await until(has("b.md", "b"));
    cli.write("c.md", "c");
    await until(hasOnly("a.md", "b.md", "c.md"));
    const skipped = watching.said().flatMap((report) => (report.event === "synced" ? report.skipped : []));
    expect(skipped).toEqual([
      { path: "out/", reason: "symbolic link to a folder" },
      { path: "link.md", reason: "symbolic link" },
    ]);
  });

  test("5,200 files that change, move and go at once are few requests, and the memory is the folder's state", async () => {
    for (let i = 0; i < 2600; i++) cli.write(`d${i % 40}/${i}.md`, `first ${i}`);
    watching = await startWatch(cli);
    expect(cli.api.paths()).toHaveLength(2600);
    cli.api.requests.length = 0;
    for (let i = 0; i < 2600; i++) {
      if (i % 40 < 30) writeFileSync(at(`d${i % 40}/${i}.md`), `second ${i}`);
      cli.write(`e${i % 40}/${i}.md`, `new ${i}`);
    }
    for (let i = 30; i < 40; i++) rmSync(at(`d${i}`), { recursive: true });
    await until(() => cli.api.paths().length === 1950 + 2600);
    await until(() => [...(cli.api.files ?? [])].every(([, { content }]) => !content.startsWith("first")));
    // 4,550 files at 64 a request make 72 requests. A folder that is read while it changes may take
    // some more.
    expect(cli.api.posts().length).toBeLessThan(110);
  });
});

describe("a folder in trouble", () => {
  test("one that goes away deletes nothing; when it is back, as another one, it is compared", async () => {
    cli.write("a.md", "a");
    cli.write("b.md", "b");
    watching = await startWatch(cli);
    const aside = `${cli.folder}-aside`;
    renameSync(cli.folder, aside);
    await watching.saw("folder-away");
    expect(cli.api.paths()).toEqual(["a.md", "b.md"]);
    rmSync(join(aside, "a.md"));
    writeFileSync(join(aside, "c.md"), "c");
    renameSync(aside, cli.folder);
    await watching.saw("folder-back");
    await until(hasOnly("b.md", "c.md"));
    rmSync(cli.folder, { recursive: true });
    mkdirSync(cli.folder);
    cli.write("new.md", "new");
    await until(hasOnly("new.md"));
  });

  test("one that is emptied, as by an unmount, deletes nothing until it has files again", async () => {
    cli.write("a.md", "a");
    cli.write("b.md", "b");
    watching = await startWatch(cli);
    rmSync(at("a.md"));
    rmSync(at("b.md"));
    expect(await watching.saw("kept")).toMatchObject({ files: 2 });
    expect(cli.api.paths()).toEqual(["a.md", "b.md"]);
    cli.write("c.md", "c");
    await until(hasOnly("c.md"));
    expect(watching.said().filter(({ event }) => event === "kept")).toHaveLength(1);
  });

  test("--allow-empty lets it be emptied", async () => {
    cli.write("a.md", "a");
    watching = await startWatch(cli, "--allow-empty");
    rmSync(at("a.md"));
    await until(hasOnly());
  });
});

describe("what is said", () => {
  test("a line for each batch on a terminal; without one that it watches, then nothing unless something changed", async () => {
    cli.write("a.md", "a");
    cli.write("\u001b[31mbin.md", Buffer.from([0]));
    cli.api.files = new Map([["a.md", stored("a")]]);
    watching = beginWatch(cli, ["--debounce", "100"], true);
    await until(() => watching?.out().includes(" s\n") ?? false);
    await watching.stop();
    expect(watching.out()).toMatch(
      /^\d\d:\d\d:\d\d watching .+ for the agent main of http:.*\n\S+ sent 0 · removed 0 · .*files 1 · \S+ s\n {2}skipped \ufffd\[31mbin\.md: binary\n\S+ stopped; everything is sent\n$/,
    );
    rmSync(at("\u001b[31mbin.md"));
    watching = beginWatch(cli, ["--debounce", "100"]);
    await until(() => cli.api.requests.filter(({ method }) => method === "GET").length >= 6);
    cli.write("b.md", "b");
    await until(has("b.md", "b"));
    await watching.stop();
    expect(watching.out()).toMatch(
      /^\S+ watching .+ for the agent main of http:.*\n\S+ sent 1 · removed 0 · chunks 1 · to embed 0 · files 2 · \S+ s\n$/,
    );
    expect(watching.err()).toBe("");
  });

  test("sync.watch: false refuses to watch, at the start and as soon as a batch would be sent", async () => {
    const sync = { watch: false };
    cli.api.intercept = ({ path }) =>
      path.endsWith("/settings") ? { status: 200, body: { settings: { sync } } } : undefined;
    cli.write("a.md", "a");
    const refused = await cli.run(["watch", "."]);
    expect(refused.code).toBe(1);
    expect(refused.err).toMatch(/sync\.watch.*recollect agents set main sync\.watch true/);
    expect(cli.api.paths()).toEqual([]);

    sync.watch = true;
    const allowed = await startWatch(cli);
    expect(cli.api.paths()).toEqual(["a.md"]);
    sync.watch = false;
    cli.write("b.md", "b");
    expect(await allowed.ended).toBe(1);
    expect(allowed.err()).toContain("sync.watch");
    expect(cli.api.paths()).toEqual(["a.md"]);
  });

  test("the settings' debounce holds unless the flag does", async () => {
    const sync = { watchDebounceMs: 60_000 };
    cli.api.intercept = ({ path }) =>
      path.endsWith("/settings") ? { status: 200, body: { settings: { sync } } } : undefined;
    cli.write("a.md", "a");
    watching = beginWatch(cli, ["--json"]);
    await until(has("a.md", "a"));
    cli.write("b.md", "b");
    const flagged = await startWatch(cli);
    cli.write("c.md", "c");
    await until(has("c.md", "c"));
    expect(await flagged.stop()).toBe(0);
    // The other watch still waits, and sends nothing itself.
    expect(watching.said().filter(({ event }) => event === "synced")).toHaveLength(1);
  });

  test("a folder that does not exist, a bad debounce or prefix are usage errors", async () => {
    expect((await cli.run(["watch", "missing"])).code).toBe(2);
    expect((await cli.run(["watch", ".", "--debounce", "1"])).code).toBe(2);
    expect((await cli.run(["watch", ".", "--prefix", "../x"])).code).toBe(2);
    cli.api.intercept = () => errorReply(401, "unauthenticated", "The key is wrong.");
    const refused = await cli.run(["watch", "."]);
    expect(refused).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^The key is wrong\. .*\(unauthenticated\)\n$/),
    });
  });
});
