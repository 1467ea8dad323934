import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, unlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type WatchEvent, WatchLoop, type WatchLoopOptions } from "../../src/cli/folder/watch-loop.ts";
import type { SourceOptions } from "../../src/cli/folder/watch-source.ts";
import { until } from "../support/until.ts";

let folder: string;
let batches: string[][];
let events: WatchEvent[];
/** The sources that were started, the latest one last. */
let sources: (SourceOptions & { closed: boolean })[];
let controller: AbortController;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "recollect-loop-"));
  controller = new AbortController();
  [batches, events, sources] = [[], [], []];
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a loop on a source whose events come from the test. */
function runLoop(options: Partial<WatchLoopOptions> = {}): Promise<boolean> {
  return new WatchLoop({
    root: folder,
    quietMs: () => 20,
    createFilter: () => () => false,
    changesFilter: (path) => path === "rules",
    handle: async ({ paths }) => {
      batches.push([...paths]);
      return [];
    },
    outageReason: () => undefined,
    tell: (event) => events.push(event),
    signal: controller.signal,
    startSource: async (_root, given) => {
      const source = { ...given, closed: false };
      sources.push(source);
      return {
        close: async () => {
          source.closed = true;
        },
      };
    },
    ...options,
  }).run();
}

const stop = () => controller.abort();
const error = (code: string) => Object.assign(new Error("no"), { code });
const change = (path: string) => sources.at(-1)?.onChange(path);

test("what is pending when it stops is handled, without waiting until it rests", async () => {
  const ended = runLoop({ quietMs: () => 60_000 });
  await until(() => batches.length === 1);
  change("b.md");
  stop();
  expect(await ended).toBe(true);
  expect(batches).toEqual([[""], ["b.md"]]);
  expect(sources.map(({ closed }) => closed)).toEqual([true]);
});

test("a change of the rules starts another source, and everything is looked at", async () => {
  const ended = runLoop();
  await until(() => batches.length === 1);
  change("a.md");
  change("rules");
  await until(() => batches.length === 2);
  stop();
  await ended;
  expect(batches).toEqual([[""], [""]]);
  expect(sources.map(({ closed }) => closed)).toEqual([true, true]);
});

test("too many watches: it says so once, and polls", async () => {
  const ended = runLoop();
  await until(() => batches.length === 1);
  for (let i = 0; i < 3; i++) sources[0]?.onTrouble(error("ENOSPC"));
  await until(() => batches.length === 2);
  stop();
  await ended;
  expect(events).toEqual([{ event: "polling", reason: "ENOSPC" }]);
  expect(sources.map(({ pollMs, closed }) => [pollMs, closed])).toEqual([
    [undefined, true],
    [3000, true],
  ]);
});

test("another trouble of the source is said, and everything is looked at", async () => {
  const ended = runLoop();
  await until(() => batches.length === 1);
  sources[0]?.onTrouble(error("EIO"));
  await until(() => batches.length === 2);
  stop();
  await ended;
  expect(events).toEqual([{ event: "trouble", reason: "EIO" }]);
  expect(batches).toEqual([[""], [""]]);
});

test("after an outage everything is looked at, as if for the first time; what changed meanwhile is part of it", async () => {
  const fresh: boolean[] = [];
  let isAway = false;
  const ended = runLoop({
    handle: async (batch) => {
      if (isAway) throw new Error("away");
      batches.push([...batch.paths]);
      fresh.push(batch.fresh);
      return [];
    },
    outageReason: (reason) => (reason as Error).message,
  });
  await until(() => batches.length === 1);
  isAway = true;
  change("a.md");
  await until(() => events.length === 1);
  change("b.md");
  isAway = false;
  await until(() => batches.length === 2);
  change("c.md");
  await until(() => batches.length === 3);
  stop();
  expect(await ended).toBe(true);
  expect(batches).toEqual([[""], [""], ["c.md"]]);
  expect(fresh).toEqual([true, true, false]);
  expect(events).toMatchObject([{ event: "away", reason: "away" }, { event: "back" }]);
});

test("an error that does not pass ends it, and the source is closed", async () => {
  const ended = runLoop({ handle: () => Promise.reject(new Error("broken")) });
  await expect(ended).rejects.toThrow("broken");
  expect(sources.map(({ closed }) => closed)).toEqual([true]);
});

test("a path to look at once more is looked at once more, when it rests", async () => {
  const ended = runLoop({
    handle: async ({ paths }) => {
      batches.push([...paths]);
      return batches.length === 2 ? [...paths] : [];
    },
  });
  await until(() => batches.length === 1);
  change("a.md");
  await until(() => batches.length === 3);
  stop();
  await ended;
  expect(batches).toEqual([[""], ["a.md"], ["a.md"]]);
});

test("a folder that is away is waited for; another one of its name is watched anew", async () => {
  const ended = runLoop();
  await until(() => batches.length === 1);
  renameSync(folder, `${folder}-aside`);
  await until(() => events.length === 1);
  change("lost.md");
  mkdirSync(folder);
  await until(() => batches.length === 2);
  renameSync(folder, `${folder}-other`);
  renameSync(`${folder}-aside`, folder);
  await until(() => batches.length === 3);
  rmSync(`${folder}-other`, { recursive: true });
  stop();
  await ended;
  expect(events.slice(0, 2)).toEqual([{ event: "folder-away" }, { event: "folder-back" }]);
  expect(batches).toEqual([[""], [""], [""]]);
});

test("a disk that is unmounted is away, though the folder it was mounted on is there", async () => {
  // A symbolic link replaces mounting, which needs privileges. It points to a mount point that
  // every system has, and then to a folder that is not one.
  const root = join(folder, "root");
  const link = (target: string) => symlinkSync(target, root);
  link(process.platform === "linux" ? "/proc" : "/dev");
  const ended = runLoop({ root });
  await until(() => batches.length === 1);
  unlinkSync(root);
  link(folder);
  await until(() => events.length === 1);
  unlinkSync(root);
  link(process.platform === "linux" ? "/proc" : "/dev");
  await until(() => batches.length === 2);
  stop();
  await ended;
  expect(events).toEqual([{ event: "folder-away" }, { event: "folder-back" }]);
});
