import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runInContext } from "../../src/base/request-context.ts";
import type { Database } from "../../src/db/database.ts";
import { openPostgres } from "../../src/db/pg.ts";
import { isOutage } from "../../src/db/pg-error.ts";
import type { PgLimits } from "../../src/db/pg-limits.ts";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";
import { needsPostgres } from "../support/needs.ts";
import { until } from "../support/until.ts";

describe("connections of tenants", needsPostgres("the embedded database has one connection"), () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
  });
  afterAll(() => database.drop());

  const open = (maxConnections: number, limits: Partial<PgLimits> = {}) =>
    openPostgres({ connectionString: database.url ?? "", maxConnections, onIdleError: () => undefined, limits });

  const as = <T>(tenantId: string, fn: () => T): T => runInContext({ tenantId, statements: 0 }, fn);
  const ask = (db: Database) => db.executeSql("SELECT 1");

  /** Starts transactions of a tenant; each holds its connection until all are ended. */
  function hold(db: Database, tenantId: string | undefined, count: number) {
    const end = Promise.withResolvers<void>();
    let held = 0;
    const one = () =>
      db.transaction(async (tx) => {
        await tx.executeSql("SELECT 1");
        held++;
        await end.promise;
      });
    const begin = () => (tenantId === undefined ? one() : as(tenantId, one));
    const all = Promise.all(Array.from({ length: count }, begin));
    return {
      held: () => held,
      end: async () => {
        end.resolve();
        await all;
      },
    };
  }

  /** Runs `fn` with a separate pool, and closes the pool in any case. */
  async function withPool(size: number, limits: Partial<PgLimits>, fn: (db: Database) => Promise<void>) {
    const db = open(size, limits);
    try {
      await fn(db);
    } finally {
      await db.close();
    }
  }

  test.each([2, 3, 4, 12])("of a pool of %i, a tenant that is alone leaves one to the service", async (size) => {
    await withPool(size, {}, async (db) => {
      const flood = hold(db, "flood", 3 * size);
      await until(async () => flood.held() === size - 1);
      await ask(db);
      await ask(db);
      expect(flood.held()).toBe(size - 1);
      await flood.end();
      expect(flood.held()).toBe(3 * size);
    });
  });

  test.each([2, 3, 4, 12])("of a pool of %i, a tenant holds half at most while another uses it", async (size) => {
    await withPool(size, {}, async (db) => {
      await as("neighbour", () => ask(db));
      const share = Math.max(1, Math.floor(size / 2));
      const flood = hold(db, "flood", 3 * size);
      await until(async () => flood.held() === share);
      const neighbour = hold(db, "neighbour", size - share);
      // No transaction of the flood has ended.
      await until(async () => neighbour.held() === Math.min(share, size - share));
      expect(flood.held()).toBe(share);
      await Promise.all([neighbour.end(), flood.end()]);
    });
  });

  test("a pool of one serves all", async () => {
    await withPool(1, {}, async (db) => {
      const tenants = ["one", "two", "one", "three", "two", "one"];
      await Promise.all([...tenants.map((tenant) => as(tenant, () => ask(db))), ask(db)]);
    });
  });

  test("whoever comes after a crowd of another tenant is next, not last", async () => {
    await withPool(1, {}, async (db) => {
      const service = hold(db, undefined, 1);
      await until(async () => service.held() === 1);
      const order: string[] = [];
      const queue = (tenant: string) => as(tenant, () => ask(db).then(() => order.push(tenant)));
      const all = [...Array.from({ length: 20 }, () => queue("crowd")), queue("neighbour")];
      await until(async () => db.pool?.().waiting === 21);
      await service.end();
      await Promise.all(all);
      expect(order.indexOf("neighbour")).toBeLessThan(2);
    });
  });

  test.each([2, 3])(
    "of a pool of %i, a transaction of a tenant at its share takes another for its progress",
    async (size) => {
      await withPool(size, { waitMs: 2_000 }, async (db) => {
        await as("neighbour", () => ask(db));
        const answer = as("copies", () =>
          db.transaction(async (tx) => {
            await tx.executeSql("SELECT 1");
            return (await db.executeSql<{ one: number }>("SELECT 1 AS one")).rows;
          }),
        );
        expect(await answer).toEqual([{ one: 1 }]);
      });
    },
  );

  test("what a transaction has begun and not waited for is none of it once it has ended", async () => {
    await withPool(2, { waitMs: 100 }, async (db) => {
      await as("neighbour", () => ask(db));
      const later = Promise.withResolvers<void>();
      let left: Promise<unknown> | undefined;
      await as("flood", () =>
        db.transaction(async () => {
          left = later.promise.then(() => ask(db));
        }),
      );
      const flood = hold(db, "flood", 1);
      await until(async () => flood.held() === 1);
      later.resolve();
      await expect(left).rejects.toMatchObject({ code: "database_busy" });
      await flood.end();
    });
  });

  test("who waits behind its own share is refused in time, and is told why; nobody else is", async () => {
    await withPool(4, { waitMs: 200 }, async (db) => {
      await as("neighbour", () => ask(db));
      const flood = hold(db, "flood", 2);
      await until(async () => flood.held() === 2);
      const refused = as("flood", () => ask(db));
      await expect(refused).rejects.toMatchObject({
        code: "database_busy",
        message: expect.stringMatching(/tenant.*share/),
        details: { retryAfterSeconds: expect.any(Number) },
      });
      // Writes that wait for a common commit must not be tried one by one after this error: even
      // more of them would wait.
      expect(isOutage(await refused.catch((error: unknown) => error))).toBe(true);
      for (let n = 0; n < 3; n++) await Promise.all([as("neighbour", () => ask(db)), ask(db)]);
      await flood.end();
      await as("flood", () => ask(db));
    });
  });

  test("more of a tenant than may wait are refused at once; nobody else is", async () => {
    await withPool(4, { maxWaiting: 5 }, async (db) => {
      await as("neighbour", () => ask(db));
      const flood = hold(db, "flood", 2 + 5);
      await until(async () => flood.held() === 2 && db.pool?.().waiting === 5);
      await expect(as("flood", () => ask(db))).rejects.toMatchObject({ code: "database_busy" });
      await Promise.all([as("neighbour", () => ask(db)), ask(db)]);
      await flood.end();
      await as("flood", () => ask(db));
    });
  });

  test("a pool that is used up by all is not the fault of who waits", async () => {
    await withPool(2, { waitMs: 200 }, async (db) => {
      const service = hold(db, undefined, 2);
      await until(async () => service.held() === 2);
      await expect(as("one", () => ask(db))).rejects.toMatchObject({
        code: "database_busy",
        message: expect.stringMatching(/RECOLLECT_DB_POOL/),
      });
      await service.end();
    });
  });
});
