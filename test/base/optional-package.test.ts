import { expect, test } from "vitest";
import { loadOptional } from "../../src/base/optional-package.ts";

test("a package that is not there is told with the command that installs it, one that is broken as such", async () => {
  const name: string = "@nobody/has-this";
  await expect(loadOptional(`${name}@3`, "The provider x", () => import(name))).rejects.toMatchObject({
    code: "config_invalid",
    message:
      "The provider x needs the package @nobody/has-this: run `npm install @nobody/has-this@3` beside Recollect.",
  });
  await expect(loadOptional("broken", "X", () => Promise.reject(new SyntaxError("no")))).rejects.toMatchObject({
    message: "The package broken is installed but does not load; install it anew: `npm install broken`.",
  });
  expect(await loadOptional("there", "X", async () => 1)).toBe(1);
});
