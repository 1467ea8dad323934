import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkAgents } from "../support/check-agent.ts";
import { anyCommand, type Command, createMemoryModel } from "../support/memory-model.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";
import { wordVector } from "../support/word-embedder.ts";

const { RECOLLECT_MODEL_RUNS, RECOLLECT_MODEL_SEED, CI } = process.env;
const RUNS = Number(RECOLLECT_MODEL_RUNS ?? 8);
const SEED = Number(RECOLLECT_MODEL_SEED ?? Math.floor(Math.random() * 2 ** 31));

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

  test("files, facts, snapshots, rollbacks, archives, shares, branches and merges", {
    timeout: Math.max(240_000, RUNS * 20_000),
  }, async () => {
    const commands = fc.array(anyCommand, { minLength: 8, maxLength: 30 });
    await fc.assert(fc.asyncProperty(commands, live), { numRuns: RUNS, seed: SEED, endOnFailure: CI !== undefined });
    process.stdout.write(`seed ${SEED}, ${RUNS} lives\n`);
    await app.rested();
    const problems = await checkAgents(app.db, (_model, text, dimensions) => wordVector(text, dimensions));
    // The agents share their cache, so each embeds only texts that no other agent has embedded.
    expect(problems.filter((problem) => !problem.includes("counted as embedded"))).toEqual([]);
  });
});
