import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** Codes that only the command line shows; docs/API.md names them below its table. */
const COMMAND_LINE = ["config_invalid", "data_folder_in_use", "database_unsupported", "service_unreachable"];

const codes = [...readFileSync("src/base/errors.ts", "utf8").matchAll(/^ {2}\| "(\w+)"/gm)].map(
  ([, code]) => code ?? "",
);
const documented = readFileSync("docs/API.md", "utf8");

test("every error code stands in the reference with the status it is answered with", () => {
  expect(codes.length).toBeGreaterThan(20);
  const rows = new Map(
    [...documented.matchAll(/^\| (`[^|]+) \| (\d{3}) \|/gm)].flatMap(([, names = "", status = ""]) =>
      [...names.matchAll(/`(\w+)`/g)].map(([, name = ""]) => [name, status]),
    ),
  );
  const rendered = readFileSync("src/http/render-error.ts", "utf8");
  for (const code of codes.filter((one) => !COMMAND_LINE.includes(one))) {
    const status = new RegExp(`^ {2}${code}: (\\d{3}),`, "m").exec(rendered)?.[1];
    expect([code, rows.get(code)]).toEqual([code, status]);
  }
  for (const code of COMMAND_LINE) expect(documented).toContain(`\`${code}\``);
  expect([...rows.keys()].filter((name) => !codes.includes(name))).toEqual([]);
});
