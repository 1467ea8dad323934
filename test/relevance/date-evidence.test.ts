import { describe, expect, test } from "vitest";
import { type CandidateDetails, withDateEvidence } from "../../src/relevance/ranking/rank.ts";
import type { NamedDate } from "../../src/relevance/words/query-names.ts";

const DATES: NamedDate[] = [{ month: 5 }];
const facts = new Map<string, CandidateDetails>([
  ["may", { path: "sessions/web:1", hash: "1", changedAt: new Date("2023-05-08T12:00:00Z") }],
  ["june", { path: "sessions/web:2", hash: "2", changedAt: new Date("2023-06-08T12:00:00Z") }],
  ["note", { path: "memory/2023-05-02.md", hash: "3", changedAt: new Date("2023-09-01T12:00:00Z") }],
  [
    "fact",
    {
      path: "facts/4",
      hash: "4",
      changedAt: new Date("2023-05-08T12:00:00Z"),
      standing: { importance: 0.5, decayClass: "stable" },
    },
  ],
]);
const evidence = (ids: string[], dates: NamedDate[] = DATES) =>
  withDateEvidence(
    ids.map((chunkId) => ({ chunkId })),
    dates,
    facts,
    1000,
  ).map((one) => one.dateEvidence ?? 0);

describe("evidence by a date of the question", () => {
  test("for what was said then and for notes of that day, not for facts, which hold since", () => {
    const [may, june, note, fact] = evidence(["may", "june", "note", "fact"]);
    expect(may).toBeGreaterThan(0);
    expect(note).toBe(may);
    expect([june, fact]).toEqual([0, 0]);
  });

  test("the rarer the date the more it says, whatever else is found", () => {
    const may = evidence(["may"], [{ month: 5 }])[0] ?? 0;
    expect(may).toBeCloseTo((2 * Math.log(12)) / Math.log(1000));
    expect(evidence(["may", "may", "note", "june"], [{ month: 5 }])[0]).toBe(may);
    expect(evidence(["may"], [{ month: 5, day: 8 }])[0]).toBeGreaterThan(may);
    expect(evidence(["may"], [{ year: 2023 }])[0]).toBeLessThan(may);
    expect(evidence(["may"], [{ year: 2023 }, { month: 5 }])[0]).toBe(may);
  });

  test("none without a date", () => {
    expect(evidence(["may", "june"], [])).toEqual([0, 0]);
  });
});
