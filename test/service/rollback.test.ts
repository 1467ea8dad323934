import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../support/test-app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.drop());

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
