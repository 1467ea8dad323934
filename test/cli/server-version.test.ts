import { afterEach, beforeEach, expect, test } from "vitest";
import { type CliHarness, startCliHarness } from "../support/cli-harness.ts";
import { errorReply } from "../support/fake-api.ts";

let cli: CliHarness;
beforeEach(async () => {
  cli = await startCliHarness();
});
afterEach(() => cli.close());

const OWN = "1.2.3";
const agents = { status: 200, body: { agents: [] } };

/** Makes a connection whose server states a version in every answer, or only at /health/live. */
function serverOf(version: string, where: "header" | "health" = "header") {
  const paths: string[] = [];
  return {
    paths,
    connect: async () => ({
      fetch: async (path: string, init?: RequestInit) => {
        paths.push(path);
        if (path === "/health/live") return Response.json({ status: "ok", version });
        const answer = await fetch(new URL(path, cli.api.url), init);
        return new Response(await answer.text(), {
          status: answer.status,
          ...(where === "header" ? { headers: { "recollect-version": version } } : {}),
        });
      },
      close: async () => undefined,
      description: "the server",
    }),
  };
}

test.each([
  ["1.2.3", ""],
  ["1.2.9", ""],
  ["1.1.0", "The server is Recollect 1.1.0, older than this command (1.2.3)"],
  ["0.9.12", "The server is Recollect 0.9.12, older than this command (1.2.3)"],
  ["1.10.0", "This command is Recollect 1.2.3, older than the server (1.10.0)"],
  ["<b>\u001b[31m", ""],
])("a command that succeeds on a server of %s says: %j", async (version, sentence) => {
  cli.api.intercept = () => agents;
  const { connect, paths } = serverOf(version);
  const ran = await cli.run(["agents", "list"], { connect, version: OWN });
  expect(ran.code).toBe(0);
  expect(ran.err.split("\n")).toHaveLength(sentence === "" ? 1 : 2);
  expect(ran.err).toContain(sentence);
  expect(paths).not.toContain("/health/live");
});

test.each([
  ["not_found", 404, true],
  ["method_not_allowed", 405, true],
  ["invalid_request", 400, true],
  ["forbidden", 403, false],
  ["rate_limited", 400, false],
] as const)("a failure with %s names a patch release too: %s", async (code, status, isNamed) => {
  cli.api.intercept = () => errorReply(status, code, "It did not work.");
  const { connect, paths } = serverOf("1.2.2");
  const ran = await cli.run(["jobs", "show", "x"], { connect, version: OWN });
  expect(ran.code).toBe(1);
  expect(ran.err.includes("older than this command (1.2.3)")).toBe(isNamed);
  expect(ran.err).toContain(`(${code})`);
  expect(paths).not.toContain("/health/live");
});

test("a server that states its version only at /health/live is asked after a failure, and only then", async () => {
  const { connect, paths } = serverOf("1.2.0", "health");
  cli.api.intercept = () => agents;
  await cli.run(["agents", "list"], { connect, version: OWN });
  expect(paths).toEqual(["/v1/agents?limit=1000"]);
  cli.api.intercept = () => errorReply(404, "not_found", "There is no such route.");
  const ran = await cli.run(["fleet", "status"], { connect, version: OWN });
  expect(ran.err).toContain("There is no such route. The server is Recollect 1.2.0, older than this command (1.2.3)");
});

test("an answer that lacks what the command reads is explained, and an error of the same version is not", async () => {
  cli.api.intercept = () => ({ status: 200, body: {} });
  const older = await cli.run(["facts", "people"], { connect: serverOf("1.2.0").connect, version: OWN });
  expect(older).toMatchObject({ code: 1, out: "" });
  expect(older.err).toContain("The server is Recollect 1.2.0, older than this command (1.2.3)");
  const same = await cli.run(["facts", "people"], { connect: serverOf(OWN).connect, version: OWN });
  expect(same.err).not.toContain("older than");
});

test("with --json standard error stays one object, whose detail has the sentence", async () => {
  cli.api.intercept = () => errorReply(400, "invalid_request", "Unrecognized key: timezone");
  const ran = await cli.run(["search", "pumps", "--json"], { connect: serverOf("1.1.0").connect, version: OWN });
  expect(JSON.parse(ran.err)).toMatchObject({
    code: "invalid_request",
    status: 400,
    detail: expect.stringMatching(/^Unrecognized key: timezone\. The server is Recollect 1\.1\.0, older than/),
  });
});
