import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ArchiveApp, startArchiveApp } from "../support/archive-app.ts";
import type { ErrorBody } from "../support/test-app.ts";

const alice = { user: "alice" };
const bob = { user: "bob" };

/** The scope of a fact decides which facts it may end, and where its text is shown. */
describe("facts of different scopes", () => {
  let app: ArchiveApp;
  beforeAll(async () => {
    app = await startArchiveApp();
  });
  afterAll(() => app.drop());

  const agentPath = (agent: string, rest: string) => `/v1/agents/${agent}/${rest}`;
  const get = async (agent: string, path: string) =>
    (await app.call<{ text: string }>("POST", agentPath(agent, "tools/memory_get"), { path })).body.text;
  const holds = async (agent: string, id = "") => (await app.fact(agent, id)).body.validTo === undefined;

  test.each([
    ["everybody's", "a user's", {}, alice],
    ["a user's", "everybody's", alice, {}],
    ["a user's", "another user's", bob, alice],
    ["one conversation's", "the user's", { user: "alice", session: "s1" }, alice],
  ])("a fact of %s scope does not take the place of one of %s, which it names", async (mine, other, scope, ofOther) => {
    const agent = `${mine}-${other}`.replaceAll(/[^a-z]+/g, "-");
    const [old] = await app.store(agent, { text: "The safe opens with 4711", scope: ofOther });
    const fact = { text: "The safe is in the cellar", scope, supersedes: [old?.id ?? ""] };
    const refused = await app.call<ErrorBody>("POST", agentPath(agent, "facts"), { facts: [fact] });
    expect(refused).toMatchObject({ status: 409, body: { code: "scope_conflict", details: { id: old?.id } } });
    expect(refused.body.error.message).not.toContain("4711");
    const tool = await app.call<ErrorBody>("POST", agentPath(agent, "tools/memory_store"), fact);
    expect(tool).toMatchObject({ status: 409, body: { code: "scope_conflict" } });
    expect(await holds(agent, old?.id)).toBe(true);
    expect(await app.list(agent, "?all=true")).toHaveLength(1);
  });

  test("a fact takes the place of another of its scope, whichever way empty parts are written", async () => {
    const [old] = await app.store("same", { text: "The gate code is 1122", scope: alice });
    const [next] = await app.store("same", {
      text: "The gate code is 3344",
      scope: { user: "alice" },
      supersedes: [old?.id ?? ""],
    });
    expect(next?.superseded).toEqual([old?.id]);
    const { results } = await app.search("gate code", { minScore: 0, scope: alice }, "same");
    expect(results[0]?.fact?.replaced).toBe("The gate code is 1122");
  });

  test("neither a key, nor a like text, nor a correction ends a fact of another scope", async () => {
    const key = "user.city";
    const [shared] = await app.store("kept", { text: "I live in Bremen", key });
    const [ofAlice] = await app.store("kept", { text: "I live in Kiel", key, scope: alice });
    const [ofBob] = await app.store("kept", { text: "I live in Kiel", key, scope: bob });
    await app.call("PATCH", agentPath("kept", `facts/${ofBob?.id}`), { text: "I live in Porto" });
    expect(await holds("kept", shared?.id)).toBe(true);
    expect(await holds("kept", ofAlice?.id)).toBe(true);
    expect((await app.history("kept", ofAlice?.id ?? "")).map(({ id }) => id)).toEqual([ofAlice?.id]);
    expect(await app.call("DELETE", agentPath("kept", `facts/${ofBob?.id}`))).toMatchObject({ status: 200 });
    expect((await app.fact("kept", ofAlice?.id ?? "")).status).toBe(200);
  });

  /**
   * Links that earlier releases could store, and that an old archive or snapshot may bring back.
   */
  describe("that were linked before", () => {
    const SECRET = "The safe of Alice opens with 4711";
    let old: string;
    let next: string;
    beforeAll(async () => {
      const stored = await app.store("linked", { text: SECRET, scope: alice }, "The safe stands in the cellar");
      [old, next] = stored.map(({ id }) => id) as [string, string];
      await app.call("POST", "/v1/agents", { id: "reader" });
      const { rows } = await app.db.executeSql<{ schema: string }>(
        "SELECT schema_name AS schema FROM recollect.agents WHERE id = 'linked'",
      );
      await app.db.executeSql(
        `UPDATE ${rows[0]?.schema}.facts SET valid_to = now() + interval '1 hour', superseded_by = ${next}, ended_by = 'supersede'
          WHERE id = ${old}`,
      );
      await app.call("PUT", agentPath("linked", "shares/reader"), {});
      await app.call("PUT", agentPath("reader", "reads/linked"), {});
    });

    test("no search quotes the other, neither for another user nor for the reader of a share", async () => {
      for (const [agent, scope] of [
        ["linked", bob],
        ["linked", {}],
        ["linked", undefined],
        ["reader", undefined],
      ] as const) {
        const { results } = await app.search("Where is the safe", { minScore: 0, ...(scope && { scope }) }, agent);
        const found = results.find(({ path }) => path.endsWith(`facts/${next}`));
        expect(found, `${agent} ${JSON.stringify(scope)}`).toBeDefined();
        expect(JSON.stringify(found)).not.toContain("4711");
      }
    });

    test("neither memory_get nor the history shows the other", async () => {
      expect(await get("linked", `facts/${next}`)).not.toContain("4711");
      expect(await get("reader", `@linked/facts/${next}`)).not.toContain("4711");
      expect(await get("linked", `facts/${old}`)).not.toContain("cellar");
      expect((await app.history("linked", next)).map(({ id }) => id)).toEqual([next]);
      expect((await app.history("linked", old)).map(({ id }) => id)).toEqual([old]);
    });

    test("an import leaves the two apart", async () => {
      expect((await app.import(await app.export("linked"), "?as=brought")).status).toBe(201);
      expect((await app.fact("brought", old)).body).not.toHaveProperty("supersededBy");
      expect((await app.history("brought", next)).map(({ id }) => id)).toEqual([next]);
    });

    test("forgetting one leaves the other", async () => {
      expect((await app.call<{ forgotten: string[] }>("DELETE", agentPath("linked", `facts/${next}`))).status).toBe(
        200,
      );
      expect((await app.fact("linked", old)).status).toBe(200);
    });
  });
});
