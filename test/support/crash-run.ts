import type { SqlExecutor } from "../../src/db/database.ts";
import { checkProvider, countLosses, type Fault, type Losses } from "./check-embeddings.ts";
import { checkService, unfinishedJobs } from "./check-service.ts";
import { crashBranches } from "./crash-branches.ts";
import { crashClient, MANY } from "./crash-client.ts";
import { crashFacts } from "./crash-facts.ts";
import { crashFolder, crashVisitor } from "./crash-folder.ts";
import { crashHistory } from "./crash-history.ts";
import type { Figures } from "./crash-ledger.ts";
import { type Access, type ClientLog, newLog, pause, send } from "./crash-request.ts";
import { type CrashService, startCrashService } from "./crash-service.ts";
import { crashSessions } from "./crash-sessions.ts";
import type { CrashClient } from "./crash-writer.ts";
import { type MeteredProvider, meteredEnv, meteredVector, startMeteredProvider } from "./metered-provider.ts";
import { type SeededRandom, seededRandom } from "./seeded-random.ts";

const ADMIN_KEY = `rcl_${"a".repeat(12)}_${"b".repeat(48)}`;
/**
 * A job whose worker was killed is noticed after 10 to 20 s, and may then wait for its next try.
 */
const REST_MS = 240_000;

/** Vectors that a branch or a merge copied were counted for the agent that embedded them. */
const COUNTED_ELSEWHERE = /^hazel\S*: \d+ texts are counted as embedded/;

export interface CrashRun {
  service: CrashService;
  provider: MeteredProvider;
  random: SeededRandom;
  log: ClientLog;
  /** The figures of all clients' writes. */
  writes(): Figures;
  /** Descriptions of the clients' other actions besides writing. */
  done(): string[];
  /** The seconds from the last write until no job was left. */
  secondsToRest: number;
  losses: Losses;
  /** The times at which requests in flight may have been lost. */
  faults: Fault[];
  /**
   * Runs something that loses requests in flight at the provider: kills the worker, or restarts the
   * database.
   */
  strike(what: () => Promise<void>): Promise<void>;
  /** Runs the same, where the database refuses writes until `what` has ended. */
  outage(what: () => Promise<void>): Promise<void>;
  /** Lets the clients finish their requests, and the service its jobs. @returns all problems */
  settle(): Promise<string[]>;
  close(): Promise<void>;
}

/** Returns the seed of a run: the one given to repeat a run, or else a new one. */
export function chooseSeed(): number {
  return Number(process.env.RECOLLECT_CRASH_SEED ?? Math.floor(Math.random() * 2 ** 31));
}

/**
 * Starts the API, the worker, the provider and the clients of two tenants, which write until
 * `settle`.
 */
export async function startCrashRun(
  db: SqlExecutor,
  databaseUrl: string,
  options: { seed: number; aloneOnServer: boolean },
): Promise<CrashRun> {
  const random = seededRandom(options.seed);
  const latency = random.fork("latency");
  const provider = await startMeteredProvider(() => latency.between(10, 150));
  const service = await startCrashService({
    ...meteredEnv(databaseUrl, ADMIN_KEY, provider),
    // Low enough that vector indexes are built and rebuilt all the time.
    RECOLLECT_VECTOR_INDEX_THRESHOLD: "60",
  });
  const log = newLog();
  const own = { url: service.url, key: ADMIN_KEY };
  const guest = await makeTenant(own, log);
  const folder = crashFolder("folder", own, random.fork("folder"));
  const clients: CrashClient[] = [folder, crashVisitor(guest, random.fork("visitor"), log)];
  for (const name of ["amber", "birch", "cedar"]) clients.push(crashClient(name, own, random.fork(name), log));
  clients.push(crashClient("grove", own, random.fork("grove"), log, MANY));
  const sessions = crashSessions("fern", own, random.fork("fern"), log);
  clients.push(sessions, crashFacts("maple", own, random.fork("maple"), log));
  clients.push(crashHistory("willow", own, random.fork("willow"), log));
  clients.push(crashBranches("hazel", own, random.fork("hazel"), log));
  for (const name of ["dune", "ember"]) clients.push(crashClient(name, guest, random.fork(name), log));
  let writing = true;
  const work = Promise.all(
    clients.map(async (client) => {
      while (writing) await client.step();
    }),
  );
  const faults: Fault[] = [];
  const strike = async (what: () => Promise<void>) => {
    const from = Date.now();
    await what();
    faults.push({ from, to: Date.now() });
  };
  const run: CrashRun = {
    service,
    provider,
    random,
    log,
    faults,
    strike,
    secondsToRest: 0,
    losses: { again: 0, unexplained: [], requests: 0, uncounted: 0, unwanted: 0 },
    writes: () => sumFigures(clients),
    done: () => clients.flatMap((client) => client.describe?.() ?? []),
    outage: async (what) => {
      log.outage = true;
      log.outages++;
      await strike(what);
      log.outage = false;
    },
    settle: async () => {
      writing = false;
      const started = performance.now();
      await service.ready();
      await work;
      await sessions.finish();
      const restedAt = await rest(db);
      run.secondsToRest = Math.round((performance.now() - started) / 1000);
      const checked = [];
      for (const client of clients) checked.push(...(await client.check(db)));
      const { aloneOnServer } = options;
      checked.push(...(await checkService(db, { vectorOf: meteredVector, aloneOnServer, restedAt })));
      checked.push(...(await checkProvider(db, provider)));
      run.losses = await countLosses(db, provider, faults);
      return [...log.problems, ...service.deaths, ...checked.filter((one) => !COUNTED_ELSEWHERE.test(one))];
    },
    close: async () => {
      writing = false;
      await service.stop();
      await provider.close();
      folder.remove();
    },
  };
  return run;
}

