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

  describe("what was forgotten may still stand in a conversation or a file, which the answer names", () => {
    const first = async (agent: string, query = "") => (await app.list(agent, query))[0]?.id ?? "";
    const file = (agent: string, path: string) => app.call("PUT", at(agent, `files/${path}`), { content: "Text." });

    test("one conversation, until it is deleted", async () => {
      await say("words", "chat:1", "I live in Porto.");
      const { body } = await app.call("DELETE", at("words", `facts/${await first("words")}`));
      expect(body).toMatchObject({
        stillIn: ["sessions/chat:1"],
        note: "The conversation sessions/chat:1 still says it; delete the conversation to remove the words.",
      });
      await say("words", "chat:2", "I live in Lund.");
      await deleteSession("words", "chat:2");
      const gone = await app.call("DELETE", at("words", `facts/${await first("words")}`));
      expect(Object.keys(gone.body)).toEqual(["forgotten"]);
      await app.store("words", { text: "Stored directly" });
      const direct = await app.call("DELETE", at("words", `facts/${await first("words")}`));
      expect(Object.keys(direct.body)).toEqual(["forgotten"]);
    });

    test("a file, if it exists", async () => {
      await file("paper", "notes.md");
      const [notes, lost] = ["notes.md", "lost.md"].map((path) => ({ kind: "file" as const, path }));
      await app.store("paper", { text: "Of notes", source: notes });
      await app.store("paper", { text: "Of lost", source: lost });
      const { body } = await app.call("POST", at("paper", "facts/forget"), { source: "notes.md" });
      expect(body).toMatchObject({
        stillIn: ["notes.md"],
        note: "It came from the file notes.md, which may still say it; edit or delete the file to remove the words.",
      });
      expect(Object.keys((await forget("paper", "lost.md")).body).sort()).toEqual(["forgotten", "more"]);
    });

    test("of the earlier versions too, and of many only some are named", async () => {
      for (const [at, place] of ["Porto", "Lund", "Braga", "Rome", "Bonn"].entries())
        await say("many", `chat:${at}`, `I live in ${place}.`);
      const headers = { "idempotency-key": "forget-1" };
      const path = at("many", `facts/${await first("many")}`);
      const { body } = await app.call("DELETE", path, undefined, undefined, headers);
      expect(body).toMatchObject({ stillIn: ["sessions/chat:0", "sessions/chat:1", "sessions/chat:2"] });
      expect(body).toMatchObject({ note: expect.stringContaining("sessions/chat:2, and 2 more. Delete") });
      expect((await app.call("DELETE", path, undefined, undefined, headers)).body).toEqual(body);
    });

    test("not the conversations that are deleted with the facts", async () => {
      const scope = { user: "ana" };
      const messages = [{ role: "user", content: "I live in Porto." }];
      await app.call("POST", at("person", "sessions/chat:1/messages"), { messages, scope });
      const everything = { user: "ana", sessions: true };
      const { body } = await app.call("POST", at("person", "facts/forget"), everything);
      expect(body).toMatchObject({ facts: 1, sessions: 1 });
      expect(body).not.toHaveProperty("note");
    });

    test("a key that may only write learns no names", async () => {
      await say("blind", "chat:1", "I live in Porto.");
      const path = at("blind", `facts/${await first("blind")}`);
      const { body } = await app.call("DELETE", path, undefined, await app.key(["agent:write"]));
      expect(body).toMatchObject({ note: "A conversation or a file that it came from may still say it." });
      expect(body).not.toHaveProperty("stillIn");
    });

    test("the model's tool says it", async () => {
      await say("tool", "chat:1", "I live in Porto.");
      const id = await first("tool");
      const { body } = await app.call("POST", at("tool", "tools/memory_forget"), { ids: [id, "99"] });
      expect(body).toMatchObject({ forgotten: [id], note: expect.stringContaining("sessions/chat:1 still says it") });
      expect(body).toMatchObject({ note: expect.stringContaining('No fact has the id "99"') });
    });
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
