import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FactApp, startFactApp } from "../../support/fact-app.ts";
import { readTurns, type Turn } from "./reading/measure.ts";

const DAY_MS = 86_400_000;
const FIRST_DAY = Date.parse("2026-01-01T09:00:00Z");
const timeOf = (turn: number) => new Date(FIRST_DAY + turn * DAY_MS).toISOString();

describe("a conversation of thirty-nine turns, one a day", () => {
  const turns: Turn[] = readTurns("turns");
  let app: FactApp;
  beforeAll(async () => {
    app = await startFactApp({});
    await app.call("POST", "/v1/agents", { id: "talk" });
    for (const [index, { messages }] of turns.entries()) {
      const said = messages.map(([role, text]) => ({ role, text, at: timeOf(index) }));
      const { status } = await app.call("POST", "/v1/agents/talk/capture", { messages: said });
      expect(status).toBe(200);
    }
    await app.embedded("talk");
  });
  afterAll(() => app.drop());

  const search = async (query: string, more: object = {}) => {
    const { body } = await app.call<{ facts: { text: string }[] }>("POST", "/v1/agents/talk/facts/search", {
      query,
      minScore: 0,
      maxResults: 50,
      ...more,
    });
    return body.facts.map(({ text }) => words(text));
  };
  const words = (text: string) =>
    text
      .toLowerCase()
      .replaceAll(/[\s.,;!?。、！]+/gu, " ")
      .trim();

  const contradictions = turns.flatMap(({ id, facts = [] }, index) =>
    facts.flatMap(({ text, contradicts }) => {
      const [turn, number = "0"] = contradicts?.split(":") ?? [];
      const told = turns.findIndex((one) => one.id === turn);
      const old = turns[told]?.facts?.[Number(number)];
      return old ? [{ id, index, told, now: words(text), before: words(old.text) }] : [];
    }),
  );

  test("has six contradictions", () => expect(contradictions).toHaveLength(6));

  test.each(contradictions)("$id: $now", async ({ index, told, now, before }) => {
    // Some facts are contradicted several times, so each search asks for the time just after its
    // fact was said.
    const current = await search(now, { asOf: timeOf(index + 0.5) });
    expect(current[0]).toContain(now);
    expect(current.filter((text) => text.includes(before))).toEqual([]);
    const then = await search(before, { asOf: timeOf(told + 0.5) });
    expect(then[0]).toContain(before);
    expect(then.filter((text) => text.includes(now))).toEqual([]);
  });
});
