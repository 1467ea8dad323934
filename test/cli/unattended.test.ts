import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { RecollectError } from "../../src/client/client.ts";
import { type CliHarness, runCaptured, startCliHarness } from "../support/cli-harness.ts";
import { errorReply } from "../support/fake-api.ts";
import { runCommand } from "../support/process.ts";

let cli: CliHarness;
beforeEach(async () => {
  cli = await startCliHarness();
});
afterEach(() => cli.close());

/** Commands that cannot be undone. */
const DESTRUCTIVE = [
  ["agents", "erase", "work"],
  ["sessions", "delete", "slack:C1"],
  ["facts", "forget", "42"],
];

describe("what cannot be undone", () => {
  test.each(DESTRUCTIVE)("%s %s: without a terminal it takes --yes", async (...argv) => {
    const ran = await cli.run(argv);
    expect(ran).toMatchObject({ code: 2, out: "" });
    expect(ran.err).toContain("pass --yes");
    expect(cli.api.requests).toEqual([]);
  });

  test.each(DESTRUCTIVE)("%s %s: at a terminal it asks, and does nothing without a yes", async (...argv) => {
    const questions: string[] = [];
    const answering = (answer: string) => ({
      ask: async (question: string) => {
        questions.push(question);
        return answer;
      },
    });
    for (const answer of ["", "no", "yesterday"])
      expect(await cli.run(argv, answering(answer))).toEqual({ code: 1, out: "", err: "Nothing was done.\n" });
    expect(cli.api.requests).toEqual([]);
    expect(questions[0]).toContain(argv[2]);
    cli.api.intercept = () => ({ status: 200, body: { pathHashes: [], forgotten: ["42"], session: "s", messages: 1 } });
    expect((await cli.run(argv, answering("yes"))).code).toBe(0);
    expect(cli.api.requests).toHaveLength(1);
    expect((await cli.run([...argv, "--yes"])).code).toBe(0);
  });
});

describe("--json", () => {
  test("an error of the server is its problem, alone on standard error", async () => {
    cli.api.intercept = () => errorReply(403, "forbidden", "The key may not do that.");
    const ran = await cli.run(["agents", "list", "--json"]);
    expect(ran).toMatchObject({ code: 1, out: "" });
    expect(JSON.parse(ran.err)).toEqual({
      type: "urn:recollect:error:forbidden",
      title: "Forbidden",
      status: 403,
      code: "forbidden",
      detail: "The key may not do that.",
      requestId: "r-1",
    });
  });

  test("so is wrong usage, with exit code 2, and what nobody foresaw", async () => {
    for (const argv of [
      ["search", "--json"],
      ["serch", "x", "--json"],
      ["--json"],
      ["search", "q", "--url", "x", "--json"],
    ]) {
      const ran = await runCaptured(argv, {});
      expect(ran).toMatchObject({ code: 2, out: "" });
      expect(JSON.parse(ran.err)).toMatchObject({ code: "invalid_request", detail: expect.stringMatching(/^[A-Z]/) });
    }
    const boom = await runCaptured(["status", "--json"], { connect: () => Promise.reject(new TypeError("boom")) });
    expect(JSON.parse(boom.err)).toMatchObject({ code: "internal", detail: "Something went wrong: boom" });
    const quota = new RecollectError("quota_exceeded", "Full.", { status: 413, details: { limit: 3 } });
    const full = await runCaptured(["status", "--json"], { connect: () => Promise.reject(quota) });
    expect(JSON.parse(full.err)).toMatchObject({ code: "quota_exceeded", status: 413, details: { limit: 3 } });
  });

  test("behind -- it is a word like any other", async () => {
    cli.api.intercept = () => errorReply(403, "forbidden", "No.");
    expect((await cli.run(["search", "--", "--json"])).err).toBe("No. (forbidden)\n");
  });
});

test("--url and --profile exclude each other", async () => {
  const ran = await cli.run(["status", "--url", "http://x", "--profile", "team"]);
  expect(ran.code).toBe(2);
});

test("a reader that has seen enough is no error, in a process of its own", async () => {
  const command = runCommand(["completion", "zsh"], {});
  command.child.stdout?.destroy();
  expect(await command.ended).toBe(0);
  expect(command.output().stderr).toBe("");
});
