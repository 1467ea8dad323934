import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CaptureOutput } from "../../../src/service/facts/captured-facts.ts";
import type { AppendedMessages } from "../../../src/service/sessions/commit-messages.ts";
import { type FactApp, startFactApp } from "../../support/fact-app.ts";
import { type FakeModel, startFakeModel } from "../../support/fake-model.ts";
import type { ErrorBody } from "../../support/test-app.ts";

type Appended = AppendedMessages & { captured: CaptureOutput };

describe("one call after a turn", () => {
  let app: FactApp;
  let model: FakeModel;
  beforeAll(async () => {
    model = await startFakeModel();
    app = await startFactApp({
      env: { RECOLLECT_CHAT_PROVIDER: "openai", RECOLLECT_CHAT_BASE_URL: model.url, RECOLLECT_CHAT_API_KEY: "k" },
    });
  });
  afterAll(async () => {
    await app.drop();
    await model.close();
  });

  const send = (agent: string, session: string, body: object) =>
    app.call<Appended>("POST", `/v1/agents/${agent}/sessions/${session}/messages`, body);
  const append = async (agent: string, session: string, messages: object[], more: object = {}) => {
    const { status, body } = await send(agent, session, { messages, ...more });
    expect(status, JSON.stringify(body)).toBe(200);
    return body;
  };
  const said = (text: string, more: object = {}) => ({ role: "user", content: text, ...more });
  const set = async (agent: string, facts: object) => {
    const { status } = await app.call("PATCH", `/v1/agents/${agent}`, { settings: { facts } });
    expect(status).toBe(200);
  };
  const make = (id: string, more: object = {}) => app.call("POST", "/v1/agents", { id, ...more });
  const texts = async (agent: string) => (await app.list(agent)).map((fact) => fact.text).sort();

  test("by default what the user states is stored with the messages, with where it was said", async () => {
    await make("plain");
    const turn = [said("My name is Mina. I prefer tabs over spaces!"), { role: "assistant", content: "I use spaces." }];
    const { captured, appended } = await append("plain", "session_1", turn, { scope: { user: "mina" } });
    expect(appended).toBe(2);
    expect(captured).toMatchObject({ stored: 2, duplicates: 0, superseded: 0, warnings: [] });
    const again = await append("plain", "session_1", [said("Hello."), said("I live in Oslo.")], {
      scope: { user: "mina" },
    });
    expect(again.captured.facts).toMatchObject([{ status: "stored", text: "I live in Oslo" }]);
    const fact = await app.fact("plain", again.captured.facts[0]?.id ?? "");
    expect(fact.body).toMatchObject({
      scope: { user: "mina" },
      tags: ["capture"],
      source: { kind: "message", session: "session_1", message: 4 },
    });
  });

  test("a correction that comes later replaces the statement of the message before it", async () => {
    await make("corrected");
    const one = (text: string, at: string) => append("corrected", "web:1", [said(text, { at })]);
    await one("I live in Oslo.", "2026-10-01T10:00:00Z");
    await append("corrected", "web:1", [{ role: "assistant", content: "Nice!", at: "2026-10-01T10:00:05Z" }]);
    const { captured } = await one("Sorry, I meant Bergen.", "2026-10-01T10:01:00Z");
    expect(captured.facts).toMatchObject([{ text: "I live in Bergen", superseded: [expect.any(String)] }]);
    expect(await texts("corrected")).toEqual(["I live in Bergen"]);
    await one("I'm allergic to nuts.", "2026-10-02T10:00:00Z");
    await one("Sorry, I meant milk.", "2026-10-02T10:01:00Z");
    expect(await texts("corrected")).toEqual(["I live in Bergen", "I'm allergic to milk"]);
    // Another conversation has nothing to correct.
    const other = await append("corrected", "web:2", [said("Sorry, I meant Paris.")]);
    expect(other.captured.facts).toEqual([]);
  });

  test("`capture` decides, and else the agent's setting", async () => {
    await make("choice");
    const off = await append("choice", "web:1", [said("I live in Rome.")], { capture: false });
    expect(off).not.toHaveProperty("captured");
    await set("choice", { capture: { onAppend: false } });
    expect(await append("choice", "web:1", [said("I live in Rome.")])).not.toHaveProperty("captured");
    expect(await texts("choice")).toEqual([]);
    const asked = await append("choice", "web:1", [said("I live in Rome.")], { capture: true });
    expect(asked.captured.stored).toBe(1);
    await set("choice", { capture: { enabled: false, onAppend: true } });
    expect(await append("choice", "web:1", [said("I live in Bonn.")])).not.toHaveProperty("captured");
    const warned = await append("choice", "web:1", [said("I live in Bonn.")], { capture: true });
    expect(warned.captured).toMatchObject({ facts: [], warnings: [expect.stringContaining("off")] });
    expect(await texts("choice")).toEqual(["I live in Rome"]);
  });

  test("messages that are sent again are not captured again, not even one that was contradicted since", async () => {
    await make("again");
    const rome = said("I live in Rome.", { id: "a" });
    await append("again", "web:1", [rome]);
    await append("again", "web:1", [said("I moved to Bonn.", { id: "b" })]);
    const both = await append("again", "web:1", [rome, said("I prefer tea.", { id: "c" })]);
    expect(both).toMatchObject({ appended: 1, duplicates: 1 });
    expect(both.captured.facts.map((fact) => fact.text)).toEqual(["I prefer tea"]);
    expect(await texts("again")).toEqual(["I moved to Bonn", "I prefer tea"]);
    // If a call has an id twice, the second message with it is a duplicate.
    const twice = await append("again", "web:1", [
      said("I like figs.", { id: "d" }),
      said("I live in Lyon.", { id: "d" }),
    ]);
    expect(twice).toMatchObject({ appended: 1, duplicates: 1 });
    expect(await texts("again")).not.toContain("I live in Lyon");
  });

  test("a conversation that is sent again from its start, without ids, is captured once", async () => {
    await make("resent");
    const first = [said("I live in Graz."), { role: "assistant", content: "Noted." }];
    expect((await append("resent", "turns", first)).captured.facts).toHaveLength(1);
    const more = [...first, said("And in Linz?"), { role: "assistant", content: "No." }];
    expect(await append("resent", "turns", more)).toMatchObject({
      appended: 2,
      duplicates: 2,
      captured: { facts: [] },
    });
  });

  test("a fact is for whom its conversation is, also if the append or the capture does not say it", async () => {
    await make("scoped");
    const scope = { user: "alice" };
    await append("scoped", "dm:alice", [said("Hello.")], { scope });
    const { captured } = await append("scoped", "dm:alice", [said("I live in Bremen.")]);
    expect((await app.fact("scoped", captured.facts[0]?.id ?? "")).body.scope).toEqual(scope);
    const { body } = await app.call<CaptureOutput>("POST", "/v1/agents/scoped/capture", {
      messages: [said("My dentist is Dr Wolters.")],
      session: "agent:scoped:dm:alice",
    });
    expect((await app.fact("scoped", body.facts[0]?.id ?? "")).body.scope).toEqual(scope);
  });

  test("facts of appends at once are stored as if one came after the other", async () => {
    await make("together");
    const answers = await Promise.all(
      ["My name is Ines.", "I live in Lisbon.", "My name is Ines."].map((text, at) =>
        append("together", `web:${at}`, [said(text)]),
      ),
    );
    const facts = answers.flatMap(({ captured }) => captured.facts);
    expect(facts.map(({ status }) => status).sort()).toEqual(["duplicate", "stored", "stored"]);
  });

  test("the chat model is asked once about all new messages of an append", async () => {
    await make("batch", { settings: { facts: { capture: { extract: true } } } });
    const asked = model.requests.length;
    model.reply = () => JSON.stringify({ facts: [] });
    const messages = ["I prefer tea.", "Well, you know.", "The cat sleeps."].flatMap((text, at) => [
      said(text, { id: `m${at}`, name: "Ana" }),
      { role: "assistant", content: "Ok." },
    ]);
    expect((await append("batch", "web:1", messages)).captured).toMatchObject({ stored: 1, warnings: [] });
    expect(model.requests).toHaveLength(asked + 1);
    const sent = JSON.stringify(model.requests.at(-1)?.body);
    for (const text of ["User Ana: I prefer tea.", "User Ana: The cat sleeps."]) expect(sent).toContain(text);
    await append("batch", "web:1", messages);
    expect(model.requests).toHaveLength(asked + 1);
  });

  test("what tools say and what is shown is no statement of the user's", async () => {
    await make("tools");
    const { captured } = await append("tools", "web:1", [
      { role: "tool", tool_call_id: "1", content: "I live in Rome." },
      { role: "developer", content: "I prefer coffee." },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "1", content: "My name is Bob." }] },
      said("", {
        content: [
          { type: "tool_result", content: "I live in Lyon." },
          { type: "text", text: "I live in Oslo." },
        ],
      }),
    ]);
    expect(captured.facts.map((fact) => fact.text)).toEqual(["I live in Oslo"]);
    const { body } = await app.call<{ messages: { role: string; text: string }[] }>(
      "GET",
      "/v1/agents/tools/sessions/web:1",
    );
    expect(body.messages.map(({ role, text }) => [role, text])).toEqual([
      ["tool", "I live in Rome."],
      ["system", "I prefer coffee."],
      ["tool", "[tool result] My name is Bob."],
      ["user", "[tool result] I live in Lyon.\nI live in Oslo."],
    ]);
  });

  describe("several turns in one call give the facts of one call for each message", () => {
    const day = (date: string, text: string) => said(text, { timestamp: `${date}T09:00:00Z` });
    const ok = (date: string) => ({ role: "assistant", content: "Ok.", timestamp: `${date}T09:00:01Z` });
    /** Returns all facts of an agent, also ended ones, the earliest first. */
    const history = async (agent: string, query = "all=true") => {
      const path = `/v1/agents/${agent}/facts?${query}`;
      const { body } = await app.call<{ facts: { text: string; validFrom: string; validTo?: string }[] }>("GET", path);
      return body.facts
        .map(({ text, validFrom, validTo }) => [text, validFrom.slice(0, 10), validTo?.slice(0, 10)])
        .sort((a, b) => String(a[1]).localeCompare(String(b[1])) || String(a[0]).localeCompare(String(b[0])));
    };
    const both = async (name: string, messages: object[]) => {
      await make(`${name}-whole`);
      await make(`${name}-single`);
      const whole = await append(`${name}-whole`, "a", messages);
      for (const message of messages) await append(`${name}-single`, "a", [message]);
      expect(await history(`${name}-whole`)).toEqual(await history(`${name}-single`));
      return whole;
    };

    test.each<[name: string, messages: object[], wanted: unknown[]]>([
      [
        "moved",
        [day("2026-10-01", "I live in Bergen."), ok("2026-10-01"), day("2026-11-10", "I moved to Oslo.")],
        [
          ["I live in Bergen", "2026-10-01", "2026-11-10"],
          ["I moved to Oslo", "2026-11-10", undefined],
        ],
      ],
      [
        "returned",
        [
          day("2026-01-01", "I live in Bergen. I like figs."),
          day("2026-02-01", "I live in Oslo."),
          day("2026-02-02", "I live in Oslo. I like figs."),
          day("2026-03-01", "I live in Bergen."),
        ],
        [
          ["I like figs", "2026-01-01", undefined],
          ["I live in Bergen", "2026-01-01", "2026-02-01"],
          ["I live in Oslo", "2026-02-01", "2026-03-01"],
          ["I live in Bergen", "2026-03-01", undefined],
        ],
      ],
      [
        "denied",
        [day("2026-01-01", "I work at Acme."), ok("2026-01-02"), day("2026-02-01", "I no longer work at Acme.")],
        [
          ["I work at Acme", "2026-01-01", "2026-02-01"],
          ["I no longer work at Acme", "2026-02-01", undefined],
        ],
      ],
      [
        "breath",
        [day("2026-01-01", "I prefer tea. Actually, I prefer coffee."), day("2026-02-01", "I prefer tea.")],
        [
          ["I prefer coffee", "2026-01-01", "2026-02-01"],
          ["I prefer tea", "2026-02-01", undefined],
        ],
      ],
    ])("%s", async (name, messages, wanted) => {
      await both(name, messages);
      expect(await history(`${name}-whole`)).toEqual(wanted);
      await append(`${name}-whole`, "b", messages);
      expect(await history(`${name}-whole`)).toEqual(wanted);
    });

    test("the earlier value is found at its time, and the later one names it", async () => {
      const { captured } = await both("asked", [
        day("2026-10-01", "I live in Bergen."),
        ok("2026-10-01"),
        day("2026-11-10", "I moved to Oslo."),
      ]);
      expect(captured.facts[1]?.superseded).toEqual([captured.facts[0]?.id]);
      expect(await history("asked-whole", "asOf=2026-10-15T00:00:00Z")).toEqual([
        ["I live in Bergen", "2026-10-01", "2026-11-10"],
      ]);
      const search = async (more: object) => {
        const question = { query: "Where do I live?", ...more };
        const { body } = await app.call<{ facts: { text: string }[] }>(
          "POST",
          "/v1/agents/asked-whole/facts/search",
          question,
        );
        return body.facts.map(({ text }) => text);
      };
      expect(await search({})).toEqual(["I moved to Oslo"]);
      expect(await search({ asOf: "2026-10-15T00:00:00Z" })).toEqual(["I live in Bergen"]);
    });

    test("messages without times, of which an answer separates two turns", async () => {
      await make("timeless");
      const turn = [said("I prefer tea."), said("I prefer coffee.")];
      const { captured } = await append("timeless", "a", [said("I live in Bergen."), ok("2026-10-01"), ...turn]);
      expect(captured.facts.map(({ text }) => text)).toEqual(["I live in Bergen", "I prefer coffee"]);
      const next = await append("timeless", "b", [
        said("I live in Bonn."),
        { role: "assistant", content: "Ok." },
        said("I moved to Oslo."),
      ]);
      expect(next.captured).toMatchObject({ stored: 2, superseded: 2 });
      expect((await history("timeless")).map(([text]) => text)).toContain("I live in Bonn");
      expect(await texts("timeless")).toEqual(["I moved to Oslo", "I prefer coffee"]);
    });

    test("a group of messages with more statements than one message may have", async () => {
      await make("dense");
      const messages = Array.from({ length: 40 }, (_, at) => day("2026-01-01", `I like fruit${at}. I hate bird${at}.`));
      expect((await append("dense", "a", messages)).captured.stored).toBe(80);
    });

    test("with a chat model, also the values that it found", async () => {
      await make("modelled", { settings: { facts: { capture: { extract: true } } } });
      const found = (text: string, evidence: string) => ({
        text,
        category: "fact",
        importance: 0.4,
        about: "cat",
        evidence,
      });
      model.reply = () =>
        JSON.stringify({
          facts: [found("The cat is Mo.", "grey cat answers to Mo"), found("The cat is Lu.", "cat goes by Lu")],
        });
      const messages = [
        day("2026-01-01", "Well, that grey cat answers to Mo, so to say."),
        ok("2026-01-02"),
        day("2026-02-01", "Since then, each cat goes by Lu, who knows why."),
      ];
      await append("modelled", "a", messages);
      expect(await history("modelled")).toEqual([
        ["The cat is Mo.", "2026-01-01", "2026-02-01"],
        ["The cat is Lu.", "2026-02-01", undefined],
      ]);
    });
  });

  test("messages and facts are there together, or neither: a limit on facts refuses what was asked for", async () => {
    await make("limited", { limits: { facts: 1 } });
    await append("limited", "web:1", [said("I live in Rome.")]);
    const messages = [said("I prefer tea.")];
    const refused = await send("limited", "web:1", { messages, capture: true });
    expect([refused.status, (refused.body as unknown as ErrorBody).error.code]).toEqual([413, "quota_exceeded"]);
    const page = async () => (await app.call<{ messages: unknown[] }>("GET", "/v1/agents/limited/sessions/web:1")).body;
    expect((await page()).messages).toHaveLength(1);
    // This client has not asked for facts, so storing the conversation matters more.
    const kept = await append("limited", "web:1", messages);
    expect(kept).toMatchObject({ appended: 1, captured: { facts: [], stored: 0 } });
    expect(kept.captured.warnings.join()).toContain("at most 1 fact,");
    expect((await page()).messages).toHaveLength(2);
    expect(await texts("limited")).toEqual(["I live in Rome"]);
  });

  test("usage counts both", async () => {
    await make("counted", { settings: { sources: ["memory"] } });
    await append("counted", "web:1", [said("I live in Rome.")]);
    const { body } = await app.call<{ usage: unknown }>("GET", "/v1/agents/counted");
    const bytes = "I live in Rome.".length + "I live in Rome".length;
    expect(body.usage).toMatchObject({ facts: 1, chunks: 1, bytes });
  });

  test("an answer that is asked for again under its key has the same facts, once", async () => {
    await make("once");
    const headers = { "idempotency-key": "turn-1" };
    const body = { messages: [said("I live in Rome."), said("Hi.")] };
    const path = "/v1/agents/once/sessions/web:1/messages";
    const first = await app.call<Appended>("POST", path, body, undefined, headers);
    const second = await app.call<Appended>("POST", path, body, undefined, headers);
    expect(second.body).toEqual(first.body);
    expect(first.body.captured.stored).toBe(1);
    expect(await texts("once")).toHaveLength(1);
  });

  test("many appenders of one session lose neither messages nor facts", async () => {
    await make("crowd", { settings: { sources: ["memory", "sessions"] } });
    const names = Array.from({ length: 12 }, (_, i) => `pears${String.fromCharCode(97 + i)}`);
    const answers = await Promise.all(
      names.map((name) => append("crowd", "room", [said(`I love ${name}.`), said("Ok.")])),
    );
    expect(answers.every((answer) => answer.captured.stored === 1)).toBe(true);
    expect(await texts("crowd")).toHaveLength(12);
    expect(answers.map((answer) => answer.lastMessage).sort((a, b) => a - b)).toEqual(names.map((_, i) => 2 * i + 2));
  });

  test("of a long conversation all turns are read, and the chat model is asked once, about the newest messages", async () => {
    await make("long", { settings: { facts: { capture: { extract: true } } } });
    model.reply = () => JSON.stringify({ facts: [] });
    const filler = Array.from({ length: 120 }, (_, i) => said(`Number ${i} of what is pasted. ${"word ".repeat(100)}`));
    const { captured } = await append("long", "web:1", [said("I live in Oslo."), ...filler, said("I prefer tea.")]);
    expect(captured.facts.map((fact) => fact.text)).toEqual(["I live in Oslo", "I prefer tea"]);
    expect(captured.warnings.join()).toContain("newest 10 messages only");
    const [turn] = [await append("long", "web:1", [said("I hate mornings, since they are early.")])];
    expect(turn?.captured.warnings).toEqual([]);
  });

  test("the chat model adds its facts, and no answer of it stands in the way of the messages", async () => {
    await make("model", { settings: { facts: { capture: { extract: true } } } });
    model.reply = () =>
      JSON.stringify({
        facts: [
          {
            text: "The user buys oat milk.",
            category: "fact",
            importance: 0.4,
            about: "milk",
            evidence: "buy oat milk",
          },
        ],
      });
    const first = await append("model", "web:1", [said("I only ever buy oat milk, since cows are nice.")]);
    expect(first.captured.facts).toMatchObject([{ text: "The user buys oat milk.", trigger: "model" }]);
    model.reply = () => "no JSON";
    const second = await append("model", "web:1", [said("I buy soap when it rains.")]);
    expect(second.appended).toBe(1);
  });
});
