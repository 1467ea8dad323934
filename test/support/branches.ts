import { expect } from "vitest";
import { checkAgents } from "./check-agent.ts";
import type { TestApp } from "./test-app.ts";
import { until } from "./until.ts";
import { wordVector } from "./word-embedder.ts";

interface Branch {
  agentId: string;
  origin: string | null;
  state: string;
  branchedAt: string | null;
  copied: number;
  total: number;
}

/** Makes a branch and resolves when it is ready. */
export async function branchOf(app: TestApp, origin: string, as: string, moment: object = {}): Promise<Branch> {
  const begun = await app.call("POST", `/v1/agents/${origin}/branches`, { as, ...moment });
  expect([begun.status, begun.body]).toEqual([202, expect.objectContaining({ agentId: as, origin, state: "copying" })]);
  let branch: Branch | undefined;
  const isReady = async () => {
    branch = (await app.call<Branch>("GET", `/v1/agents/${as}/branch`)).body;
    return branch.state === "ready";
  };
  await until(isReady, () => `the branch ${as}: ${JSON.stringify(branch)}`);
  return branch as Branch;
}

/**
 * Resolves when no job is left and all agents are consistent. A branch's copied vectors are not
 * counted as embedded again.
 */
export async function consistent(app: TestApp): Promise<void> {
  await app.rested();
  const problems = await checkAgents(app.db, (_model, text, dimensions) => wordVector(text, dimensions));
  expect(problems.filter((problem) => !/ \d+ texts are counted as embedded/.test(problem))).toEqual([]);
}
