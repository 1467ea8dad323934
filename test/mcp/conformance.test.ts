import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Listener, listen } from "../../src/http/listen.ts";
import { needsPackagesOf } from "../support/needs.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

const FOLDER = "test/mcp/conformance";
const SUITE = `${FOLDER}/node_modules/@modelcontextprotocol/conformance/dist/index.js`;

const FIXTURE = "calls a tool that only a server made for the suite has (test_…)";
const RESOURCE = "reads a resource that only a server made for the suite has (test://…)";
const PROMPT = "gets a prompt that only a server made for the suite has (test_…)";
const INPUT = "asks the client for more input, which no tool of a memory does";
const OPTIONAL = "needs a capability that the server does not declare";

/** The scenarios that do not apply, each with its reason. A new scenario must pass or be listed. */
const EXCLUDED: Readonly<Record<string, string>> = {
  "completion-complete": `${OPTIONAL}: completions`,
  "elicitation-sep1034-defaults": INPUT,
  "elicitation-sep1330-enums": INPUT,
  "http-custom-header-server-validation": FIXTURE,
  "input-required-result-basic-elicitation": INPUT,
  "input-required-result-basic-list-roots": INPUT,
  "input-required-result-basic-sampling": INPUT,
  "input-required-result-capability-check": INPUT,
  "input-required-result-multi-round": INPUT,
  "input-required-result-multiple-input-requests": INPUT,
  "input-required-result-non-tool-request": INPUT,
  "input-required-result-request-state": INPUT,
  "input-required-result-result-type": INPUT,
  "input-required-result-tampered-state": INPUT,
  "json-schema-2020-12": FIXTURE,
  "logging-set-level": `${OPTIONAL}: logging`,
  "prompts-get-embedded-resource": PROMPT,
  "prompts-get-simple": PROMPT,
  "prompts-get-with-args": PROMPT,
  "prompts-get-with-image": PROMPT,
  "resources-read-binary": RESOURCE,
  "resources-read-text": RESOURCE,
  "resources-subscribe": `${OPTIONAL}: subscriptions of the protocol before 2026-07-28, which need a session`,
  "resources-templates-read": RESOURCE,
  "resources-unsubscribe": `${OPTIONAL}: subscriptions of the protocol before 2026-07-28, which need a session`,
  "server-stateless": "probes one rule with a tool of such a server; the next test looks at its other rules",
  "tools-call-audio": FIXTURE,
  "tools-call-elicitation": INPUT,
  "tools-call-embedded-resource": FIXTURE,
  "tools-call-error": FIXTURE,
  "tools-call-image": FIXTURE,
  "tools-call-mixed-content": FIXTURE,
  "tools-call-sampling": INPUT,
  "tools-call-simple-text": FIXTURE,
  "tools-call-with-logging": FIXTURE,
  "tools-call-with-progress": FIXTURE,
};

/** The scenarios that must be among the run ones, so that an empty run is no success. */
const CERTAIN = ["tools-list", "resources-list", "prompts-list"];

/** Returns the output of the suite, which exits with 1 if a scenario fails, also one that does not apply. */
async function outputOf(args: readonly string[]): Promise<string> {
  const run = promisify(execFile)(process.execPath, [...args], { maxBuffer: 64e6 });
  return (await run.catch((error: { stdout: string }) => error)).stdout;
}

describe("the conformance suite of the Model Context Protocol", needsPackagesOf(FOLDER), () => {
  let app: TestApp;
  let server: Listener;
  beforeAll(async () => {
    app = await startTestApp({ worker: false });
    server = await listen(app.runtime.app, { host: "127.0.0.1", port: 0 });
  });
  afterAll(async () => {
    await server.close();
    await app.drop();
  });

  test.each(["2025-06-18", "2025-11-25", "2026-07-28"])("version %s", { timeout: 600_000 }, async (version) => {
    const url = `${server.url}/v1/agents/conformance/mcp`;
    const args = [SUITE, "server", "--url", url, "--suite", "all", "--spec-version", version];
    const stdout = await outputOf(args);
    const results = [...stdout.matchAll(/^[✓✗] ([\w-]+): \d+ passed, (\d+) failed/gm)];
    const failed = results.flatMap(([, name = "", count]) => (count === "0" ? [] : [name]));
    expect(results.map(([, name]) => name)).toEqual(expect.arrayContaining(CERTAIN));
    expect(failed.filter((name) => EXCLUDED[name] === undefined)).toEqual([]);
  });

  test("without a session, and with subscriptions", { timeout: 300_000 }, async () => {
    const url = `${server.url}/v1/agents/conformance/mcp`;
    const scenario = ["--scenario", "server-stateless", "--spec-version", "2026-07-28", "--verbose"];
    const stdout = await outputOf([SUITE, "server", "--url", url, ...scenario]);
    expect([...stdout.matchAll(/"status": "SUCCESS"/g)].length).toBeGreaterThan(10);
    const failures = [...stdout.matchAll(/"status": "FAILURE",[^{}]*?"errorMessage": "([^"]*)/g)];
    expect(
      failures.map(([, message = ""]) => message).filter((message) => !message.startsWith("Not testable")),
    ).toEqual([]);
  });
});
