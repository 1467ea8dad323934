import { describe, expect, test } from "vitest";
import { type CandidateDetails, withDateEvidence } from "../../src/relevance/ranking/rank.ts";
import { datePeriod, type Period, yearPeriod } from "../../src/relevance/words/periods.ts";

const TODAY = "2026-11-26";
const period = (date: { year?: number; month: number; day?: number }) => datePeriod(date, TODAY) as Period;
const DATES = [period({ month: 5 })];
const on = (day: string) => ({
  days: { from: day, to: `${day.slice(0, 8)}${String(Number(day.slice(8)) + 1).padStart(2, "0")}` },
});
const facts = new Map<string, CandidateDetails>([
  ["may", { path: "sessions/web:1", hash: "1", changedAt: new Date("2023-05-08T12:00:00Z"), ...on("2023-05-08") }],
  ["june", { path: "sessions/web:2", hash: "2", changedAt: new Date("2023-06-08T12:00:00Z"), ...on("2023-06-08") }],
  [
    "note",
    { path: "memory/2023-05-02.md", hash: "3", changedAt: new Date("2023-09-01T12:00:00Z"), ...on("2023-05-02") },
  ],
  [
    "fact",
    {
      path: "facts/4",
      hash: "4",
      changedAt: new Date("2023-05-08T12:00:00Z"),
      ...on("2023-05-08"),
      standing: { importance: 0.5, decayClass: "stable" },
    },
  ],
]);
const evidence = (ids: string[], dates: Period[] = DATES) =>
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
    const may = evidence(["may"], [period({ month: 5 })])[0] ?? 0;
    expect(may).toBeCloseTo((2 * Math.log(365 / 31)) / Math.log(1000));
    expect(evidence(["may", "may", "note", "june"], [period({ month: 5 })])[0]).toBe(may);
    expect(evidence(["may"], [period({ month: 5, day: 8 })])[0]).toBeGreaterThan(may);
    expect(evidence(["may"], [yearPeriod(2023) as Period])[0]).toBeLessThan(may);
    expect(evidence(["may"], [yearPeriod(2023) as Period, period({ month: 5 })])[0]).toBe(may);
  });

  test("none without a date", () => {
    expect(evidence(["may", "june"], [])).toEqual([0, 0]);
  });
});
