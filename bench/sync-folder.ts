// Measures syncing a folder through the CLI and the HTTP API: files and chunks a second, memory,
// event-loop delay, and the time of each statement.
//
//   [DATABASE_URL=postgres://…] [RECOLLECT_PROVIDER=none|builtin]
//     node bench/sync-folder.ts <folder>
//
// The API, the worker and the CLI share this process, so the figure for memory includes all three.
// With a provider the benchmark also waits for the embeddings.
import { monitorEventLoopDelay, performance } from "node:perf_hooks";
import { createLogger } from "../src/base/logger.ts";
import { runCli } from "../src/cli/run-cli.ts";
import { readConfig } from "../src/config/config.ts";
import type { Database, SqlExecutor } from "../src/db/database.ts";
import { openPostgres } from "../src/db/pg.ts";
import { openPglite } from "../src/db/pglite.ts";
import { listen } from "../src/http/listen.ts";
import { compose } from "../src/start/compose.ts";
import { processContext } from "../src/start/process-context.ts";

const [folder] = process.argv.slice(2);
if (!folder) throw new Error("Name a folder: node bench/sync-folder.ts <folder>");

const seconds: Record<string, number> = {};
const calls: Record<string, number> = {};
async function timed<T>(what: string, work: Promise<T>): Promise<T> {
  const started = performance.now();
  try {
    return await work;
  } finally {
    seconds[what] = (seconds[what] ?? 0) + (performance.now() - started) / 1000;
    calls[what] = (calls[what] ?? 0) + 1;
  }
}

/**
 * Returns a short label of a statement, such as `INSERT chunks_1`: enough to tell the statements
 * apart.
 */
function label(text: string): string {
  const verb = /^\s*(?:WITH[\s\S]*?\b(?=SELECT|DELETE))?(\w+)/.exec(text)?.[1] ?? "";
  const table = /"?\.(\w+)/.exec(text)?.[1] ?? "";
  return `${verb.toUpperCase()} ${table}`;
}

function instrument(db: Database): Database {
  const wrap = (sql: SqlExecutor): SqlExecutor => ({
    executeSql: (text, values, options) => timed(label(text), sql.executeSql(text, values, options)),
  });
  return {
    ...db,
    ...wrap(db),
    transaction: (fn, options) => db.transaction((tx) => fn({ ...tx, ...wrap(tx) }), options),
  };
}

const config = readConfig();
const database = instrument(
  config.databaseUrl === undefined
    ? await openPglite()
    : openPostgres({
        connectionString: config.databaseUrl,
        maxConnections: config.dbPool,
        onIdleError: () => undefined,
      }),
);
const runtime = await compose(config, { logger: createLogger("warn"), worker: true, keyless: true, database });
const { preparer } = runtime.deps;
const prepare = preparer.prepare.bind(preparer);
preparer.prepare = (tenantId, request) => timed("prepare (worker threads)", prepare(tenantId, request));
const listener = await listen(runtime.app, { host: "127.0.0.1", port: 0 });

let peakBytes = 0;
const sampler = setInterval(() => {
  peakBytes = Math.max(peakBytes, process.memoryUsage().rss);
}, 50);
const delay = monitorEventLoopDelay({ resolution: 10 });

const agent = `bench-${Date.now().toString(36)}`;
async function sync(name: string, ...args: string[]): Promise<void> {
  delay.reset();
  delay.enable();
  const started = performance.now();
  const unused = async () => 1;
  const code = await runCli(["sync", folder as string, "--agent", agent, ...args], {
    connect: async () => ({
      fetch: (path, init) => fetch(new URL(path, listener.url), init),
      close: async () => undefined,
      description: listener.url,
    }),
    serve: unused,
    work: unused,
    migrate: unused,
    cluster: async () => ({ version: "", workers: [] }),
    restoreAgent: async ({ agent }) => ({ agent, schemaVersion: 0, enabled: true }),
    start: unused,
    serveMcp: async () => undefined,
    stopping: () => new AbortController().signal,
    ...processContext(),
    stderr: { write: () => true },
    colour: false,
  });
  delay.disable();
  const ms = (nanoseconds: number) => (nanoseconds / 1e6).toFixed(0);
  console.log(
    `${name}: exit ${code}, ${((performance.now() - started) / 1000).toFixed(2)} s, event loop p99 ${ms(delay.percentile(99))} max ${ms(delay.max)} ms, peak ${(peakBytes / 1e6).toFixed(0)} MB`,
  );
}

console.log(`${database.kind}, provider ${config.embedding.provider}`);
await sync("first sync, without embeddings", "--no-wait");
const total = Object.entries(seconds).sort((a, b) => b[1] - a[1]);
for (const [what, spent] of total.slice(0, 10)) console.log(`  ${spent.toFixed(2)} s in ${calls[what]} × ${what}`);
await sync("second sync, embeddings waited for");
await sync("third sync");
clearInterval(sampler);
await listener.close();
await runtime.close();
