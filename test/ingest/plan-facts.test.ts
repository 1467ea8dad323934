import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { factHash, restates } from "../../src/ingest/fact-text.ts";
import { type KnownFact, type NewFact, planFacts } from "../../src/ingest/plan-facts.ts";

const at = (day: number) => new Date(day * 86_400_000);
const now = at(1000);

interface Said {
  key: string | null;
  text: string;
  scope: string;
  day: number;
  expires: number | null;
}
const newFact = ({ key, text, scope, day, expires }: Said): NewFact => ({
  key,
  scope,
  textHash: text,
  validFrom: at(day),
  supersedes: [],
  restates: [],
  expiresAt: expires === null ? null : at(expires),
});

/** Stores facts one request after the other, as the service does. */
function tell(all: readonly Said[]): KnownFact[] {
  let stored: KnownFact[] = [];
  for (const said of all) {
    const { facts } = planFacts(stored, [newFact(said)], { now });
    stored = facts.map(({ ended: _, index: __, ...fact }, n) => ({ ...fact, id: String(n + 1) }));
  }
  return stored;
}

const said = fc.record({
  key: fc.constantFrom(null, "city", "editor"),
  text: fc.constantFrom("a", "b", "c"),
  scope: fc.constantFrom("everybody", "mina"),
  day: fc.integer({ min: 1, max: 20 }),
  // All of them are later than `now`.
  expires: fc.constantFrom(null, 2000, 3000),
});

describe("facts that are told", () => {
  test("at any time one fact of a key and scope holds, whatever the order they are told in", () => {
    fc.assert(
      fc.property(fc.array(said, { maxLength: 12 }), (all) => {
        const stored = tell(all);
        for (const { key, scope } of all) {
          if (key === null) continue;
          const line = stored.filter((fact) => fact.key === key && fact.scope === scope);
          const first = Math.min(...line.map((fact) => fact.validFrom.getTime()));
          for (let day = 0; day <= 21; day++) {
            const holding = line.filter(
              (fact) => fact.validFrom <= at(day) && (!fact.validTo || fact.validTo > at(day)),
            );
            expect(holding).toHaveLength(at(day).getTime() >= first ? 1 : 0);
          }
        }
      }),
    );
  });

  test("telling the same again stores nothing", () => {
    fc.assert(
      fc.property(fc.array(said, { minLength: 1, maxLength: 8 }), (all) => {
        const stored = tell(all);
        const last = all.at(-1) as Said;
        const isSame = ({ textHash, key, scope, validTo }: KnownFact) =>
          validTo === null && textHash === last.text && key === last.key && scope === last.scope;
        const holds = stored.some(isSame);
        if (!holds) return;
        expect(planFacts(stored, [newFact({ ...last, day: 30 })], { now }).placements[0]?.status).toBe("duplicate");
      }),
      { numRuns: 1000 },
    );
  });

  test("a past that is told backwards is believed as it was", () => {
    fc.assert(
      fc.property(
        fc.array(
          said.map(({ text }) => text),
          { maxLength: 8 },
        ),
        (texts) => {
          const story = texts.filter((text, index) => text !== texts[index - 1]);
          const told = story.map((text, index) => ({
            text,
            day: index + 1,
            key: "city",
            scope: "everybody",
            expires: null,
          }));
          const stored = tell(told.reverse());
          for (const { text, day } of told) {
            const holding = stored.filter(
              (fact) => fact.validFrom <= at(day) && (!fact.validTo || fact.validTo > at(day)),
            );
            expect(holding.map((fact) => fact.textHash)).toEqual([text]);
          }
        },
      ),
    );
  });

  test("what is said again lasts as long as the longer of the two", () => {
    const [day, key, scope, text] = [1, null, "everybody", "a"];
    const lasts = (...expires: (number | null)[]) =>
      tell(expires.map((one) => ({ day, key, scope, text, expires: one }))).map((fact) => fact.expiresAt);
    expect(lasts(2000, 3000)).toEqual([at(3000)]);
    expect(lasts(3000, 2000)).toEqual([at(3000)]);
    expect(lasts(2000, null)).toEqual([null]);
    expect(lasts(null, 2000)).toEqual([null]);
  });

  test("one request is the same as several", () => {
    fc.assert(
      fc.property(fc.array(said, { maxLength: 8 }), (all) => {
        const shape = (facts: readonly Pick<KnownFact, "textHash" | "key" | "validFrom" | "validTo" | "expiresAt">[]) =>
          facts.map(({ textHash, key, validFrom, validTo, expiresAt }) => ({
            textHash,
            key,
            validFrom,
            validTo,
            expiresAt,
          }));
        expect(shape(planFacts([], all.map(newFact), { now }).facts)).toEqual(shape(tell(all)));
      }),
    );
  });
});

describe("texts", () => {
  test("are compared without case, width, spacing and the stop at the end", () => {
    expect(factHash("Uses  TABS.\n")).toBe(factHash("uses tabs"));
    expect(factHash("ＡＢＣ！")).toBe(factHash("abc"));
    expect(factHash("uses tabs")).not.toBe(factHash("uses a tab"));
  });

  test.each([
    ["the port is 8080", "The port: 8080.", true],
    ["the port is 8080", "the port is 8081", false],
    ["Mina uses tabs", "Mina never uses tabs", false],
    ["Mina doesn’t use tabs", "Mina does not use tabs", true],
    ["Mina isst Fleisch", "Mina isst kein Fleisch", false],
    ["release v2.3.1", "release v2.3.1 is out", true],
    ["release v2.3.1", "release v2.3.2", false],
    ["The user's name is Mina", "User's name is mina", true],
    ["In the morning Mina prefers tea", "Mina prefers tea in the mornings", true],
    ["Mina lives in Oslo", "Mina lives in Rome", false],
    ["Bo manages Mina", "Mina manages Bo", false],
    ["the gateway forwards 80 to 8080", "the gateway forwards 8080 to 80", false],
  ])("%s / %s: same %s", (one, other, same) => {
    expect(restates(one, other)).toBe(same);
    expect(restates(other, one)).toBe(same);
  });
});
