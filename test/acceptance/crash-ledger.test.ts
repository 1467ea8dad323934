import { describe, expect, test } from "vitest";
import { type Attempt, createLedger, type Value } from "../support/crash-ledger.ts";

const attemptOf = (wanted: Record<string, Value>): Omit<Attempt, "tries"> => ({
  wanted: new Map(Object.entries(wanted)),
  request: { method: "PUT", path: "" },
  judge: () => undefined,
});

/**
 * Makes a ledger of one file that was written twice, one that was deleted, and a batch of two that
 * was not acknowledged.
 */
function filledLedger() {
  const ledger = createLedger("main");
  for (const wanted of [{ a: "1" }, { a: "2" }, { gone: "1" }, { gone: undefined }, { x: "1" }])
    ledger.acknowledge(ledger.begin(attemptOf(wanted)));
  const open = ledger.begin(attemptOf({ x: "2", y: "2" }));
  return { ledger, open };
}

describe("what a writer knows of its places", () => {
  const right: [string, Record<string, string>][] = [
    ["the attempt was not carried out", { a: "2", x: "1" }],
    ["the attempt was carried out", { a: "2", x: "2", y: "2" }],
  ];
  test.each(right)("nothing is wrong where %s", (_what, stored) => {
    expect(filledLedger().ledger.compare(new Map(Object.entries(stored)))).toEqual([]);
  });

  const wrong: [string, Record<string, string>, string][] = [
    ["an acknowledged write that is lost", { x: "1" }, "main: a is lost"],
    ["an older acknowledged value", { a: "1", x: "1" }, "main: a has an earlier value"],
    ["another value", { a: "3", x: "1" }, "main: a has another value that was never written"],
    ["what was deleted", { a: "2", x: "1", gone: "1" }, "main: gone was deleted and is there"],
    ["what nobody wrote", { a: "2", x: "1", z: "1" }, "main: z was never written"],
    ["half a batch", { a: "2", x: "1", y: "2" }, "main: 1 of the 2 places of one attempt are written"],
    ["the other half of a batch", { a: "2", x: "2" }, "main: 1 of the 2 places of one attempt are written"],
    ["a third value of an attempt's place", { a: "2", x: "3" }, "main: x has another value that was never written"],
    ["the loss of an attempt's place", { a: "2" }, "main: x is lost"],
  ];
  test.each(wrong)("%s is found", (_what, stored, problem) => {
    expect(filledLedger().ledger.compare(new Map(Object.entries(stored)))).toEqual([problem]);
  });

  test("a place with an open attempt is not written", () => {
    const { ledger } = filledLedger();
    expect(() => ledger.begin(attemptOf({ y: "3" }))).toThrow("main: y waits for an attempt.");
  });

  test("what was read settles the whole attempt, and is held to from then on", () => {
    const done = filledLedger().ledger;
    expect(done.saw("y", "2")).toBeUndefined();
    expect([done.open("x"), done.acknowledged("x")]).toEqual([undefined, "2"]);
    expect(done.compare(new Map(Object.entries({ a: "2", x: "1" })))).toEqual([
      "main: x has an earlier value",
      "main: y is lost",
    ]);
    const undone = filledLedger().ledger;
    expect(undone.saw("x", "1")).toBeUndefined();
    expect(undone.compare(new Map(Object.entries({ a: "2", x: "2", y: "2" })))).toEqual([
      "main: x has the value of an attempt that was read as not done",
      "main: y has the value of an attempt that was read as not done",
    ]);
    expect([done.figures(), undone.figures()]).toEqual([
      { acknowledged: 5, settled: 1, unacknowledged: 0 },
      { acknowledged: 5, settled: 1, unacknowledged: 0 },
    ]);
  });

  test("a read of anything else is a problem at once", () => {
    const { ledger } = filledLedger();
    expect(ledger.saw("a", "1")).toBe("main: a has an earlier value");
    expect(ledger.saw("gone", "1")).toBe("main: gone was deleted and is there");
    expect(ledger.saw("x", undefined)).toBe("main: x is lost");
  });

  test("what a copy was made with is held to like what was acknowledged", () => {
    const ledger = createLedger("copy");
    ledger.found("a", "1");
    expect(ledger.compare(new Map([["a", "1"]]))).toEqual([]);
    expect(ledger.compare(new Map())).toEqual(["copy: a is lost"]);
    expect(ledger.figures()).toEqual({ acknowledged: 0, settled: 0, unacknowledged: 0 });
  });

  test("an attempt that wants what is there stays open and allows nothing else", () => {
    const ledger = createLedger("main");
    const open = ledger.begin(attemptOf({ a: undefined }));
    expect(ledger.saw("a", undefined)).toBeUndefined();
    expect(ledger.open("a")).toBe(open);
    expect(ledger.compare(new Map([["a", "1"]]))).toEqual(["main: a has a value that was never written"]);
    ledger.acknowledge(open);
    expect(ledger.figures()).toEqual({ acknowledged: 1, settled: 0, unacknowledged: 0 });
  });
});
