import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkAgents } from "../support/check-agent.ts";
import { anyCommand, type Command, createMemoryModel } from "../support/memory-model.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";
import { wordVector } from "../support/word-embedder.ts";

const RUNS = Number(process.env.RECOLLECT_MODEL_RUNS ?? 8);

describe("whatever is done to a memory, what it says is what the model says", () => {
  let app: TestApp;
  let agents = 0;
  beforeAll(async () => {
    app = await startTestApp();
  });
  afterAll(() => app.drop());

  async function live(commands: readonly Command[]): Promise<void> {
    const agent = `model${++agents}`;
    for (const id of [agent, `${agent}-reader`]) await app.call("POST", "/v1/agents", { id });
    const model = createMemoryModel(app, agent, `${agent}-reader`);
    for (const one of commands) await model.act(one);
    await model.check();
  }

  test("files, facts, snapshots, rollbacks, archives and shares", { timeout: 240_000 }, async () => {
    const commands = fc.array(anyCommand, { minLength: 8, maxLength: 25 });
    await fc.assert(fc.asyncProperty(commands, live), { numRuns: RUNS, endOnFailure: process.env.CI !== undefined });
    await app.rested();
    const problems = await checkAgents(app.db, (_model, text, dimensions) => wordVector(text, dimensions));
    // The agents share their cache, so each embeds only what no other has.
    expect(problems.filter((problem) => !problem.includes("counted as embedded"))).toEqual([]);
  });
});
