import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { globsOf } from "../../../src/features/fact-ingest/ingest-folder.ts";
import { cliOn, runCaptured } from "../../support/cli-harness.ts";
import { type FactApp, startFactApp } from "../../support/fact-app.ts";
import { type FakeModel, startFakeModel } from "../../support/fake-model.ts";

describe("recollect ingest", () => {
  let app: FactApp;
  let model: FakeModel;
  let folder: string;
  beforeAll(async () => {
    model = await startFakeModel();
    folder = mkdtempSync(join(tmpdir(), "recollect-ingest-"));
    mkdirSync(join(folder, "skills/deploy"), { recursive: true });
    writeFileSync(join(folder, "AGENTS.md"), "Rule 1: commits are signed.\n");
    writeFileSync(join(folder, "skills/deploy/SKILL.md"), "Rule 2: deploys are on Tuesdays.\n");
    writeFileSync(join(folder, "README.md"), "Rule 3: is not looked at.\n");
    writeFileSync(join(folder, "TOOLS.md"), Buffer.from([0xff, 0xfe, 0x41, 0x00]));
    app = await startFactApp({
      env: { RECOLLECT_CHAT_PROVIDER: "openai", RECOLLECT_CHAT_BASE_URL: model.url, RECOLLECT_CHAT_API_KEY: "k" },
    });
  });
  beforeEach(() => {
    model.reply = (prompt) =>
      prompt
        .split("\n")
        .filter((line) => line.startsWith("Rule"))
        .map((text) => JSON.stringify({ text, importance: 0.7 }))
        .join("\n");
  });
  afterAll(async () => {
    await app.drop();
    await model.close();
    rmSync(folder, { recursive: true });
  });

  test("a folder: shows with --dry-run, stores, and adds nothing the second time", async () => {
    const run = (...more: string[]) => cliOn(app)("ingest", folder, "--agent", "folder", ...more);
    const dry = await run("--dry-run");
    expect(dry.out).toContain("AGENTS.md:1  Rule 1: commits are signed.");
    expect(dry.out).toContain("would store up to 2");
    expect(await app.list("folder")).toEqual([]);
    const first = await run();
    // TOOLS.md is not UTF-8.
    expect([first.code, first.out]).toEqual([
      1,
      expect.stringContaining("files 2 · pieces 2, 0 done before · facts: stored 2"),
    ]);
    expect(first.out).toContain("TOOLS.md");
    expect((await app.list("folder")).map(({ text }) => text).sort()).toEqual([
      "Rule 1: commits are signed.",
      "Rule 2: deploys are on Tuesdays.",
    ]);
    const second = JSON.parse((await run("--json", "--paths", "AGENTS.md,skills/**/*.md")).out) as object;
    expect(second).toMatchObject({ state: "done", asked: 0, known: 2, stored: 0, failed: [] });
    expect((await app.call<{ files: unknown[] }>("GET", "/v1/agents/folder/files")).body.files).toEqual([]);
  });

  test("Ctrl-C says how many files are read, and that the same command goes on", async () => {
    const ending = new AbortController();
    const connect = async () => ({
      fetch: async (path: string, init?: RequestInit) => {
        if (path.includes("/ingest")) ending.abort();
        return app.runtime.app.request(path, init);
      },
      close: async () => undefined,
      description: "the app of this test",
    });
    const stopped = await runCaptured(["ingest", folder, "--agent", "stopped"], {
      connect,
      stopping: () => ending.signal,
    });
    expect(stopped).toMatchObject({ code: 130, out: "" });
    expect(stopped.err).toMatch(/\nStopped after [01] of 2 files; the same command goes on/);
  });

  test("without a folder: the agent's own files, by a job that is waited for", async () => {
    await app.put("AGENTS.md", "Rule 1: commits are signed.", "own");
    const run = (...more: string[]) => cliOn(app)("ingest", "--agent", "own", ...more);
    const done = await run();
    expect([done.code, done.out]).toEqual([
      0,
      expect.stringContaining("ingested · files 1 · pieces 1, 0 done before · facts: stored 1"),
    ]);
    expect(JSON.parse((await run("--json")).out)).toMatchObject({ state: "done", stored: 0, known: 1 });
    const none = await run("--paths", "nothing/*.md");
    expect([none.code, none.err]).toEqual([0, expect.stringContaining("No file matched")]);
  });

  test("a refusal and a folder that is none are failures", async () => {
    await app.put("AGENTS.md", "Rule 1: is refused.", "refused");
    model.fault = { status: 403 };
    const refused = await cliOn(app)("ingest", "--agent", "refused");
    model.fault = undefined;
    expect([refused.code, refused.out]).toEqual([1, expect.stringContaining("model_rejected")]);
    expect((await cliOn(app)("ingest", join(folder, "nowhere"))).code).toBe(2);
    expect((await cliOn(app)("ingest", "--paths", "../x")).code).toBe(1);
  });

  test("globs stand one after the other or with commas between", () => {
    expect(globsOf(["skills/**/*.md, TOOLS.md", "AGENTS.md"])).toEqual(["skills/**/*.md", "TOOLS.md", "AGENTS.md"]);
    expect(globsOf(["{a,b}.md"])).toEqual(["{a,b}.md"]);
  });
});
