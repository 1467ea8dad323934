import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  closeSync,
  openSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createFolderMirror } from "../../src/cli/folder/folder-mirror.ts";
import { sendChanges } from "../../src/cli/folder/send-changes.ts";
import { clientOf } from "../../src/cli/shell/connected.ts";
import { type CliHarness, startCliHarness } from "../support/cli-harness.ts";
import { until } from "../support/until.ts";
import { startWatch, type Watching } from "../support/watch-harness.ts";

let cli: CliHarness;
let watching: Watching;

beforeEach(async () => {
  cli = await startCliHarness();
  cli.write("note.md", "before");
  cli.write("other.md", "other");
  watching = await startWatch(cli);
  cli.api.requests.length = 0;
});

afterEach(async () => {
  expect(await watching.stop()).toBe(0);
  await cli.close();
});

const at = (path: string) => join(cli.folder, path);
const has = (path: string, content: string) => () => cli.api.files?.get(path)?.content === content;
const put = () => cli.api.posts().flatMap(({ body }) => (body.put ?? []).map((file) => file.path));
const removed = () => cli.api.posts().flatMap(({ body }) => body.delete ?? []);

/** Ways in which programs save `note.md`. Each leaves it with the content `after`. */
const SAVES: Record<string, (at: (path: string) => string) => void> = {
  "vim with a backup, which moves the file away": (at) => {
    writeFileSync(at("4913"), "");
    unlinkSync(at("4913"));
    writeFileSync(at(".note.md.swp"), "b0VIM");
    renameSync(at("note.md"), at("note.md~"));
    writeFileSync(at("note.md"), "after");
    unlinkSync(at("note.md~"));
    unlinkSync(at(".note.md.swp"));
  },
  "JetBrains, by safe write": (at) => {
    writeFileSync(at("note.md___jb_tmp___"), "after");
    renameSync(at("note.md"), at("note.md___jb_old___"));
    renameSync(at("note.md___jb_tmp___"), at("note.md"));
    unlinkSync(at("note.md___jb_old___"));
  },
  "Emacs, with its lock and auto-save": (at) => {
    symlinkSync("someone@host.1:2", at(".#note.md"));
    writeFileSync(at("#note.md#"), "half");
    renameSync(at("note.md"), at("note.md~"));
    writeFileSync(at("note.md"), "after");
    unlinkSync(at("#note.md#"));
    unlinkSync(at(".#note.md"));
  },
  "Office, with an owner file and a temporary one": (at) => {
    writeFileSync(at("~$note.md"), "owner");
    writeFileSync(at("~WRL0001.tmp"), "after");
    renameSync(at("note.md"), at("~WRL0002.tmp"));
    renameSync(at("~WRL0001.tmp"), at("note.md"));
    unlinkSync(at("~WRL0002.tmp"));
    unlinkSync(at("~$note.md"));
  },
  "a temporary file moved over it": (at) => {
    writeFileSync(at("note.md.tmp"), "after");
    renameSync(at("note.md.tmp"), at("note.md"));
  },
  "removal and a new file": (at) => {
    rmSync(at("note.md"));
    writeFileSync(at("note.md"), "after");
  },
  "emptying it and writing in pieces": (at) => {
    const file = openSync(at("note.md"), "w");
    for (const piece of ["af", "te", "r"]) writeSync(file, piece);
    closeSync(file);
  },
  "macOS, which leaves its own files beside it": (at) => {
    writeFileSync(at(".DS_Store"), "\0\0\0\x01Bud1");
    writeFileSync(at("._note.md"), "double");
    writeFileSync(at("note.md"), "after");
  },
  "GNU sed -i": (at) => {
    execFileSync("sed", ["-i", "s/before/after/", at("note.md")]);
  },
};

for (const [name, save] of Object.entries(SAVES)) {
  test(`a save is one put and no deletion: ${name}`, async () => {
    save(at);
    await until(has("note.md", "after"));
    // Any request for the save's other events comes before the request for this file.
    cli.write("last.md", "last");
    await until(has("last.md", "last"));
    expect(put()).toEqual(["note.md", "last.md"]);
    expect(removed()).toEqual([]);
  });
}

test("a log that grows all the time is sent whole when it rests", async () => {
  const whole = "line of a log\n".repeat(20_000);
  for (let i = 0; i < 200; i++) {
    appendFileSync(at("log.md"), whole.slice((i * whole.length) / 200, ((i + 1) * whole.length) / 200));
    await turn();
  }
  await until(has("log.md", whole));
});

test("a file that is written while it is read is not sent, but left for later", async () => {
  cli.write("log.md", "x".repeat(500_000));
  let isWriting = true;
  const writer = (async () => {
    for (; isWriting; await turn()) appendFileSync(at("log.md"), "more\n");
  })();
  const unexpected = () => Promise.reject(new Error("not expected"));
  const target = {
    memory: clientOf({ fetch: unexpected, description: "" }).agent(),
    origin: cli.origin,
    takeOver: false,
    maxFileBytes: 1e8,
    known: new Map(),
  };
  const file = { path: "log.md", absolute: at("log.md"), hash: "", size: 0, mtime: new Date(0) };
  const sent = await sendChanges(target, { changed: [file], adopted: [], gone: [] });
  isWriting = false;
  await writer;
  expect(sent.unread).toEqual([{ path: "log.md", reason: "changed while syncing: still being written" }]);
});

test("a file that is missing while its path is changing is looked at again before it is believed to be gone", async () => {
  const ask = (path: string, init?: RequestInit) => fetch(new URL(path, cli.api.url), init);
  const mirror = createFolderMirror({
    memory: clientOf({ fetch: ask, description: "" }).agent(),
    description: "",
    owner: { origin: cli.origin, takeOver: false },
    root: cli.folder,
    selection: { ignore: [], maxFileBytes: 1000, prefix: "" },
  });
  await watching.stop();
  rmSync(at("note.md"));
  const look = { paths: new Set([""]), fresh: true, isMoving: () => true };
  expect(await mirror.look(look)).toMatchObject({ removed: 0, files: 2, again: ["note.md"] });
  expect(await mirror.look({ ...look, fresh: false, isMoving: () => false })).toMatchObject({ removed: 1, again: [] });
  rmSync(cli.folder, { recursive: true });
  expect(await mirror.look(look)).toMatchObject({ removed: 0, failed: [], again: [""] });
});
