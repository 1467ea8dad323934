import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { STATUS } from "../../src/http/render-error.ts";

test("docs/ERRORS.md has every error code once, with its status, what it means and what to do", () => {
  const page = readFileSync("docs/ERRORS.md", "utf8");
  const rows = [...page.matchAll(/^\| `(\w+)` \| (\d{3}) \| ([^|]+) \| ([^|]+) \|$/gm)];
  expect(Object.fromEntries(rows.map(([, code, status]) => [code, Number(status)]))).toEqual(STATUS);
  expect(rows).toHaveLength(Object.keys(STATUS).length);
});
