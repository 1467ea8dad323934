import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FactApp, startFactApp } from "../support/fact-app.ts";

interface Forgotten {
  forgotten: string[];
  more: boolean;
}

/** Facts are listed and deleted by the conversation or file that they come from. */
describe("facts by source", () => {
  let app: FactApp;
  beforeAll(async () => {
    app = await startFactApp();
  });
  afterAll(() => app.drop());

  const at = (agent: string, rest: string) => `/v1/agents/${agent}/${rest}`;
  const say = (agent: string, session: string, content: string) =>
    app.call("POST", at(agent, `sessions/${session}/messages`), { messages: [{ role: "user", content }] });
  const texts = async (agent: string, query = "") => (await app.list(agent, query)).map(({ text }) => text).sort();
  const forget = (agent: string, source: string, more = "") =>
    app.call<Forgotten>("DELETE", at(agent, `facts?source=${encodeURIComponent(source)}${more}`));
  const deleteSession = (agent: string, session: string, query = "") =>
    app.call<Record<string, number>>("DELETE", at(agent, `sessions/${session}${query}`));

  test("of a session by its name, its whole key and its path, and of a file by its path", async () => {
    await say("list", "chat:1", "I live in Porto.");
    await say("list", "chat:2", "I'm allergic to nuts.");
    const file = { kind: "file" as const, path: "notes/größe.md" };
    await app.store("list", { text: "The hall is ten metres long", source: file }, "Stored directly");
    for (const source of ["chat:1", "agent:list:chat:1", "sessions/chat:1"])
      expect(await texts("list", `?source=${encodeURIComponent(source)}`)).toEqual(["I live in Porto"]);
    expect(await texts("list", `?source=${encodeURIComponent("notes/gro\u0308\u00dfe.md")}`)).toEqual([
      "The hall is ten metres long",
    ]);
    for (const source of ["chat", "chat:11", "agent:other:chat:1", "notes/", "%"])
      expect(await texts("list", `?source=${encodeURIComponent(source)}`)).toEqual([]);
    expect((await app.call("GET", at("list", "facts?source="))).status).toBe(400);
    expect((await app.call("DELETE", at("list", "facts"))).status).toBe(400);
  });

  test("deleting by source takes all of its facts, ended ones too, and no others", async () => {
    await say("gone", "chat:1", "I live in Porto.");
    await say("gone", "chat:2", "I live in Lund.");
    await say("gone", "chat:2", "I'm allergic to nuts.");
    await say("gone", "chat:1", "I live in Braga.");
    const before = (await app.usage("gone")).facts ?? 0;
    const deleted = await forget("gone", "chat:1");
    expect(deleted.body.forgotten).toHaveLength(2);
    expect(deleted.body.more).toBe(false);
    expect(await texts("gone", "?all=true")).toEqual(["I live in Lund", "I'm allergic to nuts"]);
    expect((await app.usage("gone")).facts).toBe(before - 2);
    expect(await app.found("gone", "Braga Porto")).not.toContain("I live in Braga");
    expect((await forget("gone", "chat:1")).body.forgotten).toEqual([]);
    const { body } = await app.call<{ entries: { action: string; details: object }[] }>("GET", "/v1/audit");
    expect(JSON.stringify(body)).toContain('"rule":"by source"');
    expect(JSON.stringify(body)).not.toContain("Porto");
  });

  test("of one user only", async () => {
    const source = { kind: "file" as const, path: "shared.md" };
    await app.store(
      "users",
      { text: "Ana likes figs", source, scope: { user: "ana" } },
      { text: "Per likes plums", source, scope: { user: "per" } },
    );
    expect((await forget("users", "shared.md", "&user=ana")).body.forgotten).toHaveLength(1);
    expect(await texts("users")).toEqual(["Per likes plums"]);
  });

  test("deleting a session says how many facts came from it, and deletes them if it is asked to", async () => {
    await say("chats", "chat:1", "I live in Porto.");
    await say("chats", "chat:2", "I'm allergic to nuts.");
    // A file may have the name of a session.
    await app.store("chats", { text: "Of a file", source: { kind: "file", path: "chat:2" } });
    expect(await deleteSession("chats", "chat:1")).toMatchObject({ status: 200, body: { facts: 1, forgotten: 0 } });
    expect(await texts("chats", "?source=chat:1")).toEqual(["I live in Porto"]);
    expect(await deleteSession("chats", "chat:2", "?facts=true")).toMatchObject({ body: { facts: 1, forgotten: 1 } });
    expect(await texts("chats")).toEqual(["I live in Porto", "Of a file"]);
    expect((await forget("chats", "chat:1")).body.forgotten).toHaveLength(1);
  });
});
