import type { SqlExecutor } from "../../src/db/database.ts";
import { checkService, unfinishedJobs } from "./check-service.ts";
import { type Access, attempt, type ClientLog, type CrashClient, crashClient, pause } from "./crash-client.ts";
import { crashFolder, crashVisitor } from "./crash-folder.ts";
import { type CrashService, startCrashService } from "./crash-service.ts";
import { type MeteredProvider, meteredVector, startMeteredProvider } from "./metered-provider.ts";
import { type SeededRandom, seededRandom } from "./seeded-random.ts";

const ADMIN_KEY = `rcl_${"a".repeat(12)}_${"b".repeat(48)}`;
/** A job whose worker was killed is noticed after 10 to 20 s, and perhaps waits for its next try. */
const REST_MS = 120_000;

export interface CrashRun {
  service: CrashService;
  provider: MeteredProvider;
  random: SeededRandom;
  log: ClientLog;
  /** Lets the clients finish what they are at, and the service what is left to do. @returns all that is wrong */
  settle(): Promise<string[]>;
  close(): Promise<void>;
}

/** The seed of a run: given to repeat one, else a new one. */
export function chooseSeed(): number {
  return Number(process.env.RECOLLECT_CRASH_SEED ?? Math.floor(Math.random() * 2 ** 31));
}

/** Starts API, worker, provider and the clients of two tenants, who write until `settle`. */
export async function startCrashRun(
  db: SqlExecutor,
  databaseUrl: string,
  options: { seed: number; aloneOnServer: boolean },
): Promise<CrashRun> {
  const random = seededRandom(options.seed);
  const latency = random.fork("latency");
  const provider = await startMeteredProvider(() => latency.between(10, 150));
  const service = await startCrashService({
    DATABASE_URL: databaseUrl,
    RECOLLECT_ADMIN_KEY: ADMIN_KEY,
    RECOLLECT_PROVIDER: "openai",
    RECOLLECT_BASE_URL: provider.url,
    RECOLLECT_OUTPUT_DIMENSIONALITY: "64",
    // Low enough that vector indexes are built, and built anew, all the time.
    RECOLLECT_VECTOR_INDEX_THRESHOLD: "60",
    RECOLLECT_REQUESTS_PER_MINUTE: "1000000",
    OPENAI_API_KEY: "test-key",
  });
  const log: ClientLog = { problems: [], answers: new Map(), writesInDoubt: 0, secondsToRest: 0 };
  const own = { url: service.url, key: ADMIN_KEY };
  const guest = await makeTenant(own, log);
  const folder = crashFolder("folder", own, random.fork("folder"));
  const clients: CrashClient[] = [folder, crashVisitor(guest, random.fork("visitor"), log)];
  for (const name of ["amber", "birch", "cedar"]) clients.push(crashClient(name, own, random.fork(name), log));
  for (const name of ["dune", "ember"]) clients.push(crashClient(name, guest, random.fork(name), log));
  let writing = true;
  const work = Promise.all(
    clients.map(async (client) => {
      while (writing) await client.step();
    }),
  );
  return {
    service,
    provider,
    random,
    log,
    settle: async () => {
      writing = false;
      const started = performance.now();
      await service.ready();
      await work;
      await folder.finish();
      await rest(db);
      log.secondsToRest = Math.round((performance.now() - started) / 1000);
      const checked = [];
      for (const client of clients) checked.push(...(await client.check(db)));
      const { aloneOnServer } = options;
      checked.push(...(await checkService(db, { vectorOf: meteredVector, aloneOnServer })));
      return [...log.problems, ...service.deaths, ...checked];
    },
    close: async () => {
      writing = false;
      await service.stop();
      await provider.close();
      folder.remove();
    },
  };
}

async function makeTenant(access: Access, log: ClientLog): Promise<Access> {
  const tenant = await attempt(access, log, { method: "POST", path: "/v1/tenants", body: { name: "guest" } });
  const response = await fetch(new URL("/v1/keys", access.url), {
    method: "POST",
    headers: {
      authorization: `Bearer ${access.key}`,
      "content-type": "application/json",
      "recollect-tenant": (tenant as { body: { id: string } }).body.id,
    },
    body: JSON.stringify({ name: "guest", scopes: ["tenant"] }),
  });
  const { key } = (await response.json()) as { key: string };
  return { url: access.url, key };
}

/** Waits until no job is left, and leaves it to the checker to say which ones are when that takes too long. */
async function rest(db: SqlExecutor): Promise<void> {
  const until = Date.now() + REST_MS;
  while (Date.now() < until && (await unfinishedJobs(db)).length > 0) await pause(250);
}

/** How often texts were charged beyond once each: what was in flight when something was killed. */
export function chargedAgain(provider: MeteredProvider): number {
  return [...provider.charged.values()].reduce((sum, times) => sum + times - 1, 0);
}

/** One line for the log of the run. */
export function describeRun(run: CrashRun): string {
  const total = [...run.provider.charged.values()].reduce((sum, times) => sum + times, 0);
  const answers = JSON.stringify(Object.fromEntries(run.log.answers));
  return `${run.provider.charged.size} texts, ${total} charged, answers ${answers}, ${run.log.writesInDoubt} writes in doubt, at rest after ${run.log.secondsToRest} s`;
}
