import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createLogger } from "../../src/base/logger.ts";
import { CORE_JOBS } from "../../src/jobs/core-jobs.ts";
import { createMetrics } from "../../src/observe/metrics.ts";
import { type AgentPayload, agentKey, type JobContract } from "../../src/queue/job-contracts.ts";
import { type JobQueue, startQueue } from "../../src/queue/queue.ts";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";
import { until } from "../support/until.ts";

const HANDS = 2;
const OF_TENANTS = CORE_JOBS.map(({ settings }) => settings).filter(
  (kind) => kind.ofTenants,
) as unknown as JobContract<AgentPayload>[];

describe("a tenant whose jobs take long beside others", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
  });
  afterAll(() => database.drop());

  /**
   * Starts a worker whose jobs of the tenant `busy` wait for `release`. Jobs of other tenants wait
   * for their own promise, if it is given.
   */
  async function startWorker(contract: JobContract<AgentPayload>) {
    const queue: JobQueue = await startQueue(database.db, {
      logger: createLogger("silent"),
      metrics: createMetrics(),
      kinds: OF_TENANTS,
      supervise: false,
    });
    const gates = new Map<string, PromiseWithResolvers<void>>();
    const begun: string[] = [];
    const ended: string[] = [];
    const gateOf = (key: string) => {
      const gate = gates.get(key) ?? Promise.withResolvers<void>();
      gates.set(key, gate);
      return gate;
    };
    const isHeld = (key: string) => key.startsWith("busy:") || gates.has(key);
    const work = async (payload: AgentPayload) => {
      const key = agentKey(payload);
      begun.push(key);
      if (isHeld(key)) await gateOf(key).promise;
      ended.push(key);
    };
    const send = async (...keys: string[]) => {
      for (const key of keys) {
        const [tenantId = "", agentId = ""] = key.split(":");
        await queue.send(database.db, contract, { tenantId, agentId });
      }
    };
    const release = (...keys: string[]) => {
      for (const key of keys) gateOf(key).resolve();
    };
    return { queue, begun, ended, send, hold: gateOf, release, start: () => queue.work(contract, work, HANDS) };
  }
  const busy = ["busy:a", "busy:b", "busy:c", "busy:d", "busy:e"];

  test.each(OF_TENANTS.map((contract) => [contract.name, contract] as const))(
    "leaves a worker to them: %s",
    async (_name, contract) => {
      const worker = await startWorker(contract);
      await worker.send(...busy);
      await worker.start();
      await until(() => worker.begun.length === HANDS);
      await worker.send("quiet:a");
      await until(() => worker.ended.includes("quiet:a"));
      expect(worker.begun.filter((key) => key.startsWith("busy:"))).toHaveLength(HANDS);
      worker.release(...busy);
      await until(() => worker.ended.length === busy.length + 1);
      await worker.queue.stop();
    },
  );

  test("who take turns at it, however many jobs each of them has", async () => {
    const [contract] = OF_TENANTS;
    if (!contract) throw new Error("no kind of job is of tenants");
    const worker = await startWorker(contract);
    await worker.send(...busy);
    await worker.start();
    await until(() => worker.begun.length === HANDS);
    const many = ["many:a", "many:b", "many:c", "many:d"];
    worker.hold("many:a");
    await worker.send("many:a");
    await until(() => worker.begun.includes("many:a"));
    await worker.send(...many.slice(1), "late:a");
    worker.release("many:a");
    await until(() => worker.ended.includes("late:a") && many.every((key) => worker.ended.includes(key)));
    const others = worker.begun.filter((key) => !key.startsWith("busy:"));
    expect(others.slice(0, 2)).toEqual(["many:a", "late:a"]);
    expect(worker.begun.filter((key) => key.startsWith("busy:"))).toHaveLength(HANDS);
    worker.release(...busy);
    await until(() => busy.every((key) => worker.ended.includes(key)));
    await worker.queue.stop();
  });
});
