import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AddCommands } from "../../../src/cli/build-program.ts";
import type { Connection } from "../../../src/cli/shell/context.ts";
import { addDoctor } from "../../../src/features/doctor/commands.ts";
import { examineServer } from "../../../src/features/doctor/examine-server.ts";
import type { Finding } from "../../../src/features/doctor/finding.ts";
import { VERSION } from "../../../src/start/version.ts";
import { runCaptured } from "../../support/cli-harness.ts";
import { startFakeApi } from "../../support/fake-api.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";

type Fetch = Connection["fetch"];
const connectionOf = (fetch: Fetch): Connection => ({ fetch, close: async () => undefined, description: "http://it" });
const examine = async (fetch: Fetch) => {
  const findings = await examineServer(connectionOf(fetch), "main", VERSION);
  return Object.fromEntries(findings.map((finding) => [finding.check, finding])) as Record<Finding["check"], Finding>;
};

describe("a server", () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp();
  });
  afterAll(() => app.drop());

  const as =
    (key: string): Fetch =>
    async (path, init) =>
      app.runtime.app.request(path, { ...init, headers: { authorization: `Bearer ${key}` } });

  test("that is well, as an operator and as a bot see it", async () => {
    const operator = await examine(as(await app.key(["admin"])));
    // The state of the test's own Postgres and machine is not the service's fault: an old pgvector, a
    // superuser's login, little room on a disk.
    const ofPlace = ["pgvector", "login", "clock", "disk", "model"];
    const isOurs = ([check]: [string, unknown]) => !ofPlace.includes(check);
    expect(Object.entries(operator).filter((one) => isOurs(one) && one[1].state !== "ok")).toEqual([]);
    const whole = ["database", "index", "key", "migrations", "provider", "queue", "server", "server clock"];
    expect(
      Object.entries(operator)
        .filter(isOurs)
        .map(([check]) => check)
        .sort(),
    ).toEqual(whole);
    expect(operator.pgvector).toBeDefined();
    const bot = await examine(as(await app.key(["agent:read"])));
    expect(Object.keys(bot).sort()).toEqual(["index", "key", "provider", "queue", "server", "server clock"]);
    const search = await examine(as(await app.key(["search"])));
    expect(search.key).toMatchObject({ state: "warning", message: expect.stringContaining("agent:read") });
  });

  test("that refuses the key", async () => {
    const { server, key } = await examine(as("rcl_wrong"));
    expect(server.state).toBe("ok");
    expect(key).toMatchObject({ state: "failed", remedy: expect.stringContaining("recollect profile add") });
    expect(JSON.stringify(key)).not.toContain("rcl_wrong");
  });

  test("whose clock and version are others", async () => {
    const operator = as(await app.key(["admin"]));
    const { server, "server clock": clock } = await examine(async (path, init) => {
      const response = await operator(path, init);
      const body = JSON.stringify({
        ...((await response.json()) as object),
        ...(path === "/health/ready" && { version: "9.9.9" }),
      });
      return new Response(body, {
        status: response.status,
        headers: { date: new Date(Date.now() + 3_600_000).toUTCString() },
      });
    });
    expect(server).toMatchObject({ state: "warning", message: expect.stringContaining("9.9.9") });
    expect(clock).toMatchObject({ state: "warning", message: expect.stringMatching(/3(599|600) s ahead/) });
  });

  test("without its database, or stopping", async () => {
    const { server } = await examine(async () =>
      Response.json({ status: "stopping", version: VERSION }, { status: 503 }),
    );
    expect(server).toMatchObject({ state: "failed", message: expect.stringContaining("cannot serve: stopping") });
  });

  test("that cannot examine itself, or not just now", async () => {
    const operator = as(await app.key(["admin"]));
    const answering = (status: number) =>
      examine(async (path, init) =>
        path.includes("/v1/doctor") ? Response.json({ detail: "It says so." }, { status }) : operator(path, init),
      );
    expect((await answering(404)).server).toMatchObject({
      state: "warning",
      remedy: expect.stringMatching(/^Upgrade the server, or take -doctor out/),
    });
    expect((await answering(429)).key).toMatchObject({ state: "warning" });
    expect((await answering(500)).server).toMatchObject({
      state: "failed",
      message: expect.stringContaining("says so"),
    });
  });
});

test("nobody there, and somebody else", async () => {
  const api = await startFakeApi();
  const fetchIt: Fetch = (path, init) => fetch(new URL(path, api.url), init);
  expect((await examine(fetchIt)).server).toMatchObject({
    state: "failed",
    message: expect.stringContaining("the answer does not come from Recollect"),
  });
  await api.close();
  const { server } = await examine(fetchIt);
  expect(server).toMatchObject({ state: "failed", message: "No answer from http://it: ECONNREFUSED." });
});

describe("recollect doctor", () => {
  const FINDINGS: Finding[] = [
    { check: "database", state: "ok", message: "It is there." },
    { check: "pgvector", state: "warning", message: "It is flawed.", remedy: "Upgrade it." },
    { check: "login", state: "failed", message: "It is weak.\u001b", remedy: "Grant it." },
  ];
  const doctor = (count: number, ...argv: string[]) => {
    const add: AddCommands = (program, context, run) =>
      addDoctor(program, context, run, async () => ({ findings: FINDINGS.slice(0, count) }));
    return runCaptured(["doctor", ...argv], {}, [add]);
  };

  test("says what it found and what to do, and fails when a check did", async () => {
    expect(await doctor(3)).toEqual({
      code: 1,
      out: [
        "ok       database       It is there.",
        "warning  pgvector       It is flawed.",
        "                        Upgrade it.",
        "failed   login          It is weak.\ufffd",
        "                        Grant it.",
        "",
        "1 check failed, 1 warning.",
        "",
      ].join("\n"),
      err: "",
    });
    expect(await doctor(2)).toMatchObject({ code: 0, out: expect.stringMatching(/\n1 warning\.\n$/) });
    expect(await doctor(1)).toMatchObject({ code: 0, out: expect.stringMatching(/\nEverything works\.\n$/) });
  });

  test("examines the database too if the server does not serve", async () => {
    const doctoring = (status: number) => {
      const server = connectionOf(async () => Response.json({ status: "database busy", version: VERSION }, { status }));
      const add: AddCommands = (program, context, run) =>
        addDoctor(program, context, run, async () => ({ findings: [], server, ifNotServed: async () => FINDINGS }));
      return runCaptured(["doctor"], {}, [add]);
    };
    expect((await doctoring(503)).out).toContain("It is there.");
    expect((await doctoring(200)).out).not.toContain("It is there.");
  });

  test("as one JSON object, with the same exit codes", async () => {
    const { code, out } = await doctor(3, "--json");
    expect([code, JSON.parse(out)]).toEqual([1, { ok: false, failed: 1, warnings: 1, findings: FINDINGS }]);
    expect(JSON.parse((await doctor(2, "--json")).out)).toMatchObject({ ok: true, failed: 0, warnings: 1 });
  });
});
