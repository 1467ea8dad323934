import { describe, expect, test } from "vitest";
import { startProgress, timeLeft } from "../../src/cli/shell/progress.ts";
import { sizeText } from "../../src/cli/shell/size.ts";
import { captureOutput } from "../support/cli-harness.ts";
import { until } from "../support/until.ts";

const lines = (text: string) => text.split("\n").slice(0, -1);

describe("progress without a terminal", () => {
  test("is a line for each interval, and none before the first", async () => {
    const output = captureOutput();
    const progress = await startProgress(output, "sending", 400, { everyMs: 20 });
    progress.update(120);
    expect(output.text).toBe("");
    await until(async () => lines(output.text).length >= 2);
    progress.stop();
    expect(lines(output.text)[0]).toMatch(/^sending 120\/400 · \d s$/);
    const said = output.text;
    await new Promise((resolve) => setImmediate(resolve));
    expect(output.text).toBe(said);
  });

  test("names the things that are counted, and says what came of them", async () => {
    const output = captureOutput();
    const progress = await startProgress(output, "sending", 2739, { unit: "files", everyMs: 10 });
    progress.update(1024, "6,112 chunks");
    await until(async () => output.text !== "");
    progress.stop();
    expect(lines(output.text)[0]).toMatch(/^sending 1,024\/2,739 files · 6,112 chunks · \d s$/);
  });

  test("nobody knows how much it is: as far as it is; nothing to do: nothing", async () => {
    const output = captureOutput();
    const progress = await startProgress(output, "exporting", undefined, { show: sizeText, everyMs: 10 });
    progress.update(1_234_567);
    await until(async () => output.text !== "");
    progress.stop();
    expect(lines(output.text)[0]).toMatch(/^exporting 1\.2 MB · \d s$/);
    const none = captureOutput();
    (await startProgress(none, "sending", 0, { everyMs: 1 })).stop();
    expect(none.text).toBe("");
  });
});

describe("the time that is left", () => {
  test.each([
    [10, 5, 10_000, "5 s"],
    [1, 80, 3000, "4 min"],
    [100, 40_000, 60_000, "7 h"],
    [1000, 1, 60_000, "1 s"],
  ])("after %i of the work, with %i to do, in %i ms: %s", (done, left, elapsedMs, said) => {
    expect(timeLeft(done, left, elapsedMs)).toBe(said);
  });

  test("nothing is said while too little is done, or when everything is", () => {
    expect([timeLeft(0, 100, 60_000), timeLeft(5, 100, 500), timeLeft(5, 0, 60_000)]).toEqual([
      ...[undefined, undefined, undefined],
    ]);
  });
});

test("bytes as people read them", () => {
  expect([0, 999, 1000, 1_234_567, 5e12, 5e15].map(sizeText)).toEqual([
    ...["0 B", "999 B", "1.0 kB", "1.2 MB", "5.0 TB", "5000.0 TB"],
  ]);
});
