import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cliOn } from "../../support/cli-harness.ts";
import { type SessionApp, startSessionApp } from "../../support/session-app.ts";

let app: SessionApp;
let folder: string;
beforeAll(async () => {
  app = await startSessionApp();
  folder = mkdtempSync(join(tmpdir(), "recollect-capture-"));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await app.drop();
});

test("`recollect sessions add` says how many statements became facts; --no-capture stores none", async () => {
  const cli = cliOn(app);
  const add = async (name: string, text: string, ...options: string[]) => {
    const path = join(folder, name);
    writeFileSync(path, `${JSON.stringify({ role: "user", content: [{ type: "text", text }] })}\n`);
    return (await cli("sessions", "add", path, ...options)).out;
  };
  await app.talker("main");
  expect(await add("quiet.jsonl", "I live in Bonn.", "--no-capture")).toContain("sent 1 · lines");
  expect(await add("told.jsonl", "I live in Oslo.")).toContain("sent 1 · facts 1");
});
