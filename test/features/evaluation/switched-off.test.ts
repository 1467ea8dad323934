import { expect, test } from "vitest";
import { commandsOfFeatures } from "../../../src/start/enabled-features.ts";
import { runCaptured } from "../../support/cli-harness.ts";

test("without the feature there is no command to evaluate with", async () => {
  const { code, err } = await runCaptured(["eval", "."], {}, commandsOfFeatures("-evaluation"));
  expect([code, err]).toEqual([2, expect.stringContaining("unknown command 'eval'")]);
});
