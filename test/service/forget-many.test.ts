import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ForgottenMany, SessionPage } from "../../src/client/api.ts";
import { type FactApp, startFactApp } from "../support/fact-app.ts";

describe("forgetting many facts", () => {
  let app: FactApp;
  beforeAll(async () => {
    app = await startFactApp();
  });
  afterAll(() => app.drop());

  const forget = (agent: string, body: object, key?: string) =>
    app.call<ForgottenMany>("POST", `/v1/agents/${agent}/facts/forget`, body, key);
  const texts = async (agent: string, query = "?all=true") => (await app.list(agent, query)).map(({ text }) => text);

  test("everything about a person: facts, versions and conversations, after a dry run", async () => {
    const city = { key: "user.city", subject: "Petra", scope: { user: "u1" } };
    await app.store("person", { text: "Petra lives in Oslo", ...city });
    await app.store("person", { text: "Petra lives in Graz", ...city });
    await app.store("person", { text: "Drinks tea", scope: { user: "Petra" } });
    await app.store("person", { text: "Ana drinks coffee", subject: "Ana", scope: { user: "u2" } });
    const say = (session: string, user: string) =>
      app.call("POST", `/v1/agents/person/sessions/${session}/messages`, {
        messages: [{ role: "user", content: "The zebra is blue." }],
        scope: { user },
        capture: false,
      });
    await say("chat:1", "Petra");
    await say("chat:2", "u2");
    expect((await app.list("person", "?person=PETRA")).map(({ text }) => text)).toEqual(["Petra lives in Graz"]);
    const before = await app.usage("person");
    const wish = { person: "Petra", sessions: true };
    expect((await forget("person", { ...wish, dryRun: true })).body).toEqual({
      dryRun: true,
      facts: 3,
      sessions: 1,
      messages: 1,
      forgotten: [],
      more: false,
    });
    expect(await app.usage("person")).toEqual(before);
    const { body } = await forget("person", wish);
    expect(body).toMatchObject({ dryRun: false, facts: 3, sessions: 1, messages: 1, more: false });
    expect(body.forgotten).toHaveLength(3);
    expect(await texts("person")).toEqual(["Ana drinks coffee"]);
    const { sessions } = (await app.call<SessionPage>("GET", "/v1/agents/person/sessions")).body;
    expect(sessions.map(({ session }) => session)).toEqual(["chat:2"]);
    const counted = (await app.call<{ facts: number; sessions: number }>("GET", "/v1/agents/person/status")).body;
    expect(counted).toMatchObject({ facts: 1, sessions: 1 });
    expect(await app.usage("person")).toMatchObject({ facts: 1 });
    const { entries } = (await app.call<{ entries: { action: string; details: object }[] }>("GET", "/v1/audit")).body;
    expect(entries.find(({ action }) => action === "facts.forget")?.details).toEqual({
      facts: 3,
      sessions: 1,
      rule: "by person",
    });
    expect(JSON.stringify(entries)).not.toContain("Petra");
    expect((await forget("person", wish)).body).toMatchObject({ facts: 0, sessions: 0, more: false });
  });

  test("by ids with their versions, by source, and by conditions that must all hold", async () => {
    const one = { key: "a.b", scope: { user: "u1" } };
    await app.store("ids", { text: "First version", ...one });
    const [last] = await app.store("ids", { text: "Second version", ...one });
    const file = { kind: "file", path: "notes.md" } as const;
    await app.store("ids", { text: "From a file for u1", source: file, scope: { user: "u1" } });
    await app.store("ids", { text: "From a file for all", source: file });
    expect((await forget("ids", { ids: [last?.id, "999"] })).body).toMatchObject({ facts: 2 });
    expect((await forget("ids", { source: "notes.md", user: "u1" })).body).toMatchObject({ facts: 1 });
    expect(await texts("ids")).toEqual(["From a file for all"]);
  });

  test("snapshots keep what was forgotten, unless they are named too", async () => {
    await app.store("kept", { text: "Petra's number is 12345", subject: "Petra" });
    await app.call("POST", "/v1/agents/kept/snapshots", { name: "s" });
    const writer = await app.key(["agent:read", "agent:write"]);
    expect((await forget("kept", { person: "Petra", snapshots: true }, writer)).status).toBe(403);
    expect((await forget("kept", { person: "Petra", snapshots: true })).body).toMatchObject({ facts: 1 });
    await app.call("POST", "/v1/agents/kept/snapshots/s/rollback", {});
    expect(await texts("kept")).toEqual([]);
  });

  test("a request says what to forget, and an agent that does not exist forgets nothing", async () => {
    for (const body of [
      {},
      { dryRun: true },
      { ids: [] },
      { ids: ["x"] },
      { source: "a.md", sessions: true },
      { person: "a", user: "b", sessions: true },
      { all: true },
    ])
      expect((await forget("ids", body)).status, JSON.stringify(body)).toBe(400);
    expect((await forget("nobody", { person: "a" })).status).toBe(404);
  });
});
