import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ArchiveApp, readLines, startArchiveApp } from "../support/archive-app.ts";

/** A fact has a subject: its speaker, or the person or thing that it is about. */
describe("subjects of facts", () => {
  let app: ArchiveApp;
  beforeAll(async () => {
    app = await startArchiveApp();
  });
  afterAll(() => app.drop());

  const at = (agent: string, rest: string) => `/v1/agents/${agent}/${rest}`;
  const say = (agent: string, session: string, messages: object[], scope?: object) =>
    app.call("POST", at(agent, `sessions/${session}/messages`), { messages, ...(scope && { scope }) });
  const subjects = async (agent: string, query = "") =>
    (await app.list(agent, query)).map(({ subject = "", text }) => [subject, text]).sort();

  test("in a conversation of several people each fact has its speaker, and a question is answered about the right one", async () => {
    await say("group", "chat:1", [
      { role: "user", name: "Ana", content: "I live in Porto and I'm called Ana." },
      { role: "user", name: "Per", content: "I live in Lund. I'm allergic to shellfish." },
    ]);
    const stored = await app.list("group");
    expect(new Set(stored.map(({ subject }) => subject))).toEqual(new Set(["Ana", "Per"]));
    for (const { subject, text } of stored) expect(subject).toBe(/Porto|Ana/.test(text) ? "Ana" : "Per");
    for (const [name, place] of [
      ["Ana", "Porto"],
      ["Per", "Lund"],
    ] as const) {
      const question = `Where does ${name} live?`;
      const [found] = (await app.searchFacts("group", question, { minScore: 0 })).facts;
      expect([found?.subject, found?.text]).toEqual([name, expect.stringContaining(place)]);
      const { results } = await app.search(question, { minScore: 0, corpus: "facts" }, "group");
      expect([results[0]?.fact?.subject, results[0]?.snippet]).toEqual([name, expect.stringContaining(place)]);
      const { facts, block } = await app.recall("group", question);
      expect([facts[0]?.subject, facts[0]?.text]).toEqual([name, expect.stringContaining(place)]);
      expect(block.split("\n").find((line) => line.includes(place))).toContain(`${name}: I live in ${place}`);
    }
  });

  test("what one says ends what the same one said, whatever the case of the name", async () => {
    await say("moves", "chat:1", [
      { role: "user", name: "Ana", content: "I live in Porto." },
      { role: "user", name: "Per", content: "I live in Lund." },
    ]);
    await say("moves", "chat:1", [{ role: "user", name: "ANA", content: "I live in Braga." }]);
    expect(await subjects("moves")).toEqual([
      ["ANA", "I live in Braga"],
      ["Per", "I live in Lund"],
    ]);
  });

  test("the same words of two people are two facts, and are no duplicates as hits", async () => {
    const same = "I live in Lund";
    await say("both", "chat:1", [
      { role: "user", name: "Ana", content: same },
      { role: "user", name: "Per", content: same },
    ]);
    expect(await subjects("both")).toEqual([
      ["Ana", same],
      ["Per", same],
    ]);
    const { results } = await app.search("live in Lund", { minScore: 0, corpus: "facts" }, "both");
    expect(results.map(({ fact }) => fact?.subject).sort()).toEqual(["Ana", "Per"]);
    const [again] = await app.store("both", { text: same, key: "user.location", subject: "per" });
    expect(again?.status).toBe("duplicate");
  });

  test("without names, the user of the conversation's scope is the speaker, and goes on with older facts", async () => {
    const scope = { user: "mina" };
    const [old] = await app.store("scoped", { text: "I live in Bergen", key: "user.location", scope });
    await say("scoped", "chat:1", [{ role: "user", content: "I'm allergic to nuts." }], scope);
    // The second append does not repeat the scope.
    await say("scoped", "chat:1", [{ role: "user", content: "I live in Oslo." }]);
    expect(await subjects("scoped")).toEqual([
      ["mina", "I live in Oslo"],
      ["mina", expect.stringContaining("nuts")],
    ]);
    expect((await app.fact("scoped", old?.id ?? "")).body.endedBy).toBe("key");
    const { block } = await app.recall("scoped", "Where do I live?", { scope });
    expect(block).not.toContain("mina:");
  });

  test("a caller names whom or what a fact is about: key, scope and subject decide what it ends", async () => {
    const fact = (subject: string | undefined, text: string) => ({ subject, key: "deadline", text });
    await app.store("given", fact("Kestrel", "The deadline is in May"), fact("Osprey", "The deadline is in June"));
    await app.store(
      "given",
      fact(undefined, "The deadline is on Friday"),
      fact(" kestrel ", "The deadline is in July"),
    );
    expect(await subjects("given")).toEqual([
      ["", "The deadline is on Friday"],
      ["Osprey", "The deadline is in June"],
      ["kestrel", "The deadline is in July"],
    ]);
    expect((await app.found("given", "When is the deadline of Osprey?"))[0]).toBe("The deadline is in June");
    const stored = await app.call<{ facts: { id: string }[] }>("POST", at("given", "tools/memory_store"), {
      text: "Owned by the harbour team",
      subject: "Osprey",
    });
    expect((await app.fact("given", stored.body.facts[0]?.id ?? "")).body.subject).toBe("Osprey");
    for (const subject of ["", "  ", "a\nb", "x".repeat(201), 7])
      expect((await app.call("POST", at("given", "facts"), { facts: [{ text: "x", subject }] })).status).toBe(400);
  });

  test("lists, searches and recalls can be about one subject, and subjects are counted", async () => {
    await app.store(
      "about",
      { subject: "Ana", text: "Likes walks by the river" },
      { subject: "ana", text: "Has two dogs" },
      { subject: "Per", text: "Likes walks in the forest" },
      "Walks are announced on the board",
    );
    expect(await subjects("about", "?subject=ANA")).toHaveLength(2);
    expect(await app.found("about", "Who likes walks?", { subject: "PER" })).toEqual(["Likes walks in the forest"]);
    const { facts } = await app.recall("about", "Who likes walks?", { subject: "Ana" });
    expect(facts.map(({ text }) => text)).toContain("Likes walks by the river");
    expect(facts.every(({ subject = "" }) => subject.toLowerCase() === "ana")).toBe(true);
    const tool = await app.call<{ facts: { subject: string }[] }>("POST", at("about", "tools/memory_recall"), {
      query: "walks",
      subject: "per",
    });
    expect(tool.body.facts.map(({ subject }) => subject)).toEqual(["Per"]);
    const counted = await app.call<{ people: object[] }>("GET", at("about", "facts/people"));
    expect(counted).toMatchObject({
      status: 200,
      body: {
        people: [
          { subject: "ana", facts: 2 },
          { subject: "Per", facts: 1 },
        ],
        withoutSubject: 1,
      },
    });
    expect((await app.call<{ people: object[] }>("GET", at("about", "facts/people?limit=1"))).body.people).toHaveLength(
      1,
    );
  });

  test("another text keeps the subject, and another subject makes another version", async () => {
    const [first] = await app.store("change", { subject: "Ana", text: "Plays the cello" });
    const change = (id: string, body: object) => app.call<{ id: string }>("PATCH", at("change", `facts/${id}`), body);
    const second = (await change(first?.id ?? "", { text: "Plays the viola" })).body.id;
    expect((await app.fact("change", second)).body).toMatchObject({ subject: "Ana", text: "Plays the viola" });
    const third = (await change(second, { subject: "Per" })).body.id;
    expect((await app.history("change", third)).map(({ subject, text }) => [subject, text])).toEqual([
      ["Ana", "Plays the cello"],
      ["Ana", "Plays the viola"],
      ["Per", "Plays the viola"],
    ]);
    expect((await app.found("change", "What does Per play?"))[0]).toBe("Plays the viola");
    expect((await change(third, { subject: "Per" })).body.id).toBe(third);
    const fourth = (await change(third, { subject: null })).body.id;
    expect((await app.fact("change", fourth)).body).not.toHaveProperty("subject");
  });

  test("archives, branches, merges, snapshots and the folder for people keep subjects", async () => {
    await app.store("kept", { subject: "Ana", text: "Likes figs", key: "fruit" }, { text: "Figs are in season" });
    const archive = await app.export("kept");
    expect(readLines(archive)[0]).toMatchObject({ version: 7 });
    expect((await app.import(archive, "?as=brought")).status).toBe(201);
    expect(await subjects("brought")).toEqual(await subjects("kept"));
    expect((await app.found("brought", "What does Ana like?"))[0]).toBe("Likes figs");

    await app.call("POST", at("kept", "snapshots"), { name: "before" });
    const [list] = await app.list("kept", "?subject=ana");
    await app.call("DELETE", at("kept", `facts/${list?.id}`));
    expect(readLines(await app.export("kept"))[0]).toMatchObject({ version: 7 });
    expect((await app.call("POST", at("kept", "snapshots/before/rollback"), {})).status).toBe(200);
    expect(await subjects("kept", "?subject=Ana")).toEqual([["Ana", "Likes figs"]]);
    expect((await app.found("kept", "What does Ana like?"))[0]).toBe("Likes figs");

    expect((await app.call("POST", at("kept", "branches"), { as: "twig" })).status).toBeLessThan(300);
    await app.rested();
    await app.store("twig", { subject: "Per", text: "Likes plums", key: "fruit" });
    expect(await app.call("POST", at("twig", "merge"), { into: "kept" })).toMatchObject({ status: 200 });
    expect(await subjects("kept")).toEqual(await subjects("twig"));
    expect((await app.found("kept", "What does Per like?"))[0]).toBe("Likes plums");
  });

  test("an archive without subjects is one that older releases read", async () => {
    await app.store("plain", "Nobody in particular");
    expect(readLines(await app.export("plain"))[0]).toMatchObject({ version: 1 });
  });
});

