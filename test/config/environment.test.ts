import { expect, test } from "vitest";
import { readConfig } from "../../src/config/config.ts";

test("a variable that must be a number says so", () => {
  for (const name of ["RECOLLECT_PORT", "RECOLLECT_DB_POOL"])
    expect(() => readConfig({ [name]: "many" })).toThrow(`${name}: must be a number`);
});
