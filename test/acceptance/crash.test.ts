import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { pause } from "../support/crash-request.ts";
import { type CrashRun, chooseSeed, describeRun, startCrashRun, unexplainedLosses } from "../support/crash-run.ts";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";
import { needsPostgres } from "../support/needs.ts";
import { until } from "../support/until.ts";

/** Enough kills to hit each kind of moment once; `npm run test:crash` uses thirty. */
const KILLS = Number(process.env.RECOLLECT_CRASH_KILLS ?? 3);
/**
 * One kill in so many is timed for a batch: it waits until a batch runs, and kills the worker that
 * polls the batch.
 */
const KILLS_A_BATCH = 3;

const OPTIONS = needsPostgres("the embedded database has one process, which test/acceptance/processes.test.ts kills");

describe("kill -9 of API and worker while clients write", OPTIONS, () => {
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
      for (let kill = 0; kill < KILLS; kill++) {
        // Without this wait hardly any kill would hit a batch: kills follow so closely that the
        // service spends most of the time noticing them.
        const atBatch = kill % KILLS_A_BATCH === 0;
        if (atBatch) await until(async () => provider.batches.some((batch) => batch.outcome === "running"));
        await pause(random.between(0, atBatch ? 800 : 2000));
        const part = atBatch ? "worker" : random.pick(["api", "worker"] as const);
        // Only the worker asks the provider for texts to be stored.
        if (part === "worker") await run.strike(() => service.kill(part));
        else await service.kill(part);
        // Without this wait the next kill may hit the process while it starts.
        if (random.chance(0.7)) await service.ready();
      }
      const problems = await run.settle();
      process.stdout.write(
        `seed ${seed}, ${KILLS} kills (${run.faults.length} of the worker): ${describeRun(run, problems)}\n`,
      );
      expect({ problems, errors: service.errors() }).toEqual({ problems: [], errors: [] });
      // Postgres keeps running, so it confirms every commit.
      expect(run.log.answers.get("504 outcome_unknown")).toBeUndefined();
      expect(provider.charged.size).toBeGreaterThan(100);
      expect(unexplainedLosses(run)).toEqual([]);
    },
    KILLS * 20_000 + 400_000,
  );
});