describe("memory_store", () => {
  let app: ArchiveApp;
  beforeAll(async () => {
    app = await startArchiveApp();
  });
  afterAll(() => app.drop());

  test("takes the subject and the facts that it replaces, by the ids that the other tools show", async () => {
    const store = (input: object) =>
      app.call<{ facts: { id: string; superseded: string[] }[] }>("POST", "/v1/agents/main/tools/memory_store", input);
    const [first] = (await store({ text: "Works at Globex", subject: "Ana" })).body.facts;
    const [second] = (await store({ text: "Has left Globex", subject: "Ana", replaces: [`facts/${first?.id}`] })).body
      .facts;
    expect(second?.superseded).toEqual([first?.id]);
    const [third] = (await store({ text: "Works at Initech", subject: "Ana", replaces: [second?.id] })).body.facts;
    expect(third?.superseded).toEqual([second?.id]);
    expect((await store({ text: "x", replaces: ["notes/a.md"] })).status).toBe(400);
    const { results } = await app.search("Where does Ana work?", { minScore: 0 });
    expect(results[0]?.fact).toMatchObject({ subject: "Ana", replaced: "Has left Globex" });
  });

  test("the prompt section asks for instructions, corrections and facts about people", async () => {
    const { body } = await app.call<{ prompt: string }>("GET", "/v1/agents/main/tools?format=openai");
    for (const word of ["memory_store", "instruction", "correction", "person", "subject", "replaces"])
      expect(body.prompt).toContain(word);
  });
});
