import { afterEach, beforeEach, expect, test } from "vitest";
import { type CliHarness, startCliHarness } from "../support/cli-harness.ts";
import { runCommand } from "../support/process.ts";

let cli: CliHarness;

beforeEach(async () => {
  cli = await startCliHarness();
});

afterEach(() => cli.close());

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  test(`${signal} ends the command with exit code 0`, async () => {
    cli.write("a.md", "a");
    const command = runCommand(["watch", cli.folder, "--url", cli.api.url, "--json"], {});
    await command.saw(/"event":"synced","files":1,"sent":1/);
    command.child.kill(signal);
    expect(await command.ended).toBe(0);
    expect(command.output()).toMatchObject({ stdout: expect.stringMatching(/"event":"stopped","complete":true\}\n$/) });
    expect(command.output().stderr).toBe("");
  });
}
