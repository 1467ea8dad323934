import { expect, test } from "vitest";
import { buildProgram } from "../../src/cli/build-program.ts";
import { pathOf, treeOf } from "../../src/cli/shell/attach-help.ts";
import { FEATURES } from "../../src/features.ts";
import { commandsOfFeatures } from "../../src/start/enabled-features.ts";
import { captureOutput, cliContext, runCaptured } from "../support/cli-harness.ts";

const context = cliContext({ stdout: captureOutput(), stderr: captureOutput() });
const pathsWith = (features = commandsOfFeatures("none")) =>
  treeOf(buildProgram(context, async () => undefined, features)).map(pathOf);

test("each command of a switched-off feature is answered with the feature and the variable", async () => {
  const core = pathsWith();
  let found = 0;
  for (const { name, addCommands } of FEATURES) {
    if (!addCommands) continue;
    const hint = `The command belongs to the feature ${name}, which RECOLLECT_FEATURES switches off here.`;
    const own = pathsWith([addCommands]).filter((path) => !core.includes(path));
    // Below a command that is missing itself, only that one is unknown.
    const tops = own.filter((path) => !own.some((other) => path.startsWith(`${other} `)));
    for (const path of tops) {
      const argv = [...path.split(" "), "x"];
      const { code, out, err } = await runCaptured(argv, {}, commandsOfFeatures("none"));
      expect([code, out], path).toEqual([2, ""]);
      expect(err, path).toMatch(new RegExp(`^error: unknown command '${argv.at(-2)}'`));
      expect(err, path).toContain(`\n${hint}\nSee: recollect `);
      const asked = await runCaptured(["help", ...path.split(" ")], {}, commandsOfFeatures("none"));
      expect([asked.code, asked.err], path).toEqual([2, expect.stringContaining(hint)]);
      const json = await runCaptured([...argv, "--json"], {}, commandsOfFeatures("none"));
      expect(JSON.parse(json.err), path).toMatchObject({ detail: expect.stringContaining(hint) });
      found++;
    }
  }
  expect(found).toBeGreaterThan(0);
});

test("no other unknown command names a feature", async () => {
  for (const argv of [["serch"], ["agents", "lst"], ["agents", "-x"], ["nonsense"]])
    for (const setting of ["none", undefined, "-nonsense"])
      expect((await runCaptured(argv, {}, commandsOfFeatures(setting))).err).not.toContain("RECOLLECT_FEATURES");
});
