import { describe, expect, test } from "vitest";
import { withDateEvidence } from "../../src/search/date-evidence.ts";
import type { CandidateFacts } from "../../src/search/rank.ts";

const DATES = [{ month: 5 }];
const facts = new Map<string, CandidateFacts>([
  ["may", { path: "sessions/web:1", hash: "1", changedAt: new Date("2023-05-08T12:00:00Z") }],
  ["june", { path: "sessions/web:2", hash: "2", changedAt: new Date("2023-06-08T12:00:00Z") }],
  ["note", { path: "memory/2023-05-02.md", hash: "3", changedAt: new Date("2023-09-01T12:00:00Z") }],
  [
    "fact",
    {
      ...{ path: "facts/4", hash: "4", changedAt: new Date("2023-05-08T12:00:00Z") },
      standing: { importance: 0.5, decayClass: "stable" },
    },
  ],
]);
const evidence = (ids: string[], dates = DATES) =>
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

  test("the fewer candidates are of the date, the more it says", () => {
    const counted = (inMay: number, others: number) => {
      const all = Array.from({ length: inMay + others }, (_, n) => ({ chunkId: String(n) }));
      const month = (n: number) => (n < inMay ? "05" : "06");
      const known = new Map<string, CandidateFacts>(
        all.map(({ chunkId }, n) => [
          chunkId,
          { path: "sessions/web:1", hash: chunkId, changedAt: new Date(`2023-${month(n)}-08T12:00:00Z`) },
        ]),
      );
      return withDateEvidence(all, DATES, known, 1000)[0]?.dateEvidence;
    };
    expect(counted(1, 30)).toBeCloseTo((2 * Math.log(1 + 30.5 / 1.5)) / Math.log(1000));
    expect(counted(10, 21)).toBeLessThan(counted(1, 30) ?? 0);
    expect(counted(31, 0)).toBeLessThan(0.02);
  });

  test("none without a date", () => {
    expect(evidence(["may", "june"], [])).toEqual([0, 0]);
  });
});
