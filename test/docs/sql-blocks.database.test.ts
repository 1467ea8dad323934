import { expect, inject, test } from "vitest";
import { documents, readBlocks } from "../support/doc-blocks.ts";
import { runSql } from "../support/doc-sql.ts";
import { needsPostgres } from "../support/needs.ts";

// The SQL that a superuser runs once.
const options = needsPostgres("the embedded database has one database and one login");

test("blocks of SQL run, one after the other, on a new database", options, async () => {
  const blocks = documents()
    .flatMap((file) => readBlocks(file))
    .filter(({ language, notRun }) => language === "sql" && !notRun);
  expect(blocks.length).toBeGreaterThan(1);
  await runSql(inject("serverUrl") ?? "", blocks);
});
