// Runs mixed load for a while and checks three things: whether memory stays flat, whether a table
// or queue grows that should not, and whether an event loop stalls.
//
//   DATABASE_URL=postgres://recollect:…@localhost/bench
//     node bench/soak.ts [seconds, default 300] [--rate 20] [--json]
//
// Runs as deployed, at `--rate` requests a second (one a second makes 3,600 an hour). Of 20
// requests, ten are searches, two recalls, five puts of new contents to a fixed set of paths (one
// of them with an Idempotency-Key), one a delete, one a capture about a fixed set of subjects, and
// one a message to a session of a fixed set. Memory and event-loop delay come from each process's
// own metrics, every second. The first fifth of the time warms up. Slopes are least squares in MB
// an hour ± twice their standard error, through the least value of each ten seconds, which is the
// memory after garbage collection. Rows are counted after the warm-up and at the end, each time
// when all jobs are done. The numbers of files, chunks and vectors have a bound. Facts keep their
// history, and messages and the audit log grow with every request.
import { randomUUID } from "node:crypto";
import { createServer } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { openPostgres } from "../src/db/pg.ts";
import { deploy } from "./support/deployment.ts";
import { noteOf } from "./support/fake-vectors.ts";
import { percentile, printRows } from "./support/figures.ts";

const { positionals, values: flags } = parseArgs({
  allowPositionals: true,
  options: { rate: { type: "string", default: "20" }, json: { type: "boolean" } },
});
const SECONDS = Number(positionals[0] ?? 300);
const RATE = Number(flags.rate);
const AGENTS = 4;
const PATHS = 100;
const SUBJECTS = ["editor", "database", "framework", "browser", "shell"];
const WINDOW = 10;
const DIMENSIONS = 384;
const MOST_UNDER_WAY = 64;
/** Small enough to fill up, so that the benchmark shows that the cache keeps its bound. */
const CACHE_ENTRIES = 1000;

async function freePort(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((done) => server.once("listening", done));
  const address = server.address();
  await new Promise((done) => server.close(done));
  return String(typeof address === "object" ? address?.port : "");
}

const ports = { api: await freePort(), worker: await freePort() };
const service = await deploy(DIMENSIONS, {
  env: { RECOLLECT_METRICS_PORT: ports.api },
  workerEnv: { RECOLLECT_METRICS_PORT: ports.worker },
});
const db = openPostgres({
  connectionString: process.env.DATABASE_URL ?? "",
  maxConnections: 1,
  onIdleError: () => undefined,
});
const run = Date.now().toString(36);
const agentOf = (i: number) => `soak-${run}-${i % AGENTS}`;

interface Sample {
  seconds: number;
  rss: number;
  heap: number;
  delay: number;
}
const samples: Record<keyof typeof ports, Sample[]> = { api: [], worker: [] };

async function sample(process: keyof typeof ports, seconds: number): Promise<void> {
  const text = await (await fetch(`http://127.0.0.1:${ports[process]}/metrics`)).text();
  const value = (name: string) => Number(new RegExp(`^${name} (.+)$`, "m").exec(text)?.[1]);
  samples[process].push({
    seconds,
    rss: value("process_resident_memory_bytes") / 1e6,
    heap: value("nodejs_heap_size_used_bytes") / 1e6,
    delay: value("nodejs_eventloop_lag_p99_seconds") * 1000,
  });
}

const times: Record<string, number[]> = {};
const failures: Record<string, number> = {};
let underWay = 0;

/** Sends the request of one turn of the load. */
async function request(i: number): Promise<void> {
  const agent = `/v1/agents/${agentOf(Math.floor(i / 20))}`;
  const path = `files/n${(i * 7919) % PATHS}.md`;
  const { content, topic } = noteOf(`${run} ${i}`, 3);
  const kind = i % 20;
  const subject = SUBJECTS[Math.floor(i / 20) % SUBJECTS.length];
  if (kind < 10)
    return void (await timed("search", "POST", `${agent}/tools/memory_search`, { query: `What of ${topic}, w${i}?` }));
  if (kind < 12)
    return void (await timed("recall", "POST", `${agent}/recall`, { message: `Which ${subject} should I use, ${i}?` }));
  if (kind < 16) return void (await timed("put", "PUT", `${agent}/${path}`, { content }));
  if (kind === 16) return void (await timed("put once", "PUT", `${agent}/${path}`, { content }, randomUUID()));
  if (kind === 17) return void (await timed("delete", "DELETE", `${agent}/${path}`));
  if (kind === 18) {
    const messages = [{ role: "user", text: `I prefer the ${subject} named ${topic}${i % 97}.` }];
    return void (await timed("capture", "POST", `${agent}/capture`, { messages }));
  }
  const messages = [{ role: "user", text: content.slice(0, 500) }];
  await timed("message", "POST", `${agent}/sessions/agent:${agentOf(Math.floor(i / 20))}:chat:${i % 3}/messages`, {
    messages,
  });
}

