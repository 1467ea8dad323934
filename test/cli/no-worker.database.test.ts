import { afterAll, beforeAll, expect, test } from "vitest";
import { captureOutput, cliOn } from "../support/cli-harness.ts";
import { startFakeModel } from "../support/fake-model.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

interface Status {
  workerAlive: boolean;
  pendingEmbeddings: number;
}

let api: TestApp;
beforeAll(async () => {
  api = await startTestApp({ worker: false });
});
afterAll(() => api.drop());

const status = async () => (await api.call<Status>("GET", "/v1/agents/main/status")).body;

test("a server without a worker: a sync that waits soon says so, once, and goes on when there is one", async () => {
  expect((await status()).workerAlive).toBe(true);
  const stderr = captureOutput();
  await api.put("first.md", "A note");
  const ran = cliOn(api, undefined, { stderr })("sync");
  await until(async () => stderr.text.includes("No worker runs"));
  // Once a worker runs, the command succeeds.
  const worker = await startTestApp({ on: api });
  await ran;
  expect(stderr.text.match(/No worker runs/g)).toHaveLength(1);
  await until(async () => (await status()).pendingEmbeddings === 0);
  expect((await status()).workerAlive).toBe(true);
  await worker.drop();
});

test("an ingest says so too", async () => {
  const model = await startFakeModel();
  model.reply = () => "";
  const env = { RECOLLECT_CHAT_PROVIDER: "openai", RECOLLECT_CHAT_BASE_URL: model.url, RECOLLECT_CHAT_API_KEY: "k" };
  const server = await startTestApp({ worker: false, env });
  await server.put("AGENTS.md", "Commits are signed.");
  const stderr = captureOutput();
  const ran = cliOn(server, undefined, { stderr })("ingest");
  await until(async () => stderr.text.includes("No worker runs"));
  const worker = await startTestApp({ on: server, env });
  expect((await ran).code).toBe(0);
  await worker.drop();
  await server.drop();
  await model.close();
});
