import { expect, test } from "vitest";
import { readConfig } from "../../src/config/config.ts";

test("a variable whose name is almost a known one is named; others are left alone", () => {
  const { misspelt } = readConfig({
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
});
