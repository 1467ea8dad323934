import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BuiltinEmbedder } from "../../src/embeddings/builtin-embedder.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";
import { type Asked, askWeek } from "./ask-week.ts";
import { BOUNDS, figuresOf, ratio } from "./figures.ts";
import { type Call, liveWeek } from "./live-week.ts";
import { failureList, figureTable } from "./print-figures.ts";
import { readWeeks } from "./read-weeks.ts";

/**
 * Weeks written like life, with the built-in model and without configuration, as new users have it.
 */
describe("weeks", () => {
  const asked: Asked[] = [];
  const cacheDir = mkdtempSync(join(tmpdir(), "recollect-models-"));
  const embedder = new BuiltinEmbedder({ cacheDir, onWarning: () => undefined });
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp({ embedder });
    for (const week of readWeeks()) {
      await liveWeek(callOf(app), week);
      asked.push(...(await askWeek(callOf(app), week)));
    }
    console.log(figureTable(asked));
    if (process.env.SCENARIOS_VERBOSE === "1") console.log(failureList(asked));
  }, 600_000);
  afterAll(async () => {
    await app.drop();
    await embedder.close();
    rmSync(cacheDir, { recursive: true, force: true });
  });

  test.each(BOUNDS)("$figure over all weeks", ({ figure, ...bound }) => {
    const share = ratio(figuresOf(asked)[figure]);
    if ("least" in bound) expect(share).toBeGreaterThanOrEqual(bound.least);
    else expect(share).toBeLessThanOrEqual(bound.most);
  });
});

function callOf(app: TestApp): Call {
  return async <T>(method: string, path: string, body?: unknown) => {
    const answer = await app.call<T>(method, path, body);
    if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
}
