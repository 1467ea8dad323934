import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SessionApp, startSessionApp } from "../support/session-app.ts";

const DAY_MS = 86_400_000;
const MONTHS = "January February March April May June July August September October November December".split(" ");

/** Returns a day from now as people write it: "10 December". */
function dayFromNow(days: number): string {
  const day = new Date(Date.now() + days * DAY_MS);
  return `${day.getUTCDate()} ${MONTHS[day.getUTCMonth()]}`;
}

describe("a passage that says what has ended", () => {
  let app: SessionApp;
  beforeAll(async () => {
    app = await startSessionApp({});
  });
  afterAll(() => app.drop());

  const all = { sources: ["memory", "sessions", "facts"] };
  const at = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();

  /** Appends conversations of a message each; the last one is of yesterday. */
  const talk = async (agent: string, said: readonly string[]) => {
    await app.talker(agent, all);
    for (const [place, text] of said.entries())
      await app.append(agent, `s${place}`, [{ text, at: at(place - said.length) }]);
    await app.synced(agent);
    await app.embedded(agent);
  };
  const shown = async (agent: string, question: string, more: Record<string, unknown> = {}) =>
    (await app.search(question, more, agent)).results.map(({ path, snippet, olderThan }) => ({
      path,
      text: snippet.split("\n")[0] ?? "",
      olderThan,
    }));

  const [first, second] = [dayFromNow(9), dayFromNow(16)];
  const MOVED = [
    `My physio appointment is on ${first}.`,
    `The physio appointment moved to ${second}.`,
    "I bought apples.",
  ];

  test.each([`What do I have on ${first}?`, `Is there anything on ${first}?`])(
    "%s: shows what has moved away from the day after the fact that says so",
    async (question) => {
      const agent = question.startsWith("What") ? "what" : "anything";
      await talk(agent, MOVED);
      const hits = await shown(agent, question);
      expect(hits[0]?.text).toContain(`moved to ${second}`);
      const old = hits.find(({ text }) => text.startsWith("user: My physio"));
      expect(old?.olderThan).toBe(`${hits[0]?.path}#L1`);
    },
  );

  test("a recall marks it too", async () => {
    await talk("moved", MOVED);
    const { body } = await app.call<{ block: string }>("POST", "/v1/agents/moved/recall", {
      message: `What do I have on ${first}?`,
    });
    expect(body.block).toContain(`moved to ${second}`);
    expect(body.block).toMatch(/older\) user: My physio appointment/);
  });

  test("a question without a word of it shows the fact that replaced it", async () => {
    await talk("pet", ["My dog is called Rex.", "I'm learning the cello.", "Rex died."]);
    const hits = await shown("pet", "Do I have a pet?");
    const old = hits.findIndex(({ text }) => text.includes("called Rex"));
    expect(old).toBeGreaterThan(0);
    expect(hits[old - 1]?.text).toContain("Rex died");
    expect(hits[old]?.olderThan).toBe(`${hits[old - 1]?.path}#L1`);
  });

  test("the last of several changes is shown", async () => {
    await talk("homes", ["I live in Oslo.", "I moved to Bergen.", "I moved to Rome.", "I bought apples."]);
    const hits = await shown("homes", "Is Oslo nice?");
    const old = hits.find(({ text }) => text.startsWith("user: I live in Oslo"));
    const newest = hits.find(({ text }) => text.includes("Rome"));
    expect(old?.olderThan).toBe(`${newest?.path}#L1`);
  });

  test("a fact is found through several replacements with different keys", async () => {
    await talk("chain", ["My dog is called Rex.", "I'm learning the cello."]);
    const store = async (text: string, replaces: string[]) =>
      (
        await app.call<{ facts: { id: string }[] }>("POST", "/v1/agents/chain/tools/memory_store", { text, replaces })
      ).body.facts.map(({ id }) => id);
    const { facts } = (await app.call<{ facts: { id: string; text: string }[] }>("GET", "/v1/agents/chain/facts")).body;
    const rex = facts.filter(({ text }) => text.includes("Rex")).map(({ id }) => id);
    const given = await store("Rex lives with my sister", rex);
    const [died] = await store("Rex died", given);
    await app.synced("chain");
    await app.embedded("chain");
    const hits = await shown("chain", "Do I have a pet?");
    expect(hits.find(({ text }) => text.startsWith("user: My dog"))?.olderThan).toBe(`facts/${died}#L1`);
  });

  test("a question about the past, of other sources or of other days is answered as before", async () => {
    await talk("past", ["I live in Oslo.", "I moved to Bergen.", "I bought apples."]);
    for (const more of [{ corpus: "sessions" }, { before: at(-2).slice(0, 10) }])
      for (const { olderThan, path } of await shown("past", "Is Oslo nice?", more)) {
        expect(path).toMatch(/^sessions/);
        expect(olderThan ?? "").not.toMatch(/^facts/);
      }
    const hits = await shown("past", "Was I in Oslo before?");
    expect(hits.find(({ text }) => text.includes("Oslo"))).not.toHaveProperty("olderThan", expect.any(String));
  });

  test("a passage that says much more is not marked", async () => {
    const more =
      "The garden needs new soil, the fence is broken, and the neighbours want to help us with the roof in spring.";
    await talk("more", [`I live in Oslo. ${more}`, "I moved to Bergen.", "I bought apples."]);
    const hits = await shown("more", "Is anything damaged?");
    expect(hits.find(({ text }) => text.includes("fence"))).not.toHaveProperty("olderThan", expect.any(String));
  });

  test("a scope sees no fact of another user", async () => {
    await app.talker("apart", all);
    const [ana, ben] = [{ user: "ana" }, { user: "ben" }];
    await app.append("apart", "a", [{ text: "My dog is called Rex.", at: at(-5) }], { scope: ana });
    await app.append("apart", "b", [{ text: "My dog is called Rex.", at: at(-5) }], { scope: ben });
    await app.append("apart", "c", [{ text: "Rex died.", at: at(-1) }], { scope: ben });
    await app.synced("apart");
    await app.embedded("apart");
    const hits = await shown("apart", "Do I have a pet?", { scope: ana });
    expect(hits.map(({ text }) => text).join()).not.toContain("died");
    expect(hits.map(({ olderThan }) => olderThan)).toEqual(hits.map(() => undefined));
  });

  test("a deleted fact replaces nothing", async () => {
    await talk("deleted", ["My dog is called Rex.", "I'm learning the cello.", "Rex died."]);
    const { facts } = (await app.call<{ facts: { id: string; text: string }[] }>("GET", "/v1/agents/deleted/facts"))
      .body;
    const died = facts.find(({ text }) => text === "Rex died");
    await app.call("DELETE", `/v1/agents/deleted/facts/${died?.id}`);
    const hits = await shown("deleted", "Do I have a pet?");
    for (const { olderThan } of hits) expect(olderThan ?? "").not.toBe(`facts/${died?.id}#L1`);
  });
});
