import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type CliHarness, startCliHarness } from "../support/cli-harness.ts";
import { errorReply, type RecordedRequest } from "../support/fake-api.ts";
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
  await cli.close();
});

const at = (path: string) => join(cli.folder, path);
const has = (path: string, content: string) => () => cli.api.files?.get(path)?.content === content;
const events = () => watching?.said().map(({ event }) => event);

describe("a server that goes away", () => {
  test("and comes back: it is said once each, and then the whole folder is compared with what the server has", async () => {
    for (const path of ["a.md", "b.md", "c.md"]) cli.write(path, path);
    watching = await startWatch(cli);
    await cli.api.goAway();
    cli.write("a.md", "a2");
    expect(await watching.saw("away")).toMatchObject({ reason: expect.stringMatching(/^No answer from http/) });
    renameSync(at("b.md"), at("moved.md"));
    cli.write("d/e.md", "e");
    // As if the server had lost a write, or another client had written: the watch gets no event for
    // it.
    cli.api.files?.delete("c.md");
    cli.api.files?.set("stray.md", { content: "x", mtime: undefined, origin: cli.origin });
    await cli.api.comeBack();
    await watching.saw("back");
    await until(() => cli.api.paths().join() === "a.md,c.md,d/e.md,moved.md");
    expect(cli.api.files?.get("a.md")?.content).toBe("a2");
    expect(events()).toEqual(expect.arrayContaining(["watching", "synced", "away", "back"]));
    expect(events()?.filter((event) => event === "away" || event === "back")).toEqual(["away", "back"]);
  });

  test("or is not there yet when the command begins: it is waited for", async () => {
    cli.write("a.md", "a");
    await cli.api.goAway();
    watching = beginWatch(cli, ["--json", "--debounce", "100"]);
    await watching.saw("away");
    await cli.api.comeBack();
    await until(has("a.md", "a"));
  });

  test("is no reason to wait when the user stops", async () => {
    cli.write("a.md", "a");
    watching = await startWatch(cli);
    await cli.api.goAway();
    cli.write("b.md", "b");
    await watching.saw("away");
    expect(await watching.stop()).toBe(0);
    expect(await watching.saw("stopped")).toMatchObject({ complete: false });
  });

  test("or breaks within: 500 is waited out, a 401 ends the command with its sentence", async () => {
    cli.write("a.md", "a");
    watching = await startWatch(cli);
    cli.api.intercept = ({ method }) => (method === "POST" ? errorReply(500, "internal", "Broken.") : undefined);
    cli.write("b.md", "b");
    await watching.saw("away");
    cli.api.intercept = () => undefined;
    await until(has("b.md", "b"));
    cli.api.intercept = () => errorReply(401, "unauthenticated", "The key is revoked.");
    cli.write("c.md", "c");
    expect(await watching.ended).toBe(1);
    watching = undefined;
  });
});

describe("a file in trouble", () => {
  const asksFor = (path: string) => (request: RecordedRequest) => request.body.put?.some((file) => file.path === path);
  const timesAsked = (path: string) => cli.api.posts().filter(asksFor(path)).length;
  const failures = () => watching?.said().flatMap((report) => (report.event === "synced" ? report.failed : []));

  test("one that the server refuses is named once, keeps out no other, and is tried again when it changes", async () => {
    const refusal = errorReply(413, "payload_too_large", "Too large.");
    cli.api.intercept = (request) =>
      request.body.put?.some(({ path, content }) => path === "big.md" && content.startsWith("big"))
        ? refusal
        : undefined;
    for (let i = 0; i < 10; i++) cli.write(`${i}.md`, `${i}`);
    cli.write("big.md", "big");
    watching = await startWatch(cli);
    expect(cli.api.paths()).toHaveLength(10);
    expect(failures()).toEqual([{ path: "big.md", reason: "Too large. (payload_too_large)" }]);
    const asked = timesAsked("big.md");
    cli.write("x.md", "x");
    await until(has("x.md", "x"));
    expect(timesAsked("big.md")).toBe(asked);
    cli.write("big.md", "small");
    await until(has("big.md", "small"));
    expect(failures()).toHaveLength(1);
  });

  test("a full quota refuses what is new and goes on with the rest; what was refused is taken when there is room", async () => {
    cli.write("a.md", "a");
    cli.write("b.md", "b");
    watching = await startWatch(cli);
    cli.api.intercept = ({ method, body }) => {
      const [put, doomed] = [body.put ?? [], body.delete ?? []];
      const paths = new Set([...cli.api.paths(), ...put.map((file) => file.path)]);
      for (const path of doomed) paths.delete(path);
      return method === "POST" && put.length > 0 && paths.size > 2
        ? errorReply(413, "quota_exceeded", "The agent may have 2 files.")
        : undefined;
    };
    for (let i = 0; i < 60; i++) cli.write(`new/${i}.md`, `${i}`);
    cli.write("a.md", "a2");
    await until(() => failures()?.length === 60);
    expect(cli.api.files?.get("a.md")?.content).toBe("a2");
    // Sixty refused files must not cause sixty searches for a set that fits.
    expect(cli.api.posts().length).toBeLessThan(60);
    expect(failures()?.[0]).toEqual({ path: "new/0.md", reason: "The agent may have 2 files. (quota_exceeded)" });
    rmSync(at("b.md"));
    await until(() => cli.api.paths().some((path) => path.startsWith("new/")));
    expect(cli.api.paths()).toHaveLength(2);
  });

  test("a name that cannot be stored does not keep the one that the file had", async () => {
    cli.write("good.md", "text");
    cli.write("other.md", "other");
    watching = await startWatch(cli);
    renameSync(at("good.md"), at("back\\slash.md"));
    // The report comes after the server's answer, so the server's files alone do not say that it is there.
    await until(() => cli.api.paths().join() === "other.md" && failures()?.length === 1);
    expect(failures()).toMatchObject([{ path: "back\\slash.md" }]);
  });
});