function sumFigures(clients: readonly CrashClient[]): Figures {
  const all = clients.flatMap(({ ledger }) => (ledger ? [ledger.figures()] : []));
  const sum = (of: keyof Figures) => all.reduce((total, one) => total + one[of], 0);
  return { acknowledged: sum("acknowledged"), settled: sum("settled"), unacknowledged: sum("unacknowledged") };
}

async function makeTenant(access: Access, log: ClientLog): Promise<Access> {
  const tenant = await send(access, log, { method: "POST", path: "/v1/tenants", body: { name: "guest" } });
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

/**
 * Waits until no job is left. If that takes too long, the checker names the jobs.
 *
 * @returns the moment of the last look at the jobs, by the database's clock. The checks take
 * seconds; a sweep or a schedule that falls due meanwhile is no unfinished work
 */
async function rest(db: SqlExecutor): Promise<string> {
  const until = Date.now() + REST_MS;
  for (;;) {
    const { rows } = await db.executeSql<{ now: string }>("SELECT now()::text AS now");
    const lookedAt = rows[0]?.now ?? "";
    if (Date.now() >= until || (await unfinishedJobs(db, lookedAt)).length === 0) return lookedAt;
    await pause(250);
  }
}

/**
 * The number of agents that a worker embeds at the same time, and the number of requests of one
 * agent that are in flight or wait to be stored.
 */
const AGENTS_AT_ONCE = 2;
const REQUESTS_AT_ONCE = 5;

/** Returns the charges that kills and restarts do not explain; empty if there are none. */
export function unexplainedLosses({ losses, faults, provider }: CrashRun): string[] {
  const { unexplained, requests, uncounted, unwanted } = losses;
  const most = faults.length * AGENTS_AT_ONCE * REQUESTS_AT_ONCE;
  const sizes = Map.groupBy([...provider.charged.values()].flat(), (charge) => charge);
  const largest = Math.max(...[...sizes].filter(([{ batch }]) => !batch).map(([, texts]) => texts.length));
  const mostTexts = unwanted + most * largest;
  return [
    ...unexplained.map((text) => `charged again for no reason: ${text}`),
    ...(requests <= most ? [] : [`${requests} requests were lost, ${most} may be`]),
    ...(uncounted <= mostTexts ? [] : [`${uncounted} texts were charged and not counted, ${mostTexts} may be`]),
  ];
}

/** Returns how many faults hit a batch that was under way. */
function metByBatches({ provider, faults }: CrashRun): number {
  const ends = new Map([...provider.charged.values()].flat().map(({ batch, at }) => [batch, at]));
  return faults.filter(({ from, to }) =>
    provider.batches.some((batch) => batch.createdAt <= to && from <= (ends.get(batch) ?? from)),
  ).length;
}

/** Describes a run in one line for its log. @param problems the problems that `settle` returned */
export function describeRun(run: CrashRun, problems: readonly string[]): string {
  const { provider, log, losses, secondsToRest } = run;
  const { acknowledged, settled, unacknowledged } = run.writes();
  const total = [...provider.charged.values()].reduce((sum, charges) => sum + charges.length, 0);
  const ended = provider.batches.filter((batch) => batch.outcome === "completed").length;
  const answers = JSON.stringify(Object.fromEntries(log.answers));
  return [
    `${provider.charged.size} texts, ${total} charged, ${provider.batches.length} batches (${ended} completed)`,
    `${metByBatches(run)} times with a batch under way`,
    ...run.done(),
    `losses ${JSON.stringify(losses)}, answers ${answers}`,
    `${acknowledged} writes acknowledged, ${settled} given up and read later, ${unacknowledged} never known, ${problems.length} violations`,
    `at rest after ${secondsToRest} s`,
  ].join(", ");
}
