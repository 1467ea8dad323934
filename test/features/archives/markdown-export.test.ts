import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { runCaptured } from "../../support/cli-harness.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";

let app: TestApp;
let home: string;
const TEXT = "\uFEFFThe lantern\u2028stands here.\r\n";
beforeAll(async () => {
  app = await startTestApp({ worker: false, embedder: undefined });
  await app.call("POST", "/v1/agents", { id: "main" });
  await app.call("PUT", "/v1/agents/main/files/notes/lantern.md", { content: TEXT, mtime: "2026-01-02T03:04:05Z" });
  await app.put("日記.md", "今日は晴れ。", "main");
  await app.put("data.json", "{}", "main");
  for (const session of ["slack:C042", "slack/C042"])
    await app.call("POST", `/v1/agents/main/sessions/${encodeURIComponent(session)}/messages`, {
      messages: [{ role: "user", name: "Mina", text: `Hello from ${session}`, at: "2026-01-02T10:00:00Z" }],
    });
  const facts = [{ text: "Mina lives in Bern", key: "user.city", validFrom: "2026-01-01T00:00:00Z" }];
  await app.call("POST", "/v1/agents/main/facts", { facts });
  const next = [{ text: "Mina lives in Rome", key: "user.city", validFrom: "2026-03-01T00:00:00Z", tags: ["home"] }];
  await app.call("POST", "/v1/agents/main/facts", { facts: next });
});
afterAll(() => app.drop());
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "recollect-markdown-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const connect = async () => ({
  fetch: async (path: string, init?: RequestInit) => app.runtime.app.request(path, init),
  close: async () => undefined,
  description: "this process",
});
const run = (...argv: string[]) => runCaptured(argv, { connect, cwd: home });
const read = (path: string) => readFileSync(join(home, "out", path), "utf8");

test("writes a folder that a person can read, and sync takes the files back", async () => {
  const { code, out, err } = await run("agents", "export", "main", "--markdown", "out");
  expect([code, out, err]).toEqual([
    0,
    "Exported main to out: 3 files, 2 messages, 2 facts. Sync would skip 1 file because of the name.\n",
    "",
  ]);
  expect(read("notes/lantern.md")).toBe(TEXT);
  expect(statSync(join(home, "out/notes/lantern.md")).mtime.toISOString()).toBe("2026-01-02T03:04:05.000Z");
  expect(read("_facts/fact.md")).toBe(
    "- ~~Mina lives in Bern~~ (2026-01-01 to 2026-03-01; key user.city)\n- Mina lives in Rome (since 2026-03-01; key user.city; #home)\n",
  );
  expect(readdirSync(join(home, "out/_sessions")).sort()).toEqual(["slack-C042-2.md", "slack-C042.md"]);
  expect(read("_sessions/slack-C042-2.md")).toBe(
    "# slack:C042\n\n## Mina (user), 2026-01-02 10:00 UTC\n\nHello from slack:C042\n\n",
  );
  expect(read("_about.md")).toContain("# What main remembers");
  const synced = await run("sync", "out", "--agent", "again", "--no-wait", "--json");
  expect([synced.code, JSON.parse(synced.out)]).toMatchObject([0, { sent: 2, conflicts: [], failed: [] }]);
  const paths = async (agent: string) =>
    (
      await app.call<{ files: { path: string; hash: string; mtime: string }[] }>("GET", `/v1/agents/${agent}/files`)
    ).body.files.map(({ path, hash }) => ({ path, hash }));
  expect(await paths("again")).toEqual((await paths("main")).filter(({ path }) => path !== "data.json"));
});

test("takes an empty folder, and no other", async () => {
  mkdirSync(join(home, "out"));
  expect((await run("agents", "export", "main", "--markdown", "out")).code).toBe(0);
  const again = await run("agents", "export", "main", "--markdown", "out");
  expect([again.code, again.err]).toEqual([1, expect.stringContaining("(invalid_request)")]);
  writeFileSync(join(home, "file"), "");
  expect((await run("agents", "export", "main", "--markdown", "file")).code).toBe(1);
});

test("refuses what an export that was killed has left, and leaves it as it is", async () => {
  mkdirSync(join(home, "out.part/_facts"), { recursive: true });
  writeFileSync(join(home, "out.part/_facts/fact.md"), "- Mina lives in Bern\n");
  const { code, err } = await run("agents", "export", "main", "--markdown", "out");
  expect([code, err]).toEqual([
    1,
    expect.stringMatching(/^The folder out\.part has files, .* remove the folder and export again\./),
  ]);
  expect(readdirSync(home)).toEqual(["out.part"]);
  expect(readFileSync(join(home, "out.part/_facts/fact.md"), "utf8")).toBe("- Mina lives in Bern\n");
});

test("leaves nothing when a file cannot be written, and says which", async () => {
  await app.put("_facts/mine.md", "A file of the agent's own.", "clash");
  const { code, err } = await run("agents", "export", "clash", "--markdown", "out");
  expect([code, err]).toEqual([1, expect.stringContaining("_facts/mine.md")]);
  expect([existsSync(join(home, "out")), existsSync(join(home, "out.part"))]).toEqual([false, false]);
});
