import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { captureFacts } from "../../../../src/features/capture/reading/capture-facts.ts";

/** The folder with the data sets, which may not be distributed with the project (test/features/capture/data/README.md). */
const FOLDER = process.env.RECOLLECT_EVALUATION_DATA ?? "";
const SETS = ["realtalk", "beam", "locomo"] as const;

interface Labelled {
  set: (typeof SETS)[number];
  id: string;
  /** The place of the statement in the message, without the speaker's name; `end` is exclusive. */
  start: number;
  end: number;
  sha256: string;
  facts: { kind: string; start: number; end: number }[];
}

const labelled = readFileSync(new URL("../data/labelled.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Labelled);

function messagesOf(set: string): [string, string][] {
  const lines = readFileSync(join(FOLDER, set, "corpus.jsonl"), "utf8")
    .trim()
    .split("\n");
  return lines.map((line) => {
    const { id, text } = JSON.parse(line) as { id: string; text: string };
    return [`${set} ${id}`, text.slice(text.indexOf(": ") + 2)];
  });
}

describe("the labelled statements", () => {
  it("are 300 of three data sets, 43 of them with facts", () => {
    expect(labelled).toHaveLength(300);
    expect(labelled.filter(({ facts }) => facts.length > 0)).toHaveLength(43);
    for (const set of SETS) expect(labelled.filter((one) => one.set === set)).toHaveLength(100);
  });

  it.skipIf(!existsSync(join(FOLDER, "beam")))("are read with a precision of at least 0.95", () => {
    const texts = new Map(SETS.flatMap(messagesOf));
    const wrong: string[] = [];
    let right = 0;
    let found = 0;
    for (const { set, id, start, end, sha256, facts } of labelled) {
      const text = texts.get(`${set} ${id}`) ?? "";
      expect(createHash("sha256").update(text.slice(start, end)).digest("hex").slice(0, 16)).toBe(sha256);
      const captured = captureFacts([{ role: "user", text }]).filter(
        ({ range }) => range.start < end && range.end > start,
      );
      const hits = (fact: { start: number; end: number }) =>
        captured.some(({ range }) => range.start < fact.end && range.end > fact.start);
      found += facts.filter(hits).length;
      for (const { range, text: stated, trigger } of captured) {
        if (facts.some((fact) => range.start < fact.end && range.end > fact.start)) right++;
        else wrong.push(`${id}: ${trigger}: ${stated}`);
      }
    }
    expect(right / (right + wrong.length), wrong.join("\n")).toBeGreaterThanOrEqual(0.95);
    expect(found, "of 46 facts").toBeGreaterThanOrEqual(14);
  });
});