async function timed(what: string, method: string, path: string, body?: unknown, once?: string): Promise<void> {
  const began = performance.now();
  const headers = {
    authorization: `Bearer ${service.key}`,
    ...(body ? { "content-type": "application/json" } : {}),
    ...(once ? { "idempotency-key": once } : {}),
  };
  const response = await fetch(service.url + path, {
    method,
    headers,
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await response.text();
  times[what] ??= [];
  times[what].push(performance.now() - began);
  // An earlier turn may have deleted the path.
  if (response.ok || (what === "delete" && response.status === 404)) return;
  const reason = `${what} ${response.status} ${text.slice(0, 100)}`;
  failures[reason] = (failures[reason] ?? 0) + 1;
}

let sent = 0;
let leftOut = 0;
async function load(seconds: number, from: number): Promise<void> {
  const began = performance.now();
  let nextSample = 0;
  for (let tick = 0; performance.now() - began < seconds * 1000; tick++) {
    const elapsed = (performance.now() - began) / 1000;
    if (elapsed >= nextSample) {
      nextSample = Math.floor(elapsed) + 1;
      await Promise.all([sample("api", from + elapsed), sample("worker", from + elapsed)]);
    }
    const due = (tick + 1) * (1000 / RATE) - (performance.now() - began);
    if (due > 0) await wait(due);
    // Skips the turn if the machine is too slow, so that requests do not pile up.
    if (underWay >= MOST_UNDER_WAY) {
      leftOut++;
      continue;
    }
    underWay++;
    void request(sent++)
      .catch((error: unknown) => {
        failures[String(error)] = (failures[String(error)] ?? 0) + 1;
      })
      .finally(() => underWay--);
  }
  while (underWay > 0) await wait(20);
}

/**
 * Counts the rows of every table of the service, with an agent's tables summed over the agents.
 * Waits first until no job is left.
 */
async function countRows(): Promise<Map<string, number>> {
  for (let i = 0; i < AGENTS; i++) await service.settled(agentOf(i));
  const { rows } = await db.executeSql<{ schema: string; name: string }>(
    `SELECT schemaname AS schema, tablename AS name FROM pg_tables
      WHERE schemaname IN ('recollect', 'recollect_jobs') OR schemaname LIKE 'agent\\_%' ORDER BY 1, 2`,
  );
  const counts = new Map<string, number>();
  for (const { schema, name } of rows) {
    const counted = await db.executeSql<{ n: number }>(`SELECT count(*)::int AS n FROM "${schema}"."${name}"`);
    const table = `${schema.startsWith("agent_") ? "agents" : schema}.${name}`;
    counts.set(table, (counts.get(table) ?? 0) + (counted.rows[0]?.n ?? 0));
  }
  return counts;
}

/** Fits a line by least squares. `noise` is twice the standard error of the slope. */
function slope(points: readonly { x: number; y: number }[]): { slope: number; noise: number } {
  const mean = (of: (point: { x: number; y: number }) => number) =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const [x0, y0] = [mean(({ x }) => x), mean(({ y }) => y)];
  const spread = points.reduce((sum, { x }) => sum + (x - x0) ** 2, 0);
  const rise = points.reduce((sum, { x, y }) => sum + (x - x0) * (y - y0), 0) / spread;
  const rest = points.reduce((sum, { x, y }) => sum + (y - y0 - rise * (x - x0)) ** 2, 0);
  return { slope: rise, noise: 2 * Math.sqrt(rest / Math.max(1, points.length - 2) / spread) };
}

function memoryRow(name: keyof typeof ports, of: "rss" | "heap", after: number) {
  const kept = samples[name].filter(({ seconds }) => seconds >= after);
  const windows = Map.groupBy(kept, ({ seconds }) => Math.floor(seconds / WINDOW));
  const points = [...windows].map(([x, all]) => ({
    x: (x * WINDOW) / 3600,
    y: Math.min(...all.map((one) => one[of])),
  }));
  const line = slope(points);
  const verdict = Math.abs(line.slope) <= line.noise ? "flat" : line.slope < 0 ? "falls" : "grows";
  const ends = { "MB first": points[0]?.y, last: points.at(-1)?.y };
  return {
    process: name,
    memory: of,
    ...ends,
    "MB an hour": `${line.slope.toFixed(0)} ± ${line.noise.toFixed(0)}`,
    verdict,
  };
}

const cache = { settings: { cache: { maxEntries: CACHE_ENTRIES } } };
for (let i = 0; i < AGENTS; i++) await service.call("POST", "/v1/agents", { id: agentOf(i), ...cache });
const warmUp = SECONDS / 5;
await load(warmUp, 0);
const before = await countRows();
await load(SECONDS - warmUp, warmUp);
const after = await countRows();
const processes = ["api", "worker"] as const;
printRows(
  `memory over ${SECONDS} s, ${sent} requests, after ${warmUp.toFixed(0)} s of warm-up`,
  processes.flatMap((name) => [memoryRow(name, "rss", warmUp), memoryRow(name, "heap", warmUp)]),
);
printRows(
  "p99 of the event loop's delay in each second, ms",
  processes.map((name) => {
    const delays = samples[name].filter(({ seconds }) => seconds >= warmUp).map(({ delay }) => delay);
    return {
      process: name,
      median: percentile(delays, 0.5),
      p95: percentile(delays, 0.95),
      worst: Math.max(...delays),
    };
  }),
);
printRows(
  "requests, ms",
  Object.entries(times).map(([what, ms]) => ({
    what,
    count: ms.length,
    p50: percentile(ms, 0.5),
    p95: percentile(ms, 0.95),
    p99: percentile(ms, 0.99),
  })),
);
printRows(
  "rows",
  [...after].map(([table, count]) => ({ table, before: before.get(table) ?? 0, after: count })),
);
const failed = Object.values(failures).reduce((sum, count) => sum + count, 0);
printRows("of all turns", [{ sent, failed, "left out": leftOut, ...failures }]);
await db.close();
process.exit();
