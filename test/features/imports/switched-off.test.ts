import { expect, test } from "vitest";
import { commandsOfFeatures } from "../../../src/start/enabled-features.ts";
import { runCaptured } from "../../support/cli-harness.ts";

test("a switched-off feature has no command, and the help does not name it", async () => {
  const without = commandsOfFeatures("-imports");
  const { code, err } = await runCaptured(["import", "chatgpt", "x"], {}, without);
  expect([code, err]).toEqual([2, expect.stringContaining("unknown command 'import'")]);
  const help = async (features = commandsOfFeatures()) => (await runCaptured(["--help"], {}, features)).out;
  expect(await help()).toContain("  import ");
  expect(await help(without)).not.toContain("  import ");
});
