import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type CliHarness, startCliHarness } from "../support/cli-harness.ts";
import { errorReply } from "../support/fake-api.ts";
import { until } from "../support/until.ts";
import { startWatch, type Watching } from "../support/watch-harness.ts";

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

const contentOf = (path: string) => cli.api.files?.get(path)?.content;
const failures = () => watching?.said().flatMap((report) => (report.event === "synced" ? report.failed : [])) ?? [];
const byAgent = (content: string) => ({ content, mtime: undefined, origin: undefined as string | undefined });

test("a watch leaves what others wrote: before it began, while it runs, and when the disk changes at the same path", async () => {
  cli.api.files = new Map([
    ["agent.md", byAgent("the agent's")],
    ["both.md", byAgent("the agent's")],
    ["docs/guide.md", { ...byAgent("guide"), origin: "ci" }],
  ]);
  for (const path of ["both.md", "edited.md", "doomed.md", "own.md"]) cli.write(path, path);
  watching = await startWatch(cli);
  expect(failures()).toMatchObject([{ path: "both.md", reason: expect.stringContaining("an agent or program") }]);
  // The watch gets no event for these changes.
  for (const path of ["edited.md", "doomed.md"]) cli.api.files.set(path, byAgent("edited by the agent"));
  cli.write("edited.md", "edited on disk");
  cli.write("own.md", "own 2");
  await until(() => contentOf("own.md") === "own 2" && failures().some(({ path }) => path === "edited.md"));
  rmSync(join(cli.folder, "doomed.md"));
  rmSync(join(cli.folder, "own.md"));
  await until(() => contentOf("own.md") === undefined && failures().some(({ path }) => path === "doomed.md"));
  expect(Object.fromEntries([...cli.api.files].map(([path, { content }]) => [path, content]))).toEqual({
    "agent.md": "the agent's",
    "both.md": "the agent's",
    "docs/guide.md": "guide",
    "edited.md": "edited by the agent",
    "doomed.md": "edited by the agent",
  });
  // A refused file is not sent again and again.
  const posts = cli.api.posts().length;
  cli.write("later.md", "later");
  await until(() => contentOf("later.md") === "later");
  expect(cli.api.posts().length).toBe(posts + 1);
});

test("with --take-over the disk decides at its own paths, as long as the watch runs", async () => {
  cli.api.files = new Map([
    ["agent.md", byAgent("the agent's")],
    ["both.md", byAgent("the agent's")],
  ]);
  cli.write("both.md", "on disk");
  watching = await startWatch(cli, "--take-over");
  expect(contentOf("both.md")).toBe("on disk");
  cli.api.files.set("both.md", byAgent("edited by the agent"));
  cli.write("both.md", "on disk again");
  await until(() => contentOf("both.md") === "on disk again");
  expect(contentOf("agent.md")).toBe("the agent's");
});

test("files that another folder sent alike are told of, with the name it has", async () => {
  cli.write("a.md", "a");
  cli.api.files = new Map([["a.md", { ...byAgent("a"), origin: "laptop:/old" }]]);
  watching = await startWatch(cli);
  expect(await watching.saw("shared")).toMatchObject({ files: 1, by: "laptop:/old", origin: cli.origin });
});

test("a server that knows no origins is refused, and nothing is sent or deleted", async () => {
  cli.write("a.md", "a");
  cli.api.files = new Map([["gone.md", byAgent("x")]]);
  cli.api.intercept = ({ path }) =>
    path.endsWith("/origins") ? errorReply(404, "not_found", "There is no such route.") : undefined;
  const commands = [
    ["sync", /^$/],
    ["watch", /^\S+ watching .*\n$/],
  ] as const;
  for (const [command, said] of commands) {
    const { code, out, err } = await cli.run([command, "."]);
    expect(code).toBe(1);
    expect(out).toMatch(said);
    expect(err).toMatch(/is older than this command .* upgrade it\. Nothing was changed\. \(invalid_request\)\n$/);
  }
  expect(cli.api.posts()).toEqual([]);
});
