import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DECAY_CLASSES } from "../../src/db/agent/facts/facts.ts";
import { factFactors } from "../../src/relevance/ranking/decay.ts";
import { rank } from "../../src/relevance/ranking/rank.ts";
import { DEFAULT_SETTINGS } from "../../src/settings/settings-schema.ts";

const { halfLives } = DEFAULT_SETTINGS.facts;
const now = new Date("2026-06-01T00:00:00Z");
const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000);
const factors = (importance: number, decayClass: string, days: number) =>
  factFactors({ importance, decayClass }, daysAgo(days), now, halfLives);

describe("what a fact counts for", () => {
  test("as documented", () => {
    expect(factors(1, "permanent", 10_000)).toEqual({ importance: 1, decay: 1 });
    expect(factors(0, "stable", 365)).toEqual({ importance: 0.8, decay: 0.8 });
    expect(factors(0.5, "transient", -3)).toEqual({ importance: 0.9, decay: 1 });
  });

  test("more important is never less, older is never more, and both stay mild", () => {
    const unit = fc.double({ min: 0, max: 1, noNaN: true });
    const age = fc.double({ min: -1e5, max: 1e5, noNaN: true });
    fc.assert(
      fc.property(unit, unit, age, age, fc.constantFrom(...DECAY_CLASSES), (a, b, young, old, decayClass) => {
        const [less, more] = a < b ? [a, b] : [b, a];
        const [newer, older] = young < old ? [young, old] : [old, young];
        const [one, other] = [factors(less, decayClass, newer), factors(more, decayClass, older)];
        expect(one.importance).toBeLessThanOrEqual(other.importance);
        expect(other.decay).toBeLessThanOrEqual(one.decay);
        for (const value of [one.importance, other.importance]) expect(value >= 0.8 && value <= 1).toBe(true);
        for (const value of [one.decay, other.decay]) expect(value >= 0.6 && value <= 1).toBe(true);
      }),
    );
  });

  test("they order facts that fit alike, and replace the temporal decay of files", () => {
    const at = { path: "facts/1", changedAt: daysAgo(300), hash: "" };
    const facts = new Map([
      ["1", { ...at, hash: "1", standing: { importance: 0.1, decayClass: "session" } }],
      ["2", { ...at, hash: "2", standing: { importance: 0.9, decayClass: "permanent" } }],
    ]);
    const { hybrid } = DEFAULT_SETTINGS.query;
    const settings = { ...hybrid, temporalDecay: { enabled: true, halfLifeDays: 1 } };
    const candidates = ["1", "2"].map((chunkId) => ({ chunkId, similarity: 0.8 }));
    const request = { mode: "vector", minScore: 0.39, settings, deduplicate: true, named: [], now, halfLives } as const;
    const { ranked } = rank(candidates, facts, request);
    expect(ranked.map((hit) => hit.chunkId)).toEqual(["2", "1"]);
    expect(ranked[0]).toMatchObject({ fusedScore: 0.8, decay: 1, importance: 0.98 });
    expect(ranked[1]?.score).toBeCloseTo(0.8 * 0.6 * 0.82);
    expect(rank(candidates, facts, { ...request, minScore: 0.4 }).ranked.map((hit) => hit.chunkId)).toEqual(["2"]);
  });
});
