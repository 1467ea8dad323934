import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callUrl } from "../support/process.ts";
import { until } from "../support/until.ts";
import { type Machine, needsHost, PROGRAMS, startMachine, untilRecalled } from "./host-program.ts";
import { type ScriptedModel, startScriptedModel } from "./scripted-model.ts";

const PLUGIN = resolve("clients/claude-code");
const ADDRESS = "http://127.0.0.1:7420";

describe("Claude Code with the plugin", needsHost("claude"), () => {
  let machine: Machine;
  let model: ScriptedModel;
  beforeAll(async () => {
    [machine, model] = await Promise.all([startMachine(), startScriptedModel()]);
    // The copy that README.md describes, with the address of this test's server.
    const copy = join(machine.home, "plugin");
    cpSync(PLUGIN, copy, { recursive: true });
    for (const name of ["hooks/hooks.json", ".mcp.json"]) {
      const text = readFileSync(join(copy, name), "utf8");
      expect(text).toContain(`${ADDRESS}/v1/agents/main`);
      writeFileSync(join(copy, name), text.replaceAll(ADDRESS, machine.url));
    }
    const { code, stdout } = await claude("plugin", "install", "recollect", "--marketplace", copy);
    expect([code, stdout]).toEqual([0, expect.stringContaining("Successfully installed plugin")]);
  });
  afterAll(async () => {
    await machine?.close();
    await model?.close();
  });

  const claude = (...args: string[]) =>
    machine.run(PROGRAMS.claude, args, {
      ANTHROPIC_BASE_URL: model.url,
      ANTHROPIC_API_KEY: "sk-ant-scripted",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      IS_SANDBOX: "1",
    });
  /** Asks in a new conversation, and returns what the model was told. */
  const ask = async (prompt: string) => {
    model.requests.length = 0;
    const ran = await claude("-p", prompt);
    expect([ran.code, ran.stderr]).toEqual([0, ""]);
    return { ...ran, told: model.requests.join("\n") };
  };
  const sessions = async () => {
    const { body } = await callUrl<{ sessions: { session: string; messages: number }[] }>(
      machine.url,
      "GET",
      "/v1/agents/main/sessions?prefix=claude-code:",
    );
    return body.sessions;
  };

  test("the plugin is valid, and has what the plugin directory asks for", async () => {
    const { code, stdout } = await claude("plugin", "validate", PLUGIN, "--profile", "directory");
    expect([code, stdout]).toEqual([0, expect.stringContaining("Validation passed")]);
  });

  test("a turn is captured, and a second conversation recalls it, also after a restart of the server", async () => {
    model.answers = ["Noted: the shop is deployed on Thursdays."];
    await ask("We deploy the shop on Thursdays only.");
    await until(async () => (await sessions())[0]?.messages === 2, "the two messages of the turn");
    await machine.stopServer();
    await machine.startServer();
    const told = await untilRecalled(() => ask("On which days do we deploy the shop?"));
    expect(told).toContain("Thursdays only");
  });

  test("a prompt goes on when the server is away", async () => {
    await machine.stopServer();
    const { stdout, told } = await ask("Is the memory there?");
    expect(stdout).toContain("Noted");
    expect(told).not.toContain("recalled-memory");
    await machine.startServer();
  });
});
