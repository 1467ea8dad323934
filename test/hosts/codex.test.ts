import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { COMMAND, callUrl } from "../support/process.ts";
import { until } from "../support/until.ts";
import { type Machine, needsHost, PROGRAMS, startMachine, untilRecalled } from "./host-program.ts";
import { type ScriptedModel, startScriptedModel } from "./scripted-model.ts";

describe("Codex with the hook", needsHost("codex"), () => {
  let machine: Machine;
  let model: ScriptedModel;
  let home: string;
  beforeAll(async () => {
    [machine, model] = await Promise.all([startMachine(), startScriptedModel()]);
    home = join(machine.home, ".codex");
    mkdirSync(home);
    const provider = `name = "scripted"\nbase_url = "${model.url}/v1"\nwire_api = "responses"\n`;
    writeFileSync(
      join(home, "config.toml"),
      `model = "scripted"\nmodel_provider = "scripted"\n[model_providers.scripted]\n${provider}`,
    );
    const command = `'${process.execPath}' '${COMMAND}' hook codex --url ${machine.url}`;
    const hooks = [{ hooks: [{ type: "command", command, timeout: 60 }] }];
    writeFileSync(
      join(home, "hooks.json"),
      JSON.stringify({ hooks: { SessionStart: hooks, UserPromptSubmit: hooks, Stop: hooks } }),
    );
  });
  afterAll(async () => {
    await machine?.close();
    await model?.close();
  });

  const codex = (...args: string[]) => machine.run(PROGRAMS.codex, args, { CODEX_HOME: home });
  const ask = async (prompt: string) => {
    model.requests.length = 0;
    const ran = await codex("exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", prompt);
    expect([ran.code, ran.stdout]).toEqual([0, expect.stringContaining("Noted")]);
    return { ...ran, told: model.requests.join("\n") };
  };
  const messages = async () => {
    const { body } = await callUrl<{ sessions: { session: string; messages: number }[] }>(
      machine.url,
      "GET",
      "/v1/agents/main/sessions?prefix=codex:",
    );
    return body.sessions.map((one) => one.messages);
  };

  test("a turn is captured once, by the hook and by the import, and the next conversation recalls it", async () => {
    await ask("We deploy the shop on Thursdays only.");
    const imported = async () => {
      const { stdout } = await machine.run(COMMAND, ["import", "codex", home, "--url", machine.url, "--json"]);
      return JSON.parse(stdout) as { messages: { found: number; new: number } };
    };
    // The hook of a busy machine may have given up, so the import may be the first to store a message.
    expect((await imported()).messages.found).toBe(2);
    await until(async () => (await messages())[0] === 2, "the two messages of the turn");
    expect((await imported()).messages).toMatchObject({ found: 2, new: 0 });
    const told = await untilRecalled(() => ask("On which days do we deploy the shop?"));
    expect(told).toContain("Thursdays only");
  });

  test("the tools are connected as the recipe says", async () => {
    const { code } = await codex("mcp", "add", "recollect", "--url", `${machine.url}/v1/agents/main/mcp`);
    expect(code).toBe(0);
    expect((await codex("mcp", "list")).stdout).toContain("recollect");
  });

  test("a prompt goes on when the server is away", async () => {
    await machine.stopServer();
    const { told } = await ask("Is the memory there?");
    expect(told).not.toContain("recalled-memory");
  });
});
