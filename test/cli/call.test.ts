import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { AppError } from "../../src/base/errors.ts";
import type { ConnectOptions } from "../../src/cli/shell/context.ts";
import { type CliHarness, runCaptured, startCliHarness } from "../support/cli-harness.ts";
import { errorReply } from "../support/fake-api.ts";

/** Actions that must not happen twice, with a server's answer to each. */
const ONCE: [string, string[], unknown][] = [
  ["a key", ["keys", "create", "k", "--scope", "search"], { key: "rcl_x" }],
  ["an agent", ["agents", "create", "work"], { id: "work" }],
  ["a tenant", ["tenants", "create", "acme"], { id: "t-1" }],
  ["an erasure", ["agents", "erase", "work", "--yes"], { agentId: "work", pathHashes: [] }],
];

describe("requests that must not be repeated", () => {
  let cli: CliHarness;
  beforeEach(async () => {
    cli = await startCliHarness();
  });
  afterEach(async () => {
    expect(cli.openConnections()).toBe(0);
    await cli.close();
  });

  test.each(ONCE)("%s: a connection that breaks is no reason to ask again", async (_what, argv) => {
    cli.api.intercept = () => "hang up";
    const { code, out, err } = await cli.run(argv);
    expect([code, out]).toEqual([1, ""]);
    expect(err).toMatch(/check whether the request was carried out before you try again\. \(service_unreachable\)\n$/);
    expect(cli.api.requests).toHaveLength(1);
  });

  test.each(ONCE)("%s: nor is a gateway's 502", async (_what, argv) => {
    cli.api.intercept = () => errorReply(502, "bad_gateway", "The server went away.");
    expect((await cli.run(argv)).code).toBe(1);
    expect(cli.api.requests).toHaveLength(1);
  });

  test.each(ONCE)("%s: a server that was busy and did nothing is asked again", async (_what, argv, body) => {
    const busy = [errorReply(503, "database_unavailable", "Later.", { "retry-after": "0" }), { status: 200, body }];
    cli.api.intercept = () => busy.shift();
    expect((await cli.run(argv)).code).toBe(0);
    expect(cli.api.requests).toHaveLength(2);
  });

  test("a change that may be repeated is", async () => {
    const answers = ["hang up" as const, { status: 200, body: {} }];
    cli.api.intercept = () => answers.shift();
    expect((await cli.run(["agents", "disable", "work"])).code).toBe(0);
    expect(cli.api.requests).toHaveLength(2);
  });
});

test.each([
  ["export", ["export", "support", "--out", "support.archive"]],
  ["import", ["import", "package.json"]],
])("an %s of an archive asks the server that is named", async (_what, argv) => {
  const asked: ConnectOptions[] = [];
  const connect = (options: ConnectOptions) => {
    asked.push(options);
    return Promise.reject(new AppError("service_unreachable", "Not here."));
  };
  await runCaptured(["agents", ...argv, "--profile", "team"], { connect, cwd: process.cwd() });
  expect(asked).toMatchObject([{ profile: "team" }]);
});

test("a list is read to its last page, with its filters on every one", async () => {
  const cli = await startCliHarness();
  try {
    const job = { kind: "embed", state: "failed", agentId: "main", retryCount: 0, createdAt: "", error: null };
    const answers = [{ jobs: [{ ...job, id: "j-1" }], nextCursor: "a_-b" }, { jobs: [{ ...job, id: "j-2" }] }];
    cli.api.intercept = () => ({ status: 200, body: answers.shift() ?? {} });
    const { code, out } = await cli.run(["jobs", "list", "--agent", "main", "--state", "failed", "--json"]);
    expect([code, JSON.parse(out)]).toEqual([0, { jobs: ["j-1", "j-2"].map((id) => ({ ...job, id })) }]);
    const first = "/v1/jobs?limit=1000&agentId=main&state=failed";
    expect(cli.api.requests.map(({ path }) => path)).toEqual([first, `${first}&cursor=a_-b`]);
  } finally {
    await cli.close();
  }
});
