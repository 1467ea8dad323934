// Plays weeks that are written like life (test/data/scenarios) through the HTTP API, with default
// settings and the built-in model, and then asks about them. Measures whether the three best hits
// of memory_search and the block of recall hold the answers, and what both return for messages that
// no memory answers. The bounds are in test/scenarios/figures.ts.
//
//   [DATABASE_URL=postgres://…] [SCENARIOS_VERBOSE=1] node bench/scenarios.ts [options] [week …]
//
//   --json file        writes every question with its hits
//   --source folder    measures the service of another checkout, from its `src`
//   --settings json    the agents' settings, in place of the defaults
//
// Runs on PGlite in memory, or on an empty database. A week is named by its file; without names all
// weeks are played.
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { type Asked, askWeek } from "../test/scenarios/ask-week.ts";
import { type Call, liveWeek } from "../test/scenarios/live-week.ts";
import { failureList, figureTable } from "../test/scenarios/print-figures.ts";
import { readWeeks } from "../test/scenarios/read-weeks.ts";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: "string" },
    settings: { type: "string" },
    source: { type: "string", default: resolve(import.meta.dirname, "..") },
  },
});
const settings = options.settings === undefined ? undefined : (JSON.parse(options.settings) as object);
const runtime = await start(resolve(options.source));
const call: Call = async <T>(method: string, path: string, body?: unknown) => {
  const headers = { "content-type": "application/json" };
  const init = body === undefined ? { method } : { method, headers, body: JSON.stringify(body) };
  const response = await runtime.app.request(path, init);
  const answer = (await response.json()) as T;
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
  return answer;
};

const asked: Asked[] = [];
try {
  for (const week of readWeeks(positionals)) {
    const began = performance.now();
    await liveWeek(call, week, settings);
    const lived = performance.now();
    asked.push(...(await askWeek(call, week)));
    const seconds = [lived - began, performance.now() - lived].map((ms) => (ms / 1000).toFixed(1));
    console.error(`${week.name}: lived in ${seconds[0]} s, asked in ${seconds[1]} s`);
  }
} finally {
  await runtime.close();
}
console.log(figureTable(asked));
if (process.env.SCENARIOS_VERBOSE === "1") console.log(`\n${failureList(asked)}`);
if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(asked, undefined, 1)}\n`);

/**
 * Starts the service of a checkout in this process, without configuration and without the keys of
 * the environment.
 */
async function start(checkout: string) {
  const load = (path: string) => import(`${checkout}/src/${path}`);
  const { createLogger }: typeof import("../src/base/logger.ts") = await load("base/logger.ts");
  const { readConfig }: typeof import("../src/config/config.ts") = await load("config/config.ts");
  const { openPglite }: typeof import("../src/db/pglite.ts") = await load("db/pglite.ts");
  const { compose }: typeof import("../src/start/compose.ts") = await load("start/compose.ts");
  const { DATABASE_URL } = process.env;
  const config = readConfig({ RECOLLECT_PROVIDER: "builtin", ...(DATABASE_URL === undefined ? {} : { DATABASE_URL }) });
  return compose(config, {
    logger: createLogger("warn"),
    worker: true,
    keyless: true,
    ...(DATABASE_URL === undefined ? { database: await openPglite() } : {}),
  });
}
