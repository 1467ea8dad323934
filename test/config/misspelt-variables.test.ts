import { expect, test } from "vitest";
import { readConfig } from "../../src/config/config.ts";
import { environmentSchema } from "../../src/config/environment.ts";
import { TEST_SERVER_VARIABLES } from "../../src/config/test-server.ts";
import { VARIABLE_NAMES } from "../../src/config/variable-names.ts";

test("a variable whose name is almost a known one is named; others are left alone", () => {
  const { misspelt, foreign } = readConfig({
    RECOLLECT_PROT: "1",
    RECOLLECT_API_KYE: "rcl_secret",
    RECOLLECT_PORT: "7000",
    RECOLLECT_IMAGE: "recollect:1",
    RECOLLECT_DB_PASSWORD: "x",
    RECOLLECT_PUBLISHED_PORT: "80",
    PROT: "2",
    // The test server's own.
    RECOLLECT_TEST_URL: "http://127.0.0.1:1",
    RECOLLECT_TEST_KEY: "rcl_key",
  });
  expect(misspelt).toEqual([
    "There is no variable RECOLLECT_PROT. Did you mean RECOLLECT_PORT?",
    "There is no variable RECOLLECT_API_KYE. Did you mean RECOLLECT_API_KEY?",
  ]);
  expect(foreign).toEqual(["RECOLLECT_IMAGE", "RECOLLECT_DB_PASSWORD", "RECOLLECT_PUBLISHED_PORT"]);
});

test("the list of names has every variable of the schema", () => {
  expect([...VARIABLE_NAMES].sort()).toEqual(
    [...Object.keys(environmentSchema.shape), ...TEST_SERVER_VARIABLES].sort(),
  );
});
