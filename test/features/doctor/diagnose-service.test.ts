import { afterEach, expect, test, vi } from "vitest";
import { AppError } from "../../../src/base/errors.ts";
import type { AddCommands } from "../../../src/cli/build-program.ts";
import { addDoctor } from "../../../src/features/doctor/commands.ts";
import type { Finding } from "../../../src/features/doctor/finding.ts";
import { runCaptured } from "../../support/cli-harness.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";

let app: TestApp | undefined;
afterEach(async () => {
  await app?.drop();
  app = undefined;
});

/** Returns the findings of GET /v1/doctor, by check. */
async function examine(on: TestApp, key?: string, agent?: string) {
  const query = agent === undefined ? "" : `?agent=${agent}`;
  const { body } = await on.call<{ findings: Finding[] }>("GET", `/v1/doctor${query}`, undefined, key);
  return Object.fromEntries(body.findings.map((one) => [one.check, one])) as Partial<Record<Finding["check"], Finding>>;
}

test("a running server finds what the command finds in its environment, for the operator only", async () => {
  app = await startTestApp({
    worker: false,
    env: {
      RECOLLECT_EXPORT_DIR: "/missing/archives",
      RECOLLECT_BASE_URL: "http://127.0.0.1:9/v1",
      RECOLLECT_PROVIDER: "none",
      RECOLLECT_PROT: "1",
    },
  });
  await app.put("a.md", "A note");
  const all = async (key?: string) =>
    (await (app as TestApp).call<{ findings: Finding[] }>("GET", "/v1/doctor", undefined, key)).body.findings;
  const messages = (await all()).map(({ message }) => message).join("\n");
  for (const said of [
    /RECOLLECT_EXPORT_DIR/,
    /\(RECOLLECT_BASE_URL\) has no effect/,
    /Did you mean RECOLLECT_PORT/,
    /MB are free/,
  ])
    expect(messages).toMatch(said);
  const bound = await all(await app.key(["agent:read"]));
  expect(bound.map(({ message }) => message).join("\n")).not.toMatch(/RECOLLECT_EXPORT_DIR|MB are free/);
  // The queue's result is kept for ten seconds, and says so.
  const { at } = bound.find(({ check }) => check === "queue") ?? {};
  expect(Date.now() - Date.parse(at ?? "")).toBeLessThan(10_000);
  expect((await all(await app.key(["agent:read"]))).find(({ check }) => check === "queue")?.at).toBe(at);
});

test("that no worker runs is told to the operator, to a bot, and by the command", async () => {
  app = await startTestApp({ worker: false });
  await app.put("a.md", "A note", "support");
  const said = { state: "failed", message: expect.stringContaining("No worker has taken a job yet") };
  expect((await examine(app)).queue).toMatchObject(said);
  const bot = await examine(app, await app.key(["agent:read"], { agentId: "support" }));
  expect(bot.queue).toMatchObject({ ...said, remedy: expect.stringContaining("recollect worker") });
  expect(bot.queue?.message).toMatch(/[1-9] jobs? waiting/);
  expect(bot.index?.message).toContain("1 chunk of support still to embed");
  // Only the operator may see the findings about the service as a whole.
  expect(Object.keys(bot).sort()).toEqual(["index", "key", "provider", "queue"]);
  const { runtime } = app;
  const server = {
    fetch: async (path: string, init?: RequestInit) => runtime.app.request(path, init),
    close: async () => undefined,
    description: "http://it",
  };
  const add: AddCommands = (program, context, run) =>
    addDoctor(program, context, run, async () => ({ findings: [], server }));
  const ran = await runCaptured(["doctor"], {}, [add]);
  expect([ran.code, ran.out]).toEqual([1, expect.stringContaining("No worker has taken a job yet")]);
  expect(ran.out).not.toContain("Everything works");
});

test("jobs that failed for good are told to those whose they are, agents that cannot be migrated to the operator", async () => {
  app = await startTestApp();
  for (const agent of ["support", "other"]) await app.put("a.md", "A note", agent);
  await app.rested();
  await app.db.executeSql(
    `INSERT INTO recollect_jobs.job (name, data, source_name)
     SELECT 'dead-letter', jsonb_build_object('tenantId', tenant_id, 'agentId', id), 'embed' FROM recollect.agents WHERE id = 'support'`,
  );
  const failed = { state: "warning", message: expect.stringContaining("1 job failed for good") };
  expect((await examine(app, await app.key(["tenant"]))).queue).toMatchObject(failed);
  expect((await examine(app, await app.key(["agent:read"], { agentId: "support" }))).queue).toMatchObject(failed);
  expect((await examine(app, await app.key(["agent:read"], { agentId: "other" }))).queue?.state).toBe("ok");
  expect((await examine(app)).migrations?.state).toBe("ok");
  await app.db.executeSql("UPDATE recollect.agents SET migration_error = 'x', migration_failed_at = now()");
  expect((await examine(app)).migrations).toMatchObject({
    state: "failed",
    message: "2 agents could not be migrated.",
  });
});

