import { createServer } from "node:net";
import { PostgreSqlContainer, type StartedPostgreSqlContainer } from "@testcontainers/postgresql";
import { getContainerRuntimeClient } from "testcontainers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Database } from "../../src/db/database.ts";
import { openPostgres } from "../../src/db/pg.ts";
import { pause } from "../support/crash-client.ts";
import { type CrashRun, chooseSeed, describeRun, startCrashRun, unexplainedLosses } from "../support/crash-run.ts";
import { createExtension } from "../support/create-extension.ts";
import { needsDocker } from "../support/needs.ts";
import { until } from "../support/until.ts";

/** `npm run test:crash` has five. */
const RESTARTS = Number(process.env.RECOLLECT_CRASH_RESTARTS ?? 1);
const IMAGE = "pgvector/pgvector:pg17";

const OPTIONS = needsDocker("it kills a server of its own");

describe("Postgres that dies and comes back while API and worker run", OPTIONS, () => {
  let container: StartedPostgreSqlContainer;
  let db: Database;
  let run: CrashRun;
  const seed = chooseSeed();
  beforeEach(async () => {
    // The port that Docker chooses by itself is another one after a restart.
    container = await new PostgreSqlContainer(IMAGE)
      .withExposedPorts({ container: 5432, host: await freePort() })
      .withCommand(["postgres", "-c", "max_connections=200"])
      .start();
    const url = container.getConnectionUri();
    await createExtension(url, container.getDatabase());
    db = openPostgres({ connectionString: url, maxConnections: 4, onIdleError: () => undefined });
    run = await startCrashRun(db, url, { seed, aloneOnServer: true });
  });
  afterEach(async () => {
    await run.close();
    await db.close();
    await container.stop();
  });

  /** Every process of the server ends at once, as in a power failure; what it had not written is made good from its log. */
  async function restart(): Promise<void> {
    const client = await getContainerRuntimeClient();
    const server = client.container.getById(container.getId());
    await server.kill({ signal: "SIGKILL" });
    // Away for long enough that requests come in meanwhile.
    await pause(run.random.between(200, 2000));
    await server.start();
    // Under load it takes seconds to replay its log; without a while of work in between there would be nothing to lose.
    await until(async () => answers(db));
  }

  test(
    "both live on, answers meanwhile are 503, and nothing that was acknowledged is lost",
    async () => {
      // The first batch comes after some seconds, and with it what there is to lose.
      await until(async () => run.provider.batches.length > 0);
      for (let i = 0; i < RESTARTS; i++) {
        await pause(run.random.between(1500, 5000));
        await run.strike(restart);
      }
      await pause(run.random.between(1500, 5000));
      const problems = await run.settle();
      process.stdout.write(`seed ${seed}, ${RESTARTS} restarts of Postgres: ${describeRun(run)}\n`);
      expect(problems).toEqual([]);
      expect(run.log.answers.get("503 database_unavailable")).toBeGreaterThan(0);
      // Nobody was killed, so nobody was without an answer.
      expect(run.log.answers.get("none")).toBeUndefined();
      expect(run.provider.charged.size).toBeGreaterThan(100);
      expect(unexplainedLosses(run)).toEqual([]);
    },
    RESTARTS * 30_000 + 400_000,
  );
});

const answers = (db: Database) =>
  db.executeSql("SELECT 1").then(
    () => true,
    () => false,
  );

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
