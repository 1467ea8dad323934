import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { FactPage, FactPeople } from "../../src/client/api.ts";
import { MAX_LOOKED_AT } from "../../src/db/agent/facts/fact-lists.ts";
import { type FactApp, startFactApp } from "../support/fact-app.ts";

describe("lists of facts", () => {
  let app: FactApp;
  beforeAll(async () => {
    app = await startFactApp();
    await app.store(
      "list",
      { text: "Petra lives in Oslo", subject: "Petra", key: "user.city", scope: { user: "u1" }, importance: 0.9 },
      { text: "Пётр живёт в Осло", subject: "Пётр", scope: { user: "u2" }, importance: 0.2 },
      { text: "The budget is 100% spent", importance: 0.5, source: { kind: "file", path: "budget.md" } },
      { text: "Petra plays chess", subject: "Petra", scope: { user: "u1" }, importance: 0.5 },
      { text: "The budget is 100 euros", importance: 0.5, source: { kind: "message", session: "cli:1", message: 1 } },
    );
  });
  afterAll(() => app.drop());

  const page = async (query: string, agent = "list") => {
    const { status, body } = await app.call<FactPage>("GET", `/v1/agents/${agent}/facts?${query}`);
    expect(status, JSON.stringify(body)).toBe(200);
    return body;
  };
  const texts = async (query: string) => (await page(query)).facts.map(({ text }) => text);

  test.each([
    ["q=petra", ["Petra plays chess", "Petra lives in Oslo"]],
    ["q=осло", ["Пётр живёт в Осло"]],
    ["q=USER.CITY", ["Petra lives in Oslo"]],
    ["q=100%25", ["The budget is 100% spent"]],
    ["q=_", []],
    ["q=chess&user=u1", ["Petra plays chess"]],
    ["q=chess&user=u2", []],
    ["sourceKind=file", ["The budget is 100% spent"]],
    ["sourceKind=message&q=budget", ["The budget is 100 euros"]],
    ["storedSince=2999-01-01T00:00:00Z", []],
    ["storedBefore=2999-01-01T00:00:00Z&user=u2", ["Пётр живёт в Осло"]],
  ])("%s", async (query, expected) => {
    expect(await texts(query)).toEqual(expected);
  });

  test("an empty cursor is the first page, and facts said before 1970 have a place", async () => {
    expect(await texts("cursor=&limit=1")).toEqual(["The budget is 100 euros"]);
    await app.store("old", { text: "Ana sails" }, { text: "Bo rows" }, { text: "Cy swims" });
    const { rows } = await app.db.executeSql<{ name: string }>(
      "SELECT schema_name AS name FROM recollect.agents WHERE id = 'old'",
    );
    await app.db.executeSql(`UPDATE "${rows[0]?.name}".facts SET confirmed_at = '1950-05-05T00:00:00Z'`);
    const first = await page("sort=said&limit=1", "old");
    const second = await page(`sort=said&cursor=${first.nextCursor}`, "old");
    expect(second.facts.map(({ text }) => text)).toEqual(["Bo rows", "Ana sails"]);
  });

  test.each(["newest", "oldest", "importance", "said"])("each fact once in the order %s", async (sort) => {
    const whole = await page(`sort=${sort}&total=true`);
    expect(whole).toMatchObject({ total: 5, totalIsExact: true });
    expect(whole).not.toHaveProperty("nextCursor");
    const ids: string[] = [];
    let cursor = "";
    do {
      const one = await page(`sort=${sort}&limit=2${cursor}`);
      ids.push(...one.facts.map(({ id }) => id));
      cursor = one.nextCursor === undefined ? "" : `&cursor=${one.nextCursor}`;
    } while (cursor !== "");
    expect(ids).toEqual(whole.facts.map(({ id }) => id));
    expect(new Set(ids).size).toBe(5);
    if (sort === "importance")
      expect(whole.facts.map(({ importance }) => importance)).toEqual([0.9, 0.5, 0.5, 0.5, 0.2]);
  });

  test("a cursor of another order, or of no list, is refused", async () => {
    const { nextCursor } = await page("sort=importance&limit=2");
    for (const query of [
      `cursor=${nextCursor}`,
      `sort=said&cursor=${nextCursor}`,
      ...["importance x 1", "said 1e9 1", "importance 1e-99 1", "oldest  0", "said  1"].map(
        (text) => `sort=${text.split(" ")[0]}&cursor=${Buffer.from(text).toString("base64url")}`,
      ),
    ])
      expect(await app.call("GET", `/v1/agents/list/facts?${query}`)).toMatchObject({
        status: 400,
        body: { code: "invalid_request" },
      });
  });

  test("facts are counted by subject and by user, with the name that a user has in them", async () => {
    const { body } = await app.call<FactPeople>("GET", "/v1/agents/list/facts/people");
    expect(body).toEqual({
      people: [
        { subject: "Petra", facts: 2, latest: expect.any(String) },
        { subject: "Пётр", facts: 1, latest: expect.any(String) },
      ],
      withoutSubject: 2,
      users: [
        { user: "u1", subject: "Petra", facts: 2, latest: expect.any(String) },
        { user: "u2", subject: "Пётр", facts: 1, latest: expect.any(String) },
      ],
      withoutUser: 2,
      complete: true,
    });
    const one = await app.call<FactPeople>("GET", "/v1/agents/list/facts/people?limit=1&user=u2");
    expect(one.body).toMatchObject({ people: [{ subject: "Пётр" }], users: [{ user: "u2", facts: 1 }] });
  });

  test("a list looks at a bounded number of facts, and goes on where it ended", async () => {
    await app.store("many", { text: "The oldest fact", scope: { user: "first" }, importance: 1 });
    const { rows } = await app.db.executeSql<{ name: string }>(
      "SELECT schema_name AS name FROM recollect.agents WHERE id = 'many'",
    );
    await app.db.executeSql(
      `INSERT INTO "${rows[0]?.name}".facts (text, text_hash, category, importance, scope_user, scope_agent, scope_session, tags,
                          source, decay_class, valid_from, size_bytes, created_at, updated_at, confirmed_at)
       SELECT 'Number ' || n, md5(n::text), 'fact', 0.5, '', '', '', '{}', '{"kind":"call","by":"local"}', 'stable', now(), 9,
              now(), now(), now()
         FROM generate_series(1, ${MAX_LOOKED_AT}) AS n`,
    );
    const first = await page("q=oldest&total=true", "many");
    expect(first).toMatchObject({ facts: [], total: 0, totalIsExact: false, nextCursor: expect.any(String) });
    const second = await page(`q=oldest&cursor=${first.nextCursor}`, "many");
    expect(second.facts).toMatchObject([{ text: "The oldest fact" }]);
    expect(second).not.toHaveProperty("nextCursor");
    // An index finds the facts of one user, wherever they are.
    expect((await page("user=first&total=true", "many")).facts).toHaveLength(1);
    expect(await page("sort=importance&limit=1", "many")).toMatchObject({ facts: [{ importance: 0.5 }] });
    const { body } = await app.call<FactPeople>("GET", "/v1/agents/many/facts/people");
    expect(body).toMatchObject({ withoutUser: MAX_LOOKED_AT, complete: false });
    await app.db.executeSql(`UPDATE "${rows[0]?.name}".facts SET valid_to = now() WHERE text LIKE 'Number %'`);
    const ended = await app.call<FactPeople>("GET", "/v1/agents/many/facts/people");
    expect(ended.body).toMatchObject({ people: [], users: [], complete: false });
  }, 60_000);
});
