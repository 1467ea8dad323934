import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { watchTranscripts } from "../../src/cli/sessions/sessions-watch.ts";
import { captureOutput, cliContext } from "../support/cli-harness.ts";
import { type SessionApp, startSessionApp } from "../support/session-app.ts";
import { until } from "../support/until.ts";

const line = (text: string) => `${JSON.stringify({ role: "user", content: text })}\n`;

let app: SessionApp;
let folder: string;
let away = false;
beforeEach(async () => {
  app = await startSessionApp();
  await app.talker("watched", { sync: { sessions: { deltaMessages: 0 } } });
  folder = mkdtempSync(join(tmpdir(), "recollect-transcripts-"));
  away = false;
});
afterEach(async () => {
  rmSync(folder, { recursive: true, force: true });
  await app.drop();
});

function write(path: string, text: string, how: typeof appendFileSync = writeFileSync) {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  how(join(folder, path), text);
}

function start() {
  const controller = new AbortController();
  const stdout = captureOutput();
  const context = cliContext({
    stdout,
    stderr: captureOutput(),
    cwd: folder,
    stopping: () => controller.signal,
    connect: async () => ({
      fetch: async (path, init) => (away ? Promise.reject(new Error("refused")) : app.runtime.app.request(path, init)),
      close: async () => undefined,
      description: "the app of this test",
    }),
  });
  const ended = watchTranscripts(context, folder, { agent: "watched", json: true, debounce: 60 });
  const stop = () => {
    controller.abort();
    return ended;
  };
  return { stdout, stop, ended };
}

const texts = async (session: string) =>
  ((await app.page("watched", session)).messages ?? []).map((message) => message.text);
const has = (session: string, expected: string[]) =>
  until(async () => JSON.stringify(await texts(session)) === JSON.stringify(expected));

test("sync.watch: false refuses to watch transcripts too", async () => {
  await app.call("PATCH", "/v1/agents/watched", { settings: { sync: { watch: false } } });
  write("a.jsonl", line("one"));
  await expect(start().ended).rejects.toThrow(/sync\.watch/);
  expect(await texts("transcript:a")).toEqual([]);
});

test("what transcripts are given is appended, each message once, and found", async () => {
  write("a.jsonl", line("one"));
  write("deep/er/b.jsonl", line("two"));
  write("note.md", "no transcript");
  const { stdout, stop } = start();
  await has("transcript:a", ["one"]);
  await has("transcript:deep/er/b", ["two"]);
  write("a.jsonl", line("three") + line("the zeppelin lands").slice(0, -5), appendFileSync);
  await has("transcript:a", ["one", "three"]);
  write("a.jsonl", line("the zeppelin lands").slice(-5) + line("five"), appendFileSync);
  await has("transcript:a", ["one", "three", "the zeppelin lands", "five"]);
  write("new/c.jsonl", `${line("six")}nonsense\n`);
  await has("transcript:new/c", ["six"]);
  await until(async () => (await app.search("zeppelin", {}, "watched")).results[0]?.path === "sessions/transcript:a");
  rmSync(join(folder, "a.jsonl"));
  write("deep/er/b.jsonl", line("seven"), appendFileSync);
  await has("transcript:deep/er/b", ["two", "seven"]);
  expect(await texts("transcript:a")).toHaveLength(4);
  expect(await stop()).toBe(0);
  const said = stdout.text
    .trim()
    .split("\n")
    .map((one) => JSON.parse(one));
  expect(said.find((one) => one.session === "transcript:new/c")).toMatchObject({
    event: "appended",
    sent: 1,
    bad: [{ line: 2, reason: "not JSON" }],
  });
  expect(said.filter((one) => one.duplicates > 0)).toEqual([]);
  expect(said.at(-1)).toMatchObject({ event: "stopped", complete: true });
});

test("an outage of the server loses nothing; another watch goes on where this one stopped", async () => {
  write("a.jsonl", line("one"));
  const first = start();
  await has("transcript:a", ["one"]);
  away = true;
  write("a.jsonl", line("two"), appendFileSync);
  await until(async () => first.stdout.text.includes('"away"'));
  away = false;
  await has("transcript:a", ["one", "two"]);
  await first.stop();
  write("a.jsonl", line("three"), appendFileSync);
  const second = start();
  await has("transcript:a", ["one", "two", "three"]);
  expect(await second.stop()).toBe(0);
});
