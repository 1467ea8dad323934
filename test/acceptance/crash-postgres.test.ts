import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type CrashPostgres, startCrashPostgres } from "../support/crash-postgres.ts";
import { pause } from "../support/crash-request.ts";
import { type CrashRun, chooseSeed, describeRun, startCrashRun, unexplainedLosses } from "../support/crash-run.ts";
import { needsDocker } from "../support/needs.ts";
import { until } from "../support/until.ts";

/** The number of restarts; `npm run test:crash` uses more. */
const RESTARTS = Number(process.env.RECOLLECT_CRASH_RESTARTS ?? 1);
/**
 * How often each kind of outage happens: the disk is full for data, the disk is full for the log,
 * the server refuses writes, and a standby takes over.
 */
const OUTAGES = Number(process.env.RECOLLECT_CRASH_OUTAGES ?? 1);

const OPTIONS = needsDocker("it has a server of its own fail");

describe("Postgres that fails and comes back while API and worker run", OPTIONS, () => {
  let postgres: CrashPostgres;
  let run: CrashRun;
  const seed = chooseSeed();
  beforeEach(async () => {
    postgres = await startCrashPostgres();
    run = await startCrashRun(postgres.db, postgres.url, { seed, aloneOnServer: true });
  });
  afterEach(async () => {
    await run.close();
    await postgres.stop();
  });

  const restart = () =>
    run.strike(async () => {
      await postgres.kill();
      // The server is away long enough for requests to come in meanwhile.
      await pause(run.random.between(200, 2000));
      // Under load the server takes seconds to replay its log. Without some work in between there
      // would be nothing to lose.
      await postgres.start();
    });
  /** Keeps an outage until a request was refused, and for a while longer. */
  const outage = async (begin: () => Promise<void>, end: () => Promise<void>) => {
    const refused = refusals(run);
    await run.outage(async () => {
      await begin();
      await until(() => refusals(run) > refused, "a request that is refused");
      await pause(run.random.between(500, 4000));
      await end();
    });
    const { acknowledged } = run.writes();
    await until(() => run.writes().acknowledged > acknowledged, "a write after the outage");
  };
  const fullDisk = () =>
    outage(postgres.fillDisk, async () => {
      await postgres.freeDisk();
      await postgres.start();
    });
  const fullLog = () =>
    outage(
      async () => {
        await postgres.fillDisk();
        await postgres.fillLog();
      },
      async () => {
        await postgres.freeDisk();
        await postgres.start();
      },
    );
  const readOnly = () =>
    outage(
      () => postgres.setReadOnly(true),
      () => postgres.setReadOnly(false),
    );
  const failover = () => outage(postgres.demote, postgres.promote);

  test(
    "the service lives on without a restart, and what was acknowledged is there, and nothing else",
    async () => {
      const faults = [
        ...Array.from({ length: RESTARTS }, () => restart),
        ...Array.from({ length: OUTAGES }, () => [fullDisk, fullLog, readOnly, failover]).flat(),
      ];
      // The first batch comes after some seconds; before it there is little to lose.
      await until(async () => run.provider.batches.length > 0);
      while (faults.length > 0) {
        await pause(run.random.between(1500, 5000));
        const [fault] = faults.splice(run.random.between(0, faults.length - 1), 1);
        await fault?.();
      }
      await pause(run.random.between(1500, 5000));
      const problems = await run.settle();
      const what = `${RESTARTS} restarts of Postgres, ${OUTAGES} times each a full disk, a full log, a read-only server and a failover`;
      process.stdout.write(`seed ${seed}, ${what}: ${describeRun(run, problems)}\n`);
      expect(problems).toEqual([]);
      if (RESTARTS > 0) expect(run.log.answers.get("503 database_unavailable")).toBeGreaterThan(0);
      // No process was killed, so every request got an answer.
      expect(run.log.answers.get("none")).toBeUndefined();
      expect(run.provider.charged.size).toBeGreaterThan(100);
      expect(unexplainedLosses(run)).toEqual([]);
    },
    (RESTARTS + 4 * OUTAGES) * 30_000 + 400_000,
  );
});

/** Counts the answers that say that the server could not carry out a request. */
function refusals({ log }: CrashRun): number {
  return [...log.answers].reduce((sum, [outcome, count]) => sum + (/^5/.test(outcome) ? count : 0), 0);
}
