import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { countStatements } from "../support/count-statements.ts";
import { needsPostgres } from "../support/needs.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

/** A name of the greatest allowed length. */
const LONG = Array.from({ length: 4 }, () => "a".repeat(220)).join("/");

describe("what a search may cost", () => {
  let app: TestApp;
  let schema: string;
  beforeAll(async () => {
    app = await startTestApp();
    const put = Array.from({ length: 40 }, (_, n) => ({ path: `${LONG}/${n}.md`, content: `Heron ${n} by the pond.` }));
    await app.call("POST", "/v1/agents/main/files", { put });
    await app.embedded();
    const { rows } = await app.db.executeSql<{ name: string }>("SELECT schema_name AS name FROM recollect.agents");
    schema = `"${rows[0]?.name}"`;
  });
  afterAll(() => app.drop());

  test("a pattern with hundreds of wildcards is refused, with the limit", async () => {
    const body = { query: "heron", paths: [`${"*a".repeat(400)}*b1`] };
    const { status, body: refused } = await app.call("POST", "/v1/agents/main/tools/memory_search", body);
    expect(status).toBe(400);
    expect(refused.error.code).toBe("invalid_request");
    expect(refused.error.message).toMatch(/paths.*at most 8 wildcards/);
    const again = await app.call("POST", "/v1/agents/main/why-not", { ...body, path: "a.md" });
    expect(again.status).toBe(400);
    expect((await app.search("heron", { paths: [`${"*".repeat(400)}/1.md`], minScore: 0 })).results).toHaveLength(1);
  });

  const long = Array.from({ length: 20 }, (_, n) => `*${"a".repeat(1000)}b${n}`);

  test("patterns that would be compared for too long are not, and the answer says so", async () => {
    const search = () => app.search("heron", { paths: long, minScore: 0 });
    expect(await countStatements(app, /LIKE ANY/, search)).toBe(0);
    expect(await search()).toMatchObject({
      results: [],
      warning: expect.stringMatching(/^Nothing was searched.*paths/),
    });
    const ordinary = await app.search("heron", { paths: ["*/7.md", `${LONG}/8*`, "aa*/nothing/"], minScore: 0 });
    expect(ordinary.results).toHaveLength(2);
    expect(ordinary.warning).toBeUndefined();
  });

  test("nor are they with versions of files of an earlier time", async () => {
    const asOf = new Date().toISOString();
    const search = () => app.search("heron", { paths: long, asOf });
    expect(await countStatements(app, /LIKE ANY/, search)).toBe(0);
    expect((await search()).note).toMatch(/not searched/);
  });

  describe("an arm that meets the time limit", needsPostgres("its one session cannot wait for another"), () => {
    const limit = (searchTimeoutMs: number) => Object.assign(app.runtime.deps, { searchTimeoutMs });

    /** Asks with a short limit while a lock keeps every reader from the table. */
    const whileLocked = async <T>(table: string, ask: () => Promise<T>): Promise<T> => {
      const usual = app.runtime.deps.searchTimeoutMs;
      return app.db
        .transaction(async (tx) => {
          await tx.executeSql(`LOCK TABLE ${schema}.${table} IN ACCESS EXCLUSIVE MODE`);
          limit(100);
          return ask();
        })
        .finally(() => limit(usual));
    };
    const without = (table: string, query: string) => whileLocked(table, () => app.search(query, { minScore: 0 }));

    test("by meaning is left out: the answer is that of the other, with a warning", async () => {
      const found = await without("vectors_1", "heron by the pond");
      expect(found).toMatchObject({ mode: "keyword", warning: expect.stringMatching(/by meaning took too long/) });
      expect(found.results.length).toBeGreaterThan(0);
    });

    test("by keyword is left out too", async () => {
      const found = await without("lexemes", "heron near the pond");
      expect(found).toMatchObject({ mode: "vector", warning: expect.stringMatching(/by keyword took too long/) });
      expect(found.results.length).toBeGreaterThan(0);
    });

    test("and when nothing answers in time nothing is found, which is no error", async () => {
      const found = await without("chunks_1", "heron at the pond");
      expect(found.results).toEqual([]);
      expect(found.warning).toMatch(/took too long/);
    });

    test("why-not says so too", async () => {
      const [hit] = (await app.search("heron", { minScore: 0 })).results;
      const body = { query: "heron beside the pond", path: hit?.path };
      const { status, body: missed } = await whileLocked("lexemes", () =>
        app.call<{ warning: string }>("POST", "/v1/agents/main/why-not", body),
      );
      expect([status, missed.warning]).toEqual([200, expect.stringMatching(/by keyword took too long/)]);
    });

    test("facts and recall say so too", async () => {
      const answers = await whileLocked("vectors_1", () =>
        Promise.all([
          app.call<{ warning: string }>("POST", "/v1/agents/main/facts/search", { query: "heron" }),
          app.call<{ warning: string }>("POST", "/v1/agents/main/recall", { message: "Where is the heron?" }),
        ]),
      );
      for (const { status, body } of answers) {
        expect(status).toBe(200);
        expect(body.warning).toMatch(/by meaning took too long/);
      }
    });
  });
});
