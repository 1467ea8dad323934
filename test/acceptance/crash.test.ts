import { afterEach, beforeEach, describe, expect, inject, test } from "vitest";
import { MAX_BATCH_TEXTS } from "../../src/embeddings/providers.ts";
import { pause } from "../support/crash-client.ts";
import { type CrashRun, chargedAgain, chooseSeed, describeRun, startCrashRun } from "../support/crash-run.ts";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";

const KILLS = Number(process.env.RECOLLECT_CRASH_KILLS ?? 6);
/** Batches one worker has under way at most: agents it embeds at the same time. */
const BATCHES_IN_FLIGHT = 2;

// One process has the embedded database: test/acceptance/processes.test.ts kills that one.
const describeOnPostgres = inject("serverUrl") === undefined ? () => undefined : describe;

describeOnPostgres("kill -9 of API and worker while clients write", () => {
  let database: TestDatabase;
  let run: CrashRun;
  const seed = chooseSeed();
  beforeEach(async () => {
    database = await openTestDatabase();
    run = await startCrashRun(database.db, database.url ?? "", { seed, aloneOnServer: false });
  });
  afterEach(async () => {
    await run.close();
    await database.drop();
  });

  test(
    "what was acknowledged is there, complete, embedded, and paid for once",
    async () => {
      const { service, provider, random } = run;
      let workerKills = 0;
      for (let kill = 0; kill < KILLS; kill++) {
        await pause(random.between(50, 2000));
        const part = random.pick(["api", "worker"] as const);
        if (part === "worker") workerKills++;
        await service.kill(part);
        // Otherwise the next kill may meet it while it starts.
        if (random.chance(0.7)) await service.ready();
      }
      const problems = await run.settle();
      process.stdout.write(`seed ${seed}, ${KILLS} kills (${workerKills} of the worker): ${describeRun(run)}\n`);
      expect(problems).toEqual([]);
      expect(service.errors()).toEqual([]);
      expect(provider.charged.size).toBeGreaterThan(100);
      expect(chargedAgain(provider)).toBeLessThanOrEqual(workerKills * BATCHES_IN_FLIGHT * MAX_BATCH_TEXTS);
    },
    KILLS * 10_000 + 200_000,
  );
});
