import { expect, test } from "vitest";
import { prepareDatabase } from "../../src/db/prepare-database.ts";
import { openTestDatabase } from "../support/database.ts";

test("pgvector in a schema that is not on the search_path is named at the start, with what mends it", async () => {
  const { db, drop } = await openTestDatabase({ prepared: false, extensionSchema: "extensions" });
  const prepare = () => prepareDatabase(db, new Date(), () => undefined);
  await expect(prepare()).rejects.toMatchObject({
    code: "database_unsupported",
    message: expect.stringMatching(/schema 'extensions'.*ALTER EXTENSION vector SET SCHEMA public;/),
  });
  await drop();
});

test("a database that is ready is made ready again without a word", async () => {
  const { db, drop } = await openTestDatabase();
  const warnings: string[] = [];
  await prepareDatabase(db, new Date(), (message) => void warnings.push(message));
  expect(warnings.filter((message) => !message.includes("CVE"))).toEqual([]);
  await drop();
});
