import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cliOn, type Ran, runCaptured, startCliHarness } from "../support/cli-harness.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

type Run = (...argv: string[]) => Promise<Ran>;

let app: TestApp;
let bound: Run;
let unbound: Run;
beforeAll(async () => {
  app = await startTestApp({ worker: false });
  await app.put("a.md", "The zeppelin lands on Monday.", "support");
  await app.put("b.md", "The zeppelin lands on Friday.", "main");
  bound = cliOn(app, await app.key(["search", "agent:write"], { agentId: "support" }));
  unbound = cliOn(app, await app.key(["tenant"]));
});
afterAll(() => app.drop());

test("a key of one agent is used for that agent when none is named", async () => {
  expect((await bound("search", "zeppelin")).out).toContain("Monday");
  expect((await bound("get", "a.md")).out).toContain("Monday");
  expect((await bound("facts", "add", "Ann flies.")).out).toMatch(/^stored /);
  const facts = await app.call<{ facts: unknown[] }>("GET", "/v1/agents/support/facts");
  expect(facts.body.facts).toHaveLength(1);
});

test("an agent that is named is the one that is meant", async () => {
  expect((await bound("search", "zeppelin", "--agent", "main")).err).toContain("(agent_not_found)");
  expect((await unbound("search", "zeppelin", "--agent", "support")).out).toContain("Monday");
});

test("a key of all agents is used for main, and without a key nobody is asked whose it is", async () => {
  expect((await unbound("search", "zeppelin")).out).toContain("Friday");
  expect((await cliOn(app)("search", "zeppelin")).out).toContain("Friday");
  const cli = await startCliHarness();
  await cli.run(["status"]);
  expect(cli.api.requests.map(({ path }) => path)).toEqual(["/v1/agents/main/status"]);
  await cli.close();
});

test("a watch with a key waits for a server that is away before it knows its agent", async () => {
  const asked: string[] = [];
  const stopping = new AbortController();
  const fetch = async (path: string): Promise<Response> => {
    asked.push(path);
    if (asked.length <= 5) throw new TypeError("fetch failed", { cause: { code: "ECONNREFUSED" } });
    if (path === "/v1/key") return Response.json({ tenantId: "t", scopes: [], agentId: "support" });
    stopping.abort();
    return Response.json(path.includes("/files") ? { files: [] } : { origins: [] });
  };
  const folder = mkdtempSync(join(tmpdir(), "recollect-own-"));
  const ran = await runCaptured(["watch", folder, "--json"], {
    connect: async () => ({ fetch, keyed: true, close: async () => undefined, description: "http://it" }),
    stopping: () => stopping.signal,
  });
  rmSync(folder, { recursive: true });
  expect(ran.code).toBe(0);
  expect(ran.err).toBe("No answer from http://it; is the server running? (service_unreachable) Waiting for it.\n");
  expect(asked[6]).toContain("/v1/agents/support/");
});

test("a key that is refused is said to be so", async () => {
  expect((await cliOn(app, "nonsense")("status")).err).toContain("(unauthenticated)");
});

test("a watch that is stopped before its server answers ends as stopped", async () => {
  const stopping = new AbortController();
  const fetch = (_path: string, init?: RequestInit): Promise<Response> => {
    stopping.abort();
    return new Promise((_, fail) => {
      if (init?.signal?.aborted) fail(init.signal.reason);
      init?.signal?.addEventListener("abort", () => fail(init.signal?.reason));
    });
  };
  const folder = mkdtempSync(join(tmpdir(), "recollect-own-"));
  const ran = await runCaptured(["watch", folder, "--json"], {
    connect: async () => ({ fetch, keyed: true, close: async () => undefined, description: "http://it" }),
    stopping: () => stopping.signal,
  });
  rmSync(folder, { recursive: true });
  expect(ran.code).toBe(0);
});
