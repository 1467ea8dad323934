import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../support/test-app.ts";

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

test("what is forgotten from snapshots goes with the versions before it, and nothing refers to it", async () => {
  const call = <T>(method: string, path: string, body?: object) =>
    app.call<T>(method, `/v1/agents/versions${path}`, body);
  const store = async (text: string, key: string) => {
    const stored = await call<{ facts: { id: string }[] }>("POST", "/facts", { facts: [{ text, key }] });
    return stored.body.facts[0]?.id ?? "";
  };
  const texts = async () =>
    (await call<{ facts: { text: string }[] }>("GET", "/facts?all=true")).body.facts.map(({ text }) => text).sort();
  const [pin, code] = [await store("The pin is 1234.", "pin"), await store("The code is 11.", "code")];
  await call("POST", "/snapshots", { name: "early" });
  const [newPin, newCode] = [await store("The pin is 5678.", "pin"), await store("The code is 22.", "code")];
  await call("POST", "/snapshots", { name: "late" });
  // Forgets the fact with its earlier version, which only the snapshots have by then.
  await call("DELETE", `/facts/${newPin}`);
  const purged = await call<{ forgotten: string[] }>("DELETE", `/facts/${newPin}?snapshots=true`);
  expect(purged.body.forgotten.sort()).toEqual([pin, newPin].sort());
  // The rollback removes the second code, and the first one holds again. In "late" the second code
  // ends the first.
  await call("POST", "/snapshots/early/rollback", {});
  expect(await texts()).toEqual(["The code is 11."]);
  await call("DELETE", `/facts/${newCode}?snapshots=true`);
  expect((await call("POST", "/snapshots/late/rollback", {})).status).toBe(200);
  expect(await texts()).toEqual(["The code is 11."]);
  expect((await call("DELETE", `/facts/${code}?snapshots=true`)).status).toBe(200);
  const branched = await call("POST", "/branches", { as: "versions-late", snapshot: "late" });
  expect(branched.status).toBe(202);
  await app.rested();
  expect((await app.call("GET", "/v1/agents/versions-late/facts?all=true")).body).toMatchObject({ facts: [] });
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
