import { expect, test } from "vitest";
import { diagnoseConfiguration } from "../../../src/features/doctor/diagnose-configuration.ts";
import { parseConfigFile } from "../../../src/settings/config-file.ts";

test("settings without effect are warnings, sections that are not about memory are named", () => {
  const file = { gateway: { port: 1 }, memory: { backend: "qmd", qmd: { command: "qmd" } } };
  const ignored = parseConfigFile(file).ignored.map((one) => ({ ...one, file: "/etc/recollect.yaml" }));
  const [one, two] = diagnoseConfiguration(ignored);
  expect(one).toMatchObject({ check: "configuration", state: "warning" });
  expect(two?.message).toMatch(/recollect\.yaml: memory\.qmd\.command has no effect: QMD is not used/);
  expect(diagnoseConfiguration(ignored).at(-1)).toEqual({
    check: "configuration",
    state: "ok",
    message: "Not about memory, and left alone: gateway.",
  });
});
