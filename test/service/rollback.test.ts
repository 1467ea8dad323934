import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../support/test-app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.drop());

test("what is forgotten from snapshots too is not brought back, also when it was forgotten before", async () => {
  const call = <T>(method: string, path: string, body?: object, key?: string) =>
    app.call<T>(method, `/v1/agents/secrets${path}`, body, key);
  const store = async (text: string) =>
    (await call<{ facts: { id: string }[] }>("POST", "/facts", { facts: [{ text }] })).body.facts[0]?.id ?? "";
  const [kept, gone, goneLater] = [
    await store("The gate is blue."),
    await store("The code is 81."),
    await store("It is 17."),
  ];
  await call("POST", "/snapshots", { name: "all" });
  await call("DELETE", `/facts/${kept}`);
  await call("DELETE", `/facts/${goneLater}`);
  const writer = await app.key(["agent:read", "agent:write"], { agentId: "secrets" });
  expect((await call("DELETE", `/facts/${gone}?snapshots=true`, undefined, writer)).status).toBe(403);
  for (const id of [gone, goneLater])
    expect(await call("DELETE", `/facts/${id}?snapshots=true`)).toMatchObject({
      status: 200,
      body: { forgotten: [id] },
    });
  expect((await call("DELETE", `/facts/${goneLater}?snapshots=true`)).status).toBe(404);
  expect((await call("POST", "/snapshots/all/rollback", {})).status).toBe(200);
  const { body } = await call<{ facts: { text: string }[] }>("GET", "/facts?all=true");
  expect(body.facts.map(({ text }) => text)).toEqual(["The gate is blue."]);
  const { rows } = await app.db.executeSql<{ schema: string }>(
    "SELECT schema_name AS schema FROM recollect.agents WHERE id = 'secrets'",
  );
  const states = `SELECT count(*)::int AS n FROM ${rows[0]?.schema}.fact_changes WHERE before->>'text' ~ '81|17'`;
  expect((await app.db.executeSql(states)).rows).toEqual([{ n: 0 }]);
});

test("a rollback that is undone leaves a fact with the one that ended it", async () => {
  const store = (text: string) =>
    app.call("POST", "/v1/agents/main/facts", { facts: [{ text: `The city is ${text}.`, key: "city" }] });
  const facts = async () => (await app.call<{ facts: object[] }>("GET", "/v1/agents/main/facts?all=true")).body.facts;
  const rollBack = async (name: string) =>
    (await app.call<{ undo: string }>("POST", `/v1/agents/main/snapshots/${name}/rollback`, {})).body.undo;
  await store("Bonn");
  await app.call("POST", "/v1/agents/main/snapshots", { name: "one" });
  await store("Oslo");
  const before = await facts();
  expect(before).toMatchObject([{ id: "2" }, { id: "1", supersededBy: "2" }]);
  const undo = await rollBack("one");
  await store("Rome");
  await rollBack(undo);
  expect(await facts()).toEqual(before);
});
