import { describe, expect, test } from "vitest";
import { isOneOfSeveral } from "../../src/ingest/coordinated.ts";

describe("a value is one of several", () => {
  test.each([
    ["I take metformin and lisinopril, both in the morning", "metformin"],
    ["I take 20 mg lisinopril and 500 mg metformin", "lisinopril"],
    ["I have a dog and a cat that is twelve", "dog"],
    ["I study law and IT", "law"],
    ["I have two cats, Tom (5) and Kit (7)", "Kit"],
    ["My appointment with Dr. Kim is on March 3 and with Dr. Lee on March 9", "kim"],
  ])("%s: %s", (text, value) => {
    expect(isOneOfSeveral(text, value)).toBe(true);
  });

  test.each([
    ["I work at Acme and love it", "Acme"],
    ["I work at Marks and Spencer", "Marks and Spencer"],
    ["I live in Oslo and Anna lives in Bergen", "Oslo"],
    ["My flight to Rome is on 5 December and takes two hours", "flight"],
    ["I go to the gym every Tuesday and Thursday", "gym"],
    ["My manager is Petra and she is nice", "Petra"],
    ["I live at Storgata 5, Oslo", "Oslo"],
  ])("%s: %s is not", (text, value) => {
    expect(isOneOfSeveral(text, value)).toBe(false);
  });
});