test("a provider that does not answer, and a key that may not read", async () => {
  app = await startTestApp();
  expect((await examine(app)).provider).toMatchObject({
    state: "ok",
    message: expect.stringContaining("test · words"),
  });
  app.embedder.failure = new AppError("embedder_unavailable", "It is away.");
  expect((await examine(app)).provider).toMatchObject({
    state: "failed",
    message: expect.stringContaining("It is away."),
  });
  const search = await examine(app, await app.key(["search"]));
  expect(search.key).toMatchObject({ state: "warning", message: expect.stringContaining("agent:read") });
  expect(search.provider).toBeUndefined();
});

test("an agent that does not exist: main is not made yet, a named one fails with the nearest", async () => {
  app = await startTestApp();
  expect((await examine(app)).index).toEqual({
    check: "index",
    state: "ok",
    message: "There is no agent main yet; its first write creates it.",
  });
  await app.put("a.md", "A note", "support");
  const reader = await app.key(["agent:read"]);
  for (const key of [undefined, reader])
    expect((await examine(app, key, "suport")).index).toMatchObject({
      state: "failed",
      message: "There is no agent suport. Did you mean support?",
    });
  const bound = await app.key(["agent:read"], { agentId: "support" });
  const { index, key } = await examine(app, bound, "suport");
  expect(index).toBeUndefined();
  expect(key).toMatchObject({ state: "warning", message: expect.stringContaining("or this key is for another one") });
});

test("an agent that cannot be migrated does not hide what else is found", async () => {
  app = await startTestApp();
  await app.put("a.md", "A note", "main");
  await app.rested();
  await app.db.executeSql("UPDATE recollect.agents SET breaking_version = 9999");
  const found = await examine(app);
  expect(found.index).toMatchObject({ state: "failed", message: expect.stringContaining("newer Recollect") });
  expect(found.database?.state).toBe("ok");
  expect(found.queue).toBeDefined();
});

test("a tenant's key has the provider asked once, the operator has it asked anew", async () => {
  app = await startTestApp();
  const { embedder } = app;
  const asked = () => embedder.asked.filter((text) => text === "Is the provider there?").length;
  const key = await app.key(["agent:read"]);
  const first = await examine(app, key);
  expect(await examine(app, key)).toEqual(first);
  expect(asked()).toBe(1);
  await examine(app);
  await examine(app);
  expect(asked()).toBe(3);
});

test("a kept result says its age in words, and the verdict says that some results are kept", async () => {
  app = await startTestApp();
  const key = await app.key(["agent:read"]);
  const { runtime, embedder } = app;
  const server = {
    fetch: async (path: string, init?: RequestInit) =>
      runtime.app.request(path, { ...init, headers: { authorization: `Bearer ${key}` } }),
    close: async () => undefined,
    description: "http://it",
  };
  const add: AddCommands = (program, context, run) =>
    addDoctor(program, context, run, async () => ({ findings: [], server }));
  const fresh = await runCaptured(["doctor"], {}, [add]);
  expect(fresh.out).toMatch(/\nEverything works\.\n$/);
  embedder.failure = new AppError("embedder_unavailable", "It is away.");
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 8000 });
  const { out } = await runCaptured(["doctor"], {}, [add]).finally(() => vi.useRealTimers());
  expect(out).toMatch(/ok +provider .*\(checked [89] s ago\)/);
  expect(out).toMatch(/Everything works\. 2 results are kept from an earlier check, up to [89] s ago; run the command/);
  expect(out).not.toMatch(/\dT\d/);
});

test("a job that waits for its next try is told to the tenant and to the operator", async () => {
  app = await startTestApp({ worker: false });
  await app.put("a.md", "A note", "support");
  await app.db.executeSql(
    "UPDATE recollect_jobs.job SET state = 'retry', start_after = '2999-01-02T03:04:05.678Z' WHERE data->>'agentId' = 'support'",
  );
  const { rows } = await app.db.executeSql<{ jobs: number }>(
    "SELECT count(*)::int AS jobs FROM recollect_jobs.job WHERE state = 'retry'",
  );
  const said =
    rows[0]?.jobs === 1
      ? "1 job waits for its next try at"
      : `${rows[0]?.jobs} jobs wait for their next try, the first at`;
  const expected = { message: expect.stringContaining(`${said} 2999-01-02T03:04:05Z.`) };
  expect((await examine(app, await app.key(["tenant"]))).queue).toMatchObject(expected);
  expect((await examine(app)).queue).toMatchObject(expected);
});

test("how many jobs wait in a tenant is told to those who may list them", async () => {
  app = await startTestApp({ worker: false });
  await app.put("a.md", "A note", "support");
  expect((await examine(app, await app.key(["tenant"]))).queue?.message).toMatch(/[1-9] jobs? waiting/);
  expect((await examine(app, await app.key(["search"]))).queue?.message).not.toMatch(/[0-9] jobs?/);
});
