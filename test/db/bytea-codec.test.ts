import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { encodeByteas } from "../../src/db/bytea-codec.ts";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";

let opened: TestDatabase;
beforeAll(async () => {
  opened = await openTestDatabase();
});
afterAll(() => opened.drop());

test("bytes in an array's binary form come back as they were sent, also inside a transaction", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.uint8Array({ maxLength: 400 }), { maxLength: 12 }),
      fc.boolean(),
      async (sent, inside) => {
        const ask = (sql: Pick<TestDatabase["db"], "executeSql">) =>
          sql.executeSql<{ hex: string }>(
            "SELECT encode(b, 'hex') AS hex FROM unnest($1::bytea[]) WITH ORDINALITY AS n (b, i) ORDER BY i",
            [encodeByteas(sent)],
          );
        const { rows } = await (inside ? opened.db.transaction(ask) : ask(opened.db));
        expect(rows.map(({ hex }) => hex)).toEqual(sent.map((bytes) => Buffer.from(bytes).toString("hex")));
      },
    ),
    { numRuns: 40 },
  );
});
