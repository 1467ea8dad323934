import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Change, ChangePage } from "../../src/client/api.ts";
import { MAX_LOOKED_AT } from "../../src/db/agent/history/recent-changes.ts";
import { type FactApp, startFactApp } from "../support/fact-app.ts";

describe("the newest changes", () => {
  let app: FactApp;
  const ids: string[] = [];
  beforeAll(async () => {
    app = await startFactApp();
    const put = (content: string) => app.call("PUT", "/v1/agents/log/files/a.md", { content });
    await put("# Ports\nThe gateway listens on 9090.");
    await put("# Ports\nThe gateway listens on 9091.");
    const city = { key: "user.city", subject: "Petra", scope: { user: "u1" } };
    ids.push((await app.store("log", { text: "Petra lives in Oslo", ...city }))[0]?.id ?? "");
    ids.push((await app.store("log", { text: "Petra lives in Graz", ...city }))[0]?.id ?? "");
    ids.push((await app.store("log", "The password is hunter2"))[0]?.id ?? "");
    await app.call("POST", "/v1/agents/log/snapshots", { name: "keeps" });
    await app.call("DELETE", `/v1/agents/log/facts/${ids[2]}`);
    const messages = [{ role: "user", content: "Hello there" }];
    await app.call("POST", "/v1/agents/log/sessions/slack:C1/messages", { messages, scope: { user: "u1" } });
    await app.call("DELETE", "/v1/agents/log/files/a.md");
  });
  afterAll(() => app.drop());

  const page = async (query: string, agent = "log") => {
    const { status, body } = await app.call<ChangePage>("GET", `/v1/agents/${agent}/changes?${query}`);
    expect(status, JSON.stringify(body)).toBe(200);
    return body;
  };
  const told = async (query: string) =>
    (await page(`order=newest&texts=true&${query}`)).changes.map(
      ({ at: _, by: _by, version: _v, hash: _h, ...rest }) => rest,
    );

  test("each change has its words, but a forgotten fact has none", async () => {
    const about = { subject: "Petra", key: "user.city", user: "u1" };
    const [first, second, third] = ids.map((id) => `facts/${id}`);
    const changes = await told("");
    expect(changes).toHaveLength(8);
    expect(changes).toEqual(
      expect.arrayContaining([
        { kind: "file.deleted", path: "a.md", before: "# Ports\nThe gateway listens on 9091." },
        { kind: "session.started", path: "sessions/slack:C1", text: "Hello there", user: "u1" },
        { kind: "fact.forgotten", path: third },
        { kind: "fact.stored", path: second, text: "Petra lives in Graz", before: "Petra lives in Oslo", ...about },
        { kind: "fact.superseded", path: first, text: "Petra lives in Graz", before: "Petra lives in Oslo", ...about },
        { kind: "fact.stored", path: first, text: "Petra lives in Oslo", ...about },
        {
          kind: "file.changed",
          path: "a.md",
          text: "The gateway listens on 9091.",
          before: "The gateway listens on 9090.",
        },
        { kind: "file.created", path: "a.md", text: "# Ports\nThe gateway listens on 9090." },
      ]),
    );
    expect(JSON.stringify(changes)).not.toContain("hunter2");
    const times = (await page("order=newest")).changes.map(({ at }) => at);
    expect(times).toEqual(times.toSorted().reverse());
    expect((await page("order=newest")).changes[0]).not.toHaveProperty("text");
  });

  test.each([
    ["kind=file", 3],
    ["kind=file.deleted", 1],
    ["kind=fact.stored", 2],
    ["kind=session", 1],
    ["kind=fact.superseded&person=PETRA", 1],
    ["person=petra", 3],
    ["person=u1", 4],
    ["person=U1", 0],
    ["key=user.city&kind=fact.stored", 2],
    ["by=local", 7],
    ["by=loc", 0],
    ["until=2001-01-01T00:00:00Z", 0],
    ["since=2001-01-01T00:00:00Z", 8],
    ["kind=unknown", 0],
  ])("%s: %i", async (query, expected) => {
    expect((await page(`order=newest&${query}`)).changes).toHaveLength(expected);
  });

  test("page by page each change comes once", async () => {
    for (const query of ["order=newest", "order=newest&kind=fact", "order=newest&person=petra"]) {
      const whole = (await page(query)).changes;
      const found: Change[] = [];
      for (let cursor = "", more = true; more; ) {
        const one = await page(`${query}&limit=2${cursor}`);
        found.push(...one.changes);
        ({ more } = one);
        cursor = `&cursor=${one.cursor}`;
      }
      expect(found).toEqual(whole);
    }
  });

  test("a filter needs this order, and a cursor the order that it is of", async () => {
    const { cursor } = await page("order=newest&limit=1");
    for (const query of [
      "kind=file",
      "by=local",
      `cursor=${cursor}`,
      "order=newest&cursor=eyJ9",
      "order=newest&kind=%25",
    ])
      expect((await app.call("GET", `/v1/agents/log/changes?${query}`)).status, query).toBe(400);
  });

  test("a filter looks at a bounded number of changes, and goes on where it ended", async () => {
    await app.store("many", { text: "Ana lives in Porto", subject: "Ana" });
    const { rows } = await app.db.executeSql<{ name: string }>(
      "SELECT schema_name AS name FROM recollect.agents WHERE id = 'many'",
    );
    await app.db.executeSql(
      `INSERT INTO "${rows[0]?.name}".facts (text, text_hash, category, importance, scope_user, scope_agent, scope_session, tags,
                          source, decay_class, valid_from, size_bytes, created_at, updated_at, confirmed_at)
       SELECT 'Number ' || n, md5(n::text), 'fact', 0.5, '', '', '', '{}', '{"kind":"call","by":"local"}', 'stable', now(), 9,
              now() + n * interval '1 second', now(), now()
         FROM generate_series(1, ${MAX_LOOKED_AT + 10}) AS n`,
    );
    const first = await page("order=newest&person=ana", "many");
    expect(first).toMatchObject({ changes: [], more: true });
    const second = await page(`order=newest&person=ana&cursor=${first.cursor}`, "many");
    expect(second).toMatchObject({ changes: [{ kind: "fact.stored" }], more: false });
  }, 60_000);
});
