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
    expect((await app.list("person", "?person=PETRA")).map(({ text }) => text)).toEqual([
      "Drinks tea",
      "Petra lives in Graz",
    ]);
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

  const append = (agent: string, session: string, message: object, user?: string) =>
    app.call("POST", `/v1/agents/${agent}/sessions/${session}/messages`, {
      messages: [{ role: "user", ...message }],
      ...(user === undefined ? {} : { scope: { user } }),
      capture: false,
    });
  const keys = async (agent: string) =>
    (await app.call<SessionPage>("GET", `/v1/agents/${agent}/sessions`)).body.sessions.map(({ session }) => session);

  test("a person's name and users in other spellings are one person, for facts and conversations", async () => {
    const spellings = ["Mina", "mina", "MINA", "\uFF2Dina", " mina", "Mina K"];
    for (const [at, user] of spellings.entries()) {
      const said = await append("spelt", `chat:${at}`, { content: `The zebra of ${at}` }, user);
      expect(said).toMatchObject({ status: 200 });
      await app.store("spelt", { text: `Likes tea number ${at}`, scope: { user } });
    }
    await app.store("spelt", { text: "Mina lives in Riga", subject: "MINA", scope: { user: "u-1" } });
    expect(await app.list("spelt", "?person=miNa")).toHaveLength(6);
    const wish = { person: "mIna", sessions: true };
    expect((await forget("spelt", { ...wish, dryRun: true })).body).toMatchObject({
      facts: 6,
      sessions: 5,
      messages: 5,
    });
    expect((await forget("spelt", wish)).body).toMatchObject({ facts: 6, sessions: 5, messages: 5 });
    expect(await keys("spelt")).toEqual(["chat:5"]);
    const last = (await forget("spelt", { ...wish, dryRun: true })).body;
    expect(last).toMatchObject({ facts: 0, sessions: 0, messages: 0 });
    expect(last.speaksIn).toBeUndefined();
    // The id of a user is compared exactly.
    expect((await forget("spelt", { user: "mina k", sessions: true })).body).toMatchObject({ facts: 0, sessions: 0 });
    expect((await forget("spelt", { user: "Mina K", sessions: true })).body).toMatchObject({ facts: 1, sessions: 1 });
  });

  test("conversations of others in which the person speaks are counted and named, also when nothing else remains", async () => {
    await append("spoken", "chat:1", { name: "Carla", content: "I live in Riga and my PIN is 4411." }, "u-77");
    await append("spoken", "chat:1", { name: "Bo", content: "Welcome" }, "u-77");
    await append("spoken", "chat:2", { name: "CARLA", content: "In a room for all" });
    await append("spoken", "chat:3", { name: "Carla Bruni", content: "Somebody else" }, "u-78");
    await append("spoken", "chat:4", { name: "carla", content: "Her own" }, "Carla");
    await append("spoken", "chat:5", { name: "Bo", content: "Carla is mentioned only" }, "u-79");
    await append("spoken", "chat:6", { name: "Ana\u00a0\u00a0Lima", content: "With two blanks" }, "u-80");
    await app.store("spoken", { text: "Carla lives in Riga", subject: "Carla" });
    const wish = { person: "carla", sessions: true };
    const named = [{ session: "chat:1", user: "u-77" }, { session: "chat:2" }];
    const speaksIn = { sessions: 2, complete: true, named };
    expect((await forget("spoken", { ...wish, dryRun: true })).body).toMatchObject({ facts: 1, sessions: 1, speaksIn });
    expect((await forget("spoken", wish)).body).toMatchObject({ facts: 1, sessions: 1, speaksIn });
    const last = (await forget("spoken", { ...wish, dryRun: true })).body;
    expect(last).toMatchObject({ facts: 0, sessions: 0, speaksIn });
    expect(last.note).toMatch(/speaks in 2 conversations/);
    // A caller that may not read learns the number only.
    const writer = await app.key(["agent:write"]);
    const told = (await forget("spoken", wish, writer)).body;
    expect(told).toMatchObject({ speaksIn: { sessions: 2, complete: true, named: [] } });
    expect((await forget("spoken", { person: "ana lima", sessions: true, dryRun: true })).body.speaksIn).toEqual({
      sessions: 1,
      complete: true,
      named: [{ session: "chat:6", user: "u-80" }],
    });
    await forget("spoken", { user: "u-77", sessions: true });
    await app.call("DELETE", "/v1/agents/spoken/sessions/chat:2");
    expect((await forget("spoken", { ...wish, dryRun: true })).body.speaksIn).toBeUndefined();
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
    const asQuery = await app.call("POST", "/v1/agents/kept/facts/forget?snapshots=true", { person: "Petra" });
    expect(asQuery).toMatchObject({ status: 400, body: { detail: expect.stringContaining("snapshots") } });
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
