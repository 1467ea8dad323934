import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ALL_FEATURES, startTestApp, type TestApp } from "../../support/test-app.ts";

/** A service without the feature, on a database in which another process has it. */
let all: TestApp;
let without: TestApp;
let folder: string;
const logged: string[] = [];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "recollect-routing-"));
  mkdirSync(join(folder, ".recollect"));
  writeFileSync(join(folder, ".recollect/config.yaml"), "bindings: [{agentId: main, match: {channel: irc}}]\n");
  all = await startTestApp({ env: ALL_FEATURES });
  without = await startTestApp({
    on: all,
    worker: false,
    env: { RECOLLECT_FEATURES: "-routing", HOME: folder, RECOLLECT_LOG_LEVEL: "warn" },
    log: { write: (line) => void logged.push(line) },
  });
});
afterAll(async () => {
  await without.drop();
  await all.drop();
  rmSync(folder, { recursive: true });
});

test("there are no routes, and an erased agent still takes its bindings with it", async () => {
  await all.call("POST", "/v1/agents", { id: "door" });
  const bindings = [{ agentId: "door", match: { channel: "irc" } }, { agentId: "main" }];
  expect((await all.call("PUT", "/v1/bindings", { bindings })).status).toBe(200);
  expect((await without.call("GET", "/v1/bindings")).status).toBe(404);
  expect((await without.call("POST", "/v1/route", { channel: "irc" })).status).toBe(404);
  expect((await without.call("DELETE", "/v1/agents/door")).status).toBe(200);
  expect((await all.call("GET", "/v1/bindings")).body).toMatchObject({ bindings: [{ agentId: "main" }] });
});

test("the operator whose files have bindings is told that they have no effect", () => {
  expect(logged.join("")).toContain("the feature routing is switched off");
});
