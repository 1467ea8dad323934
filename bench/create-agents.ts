// Measures the cost of making an agent, with its first write, when many agents exist already.
//
//   DATABASE_URL=postgres://recollect:…@localhost/bench
//     node bench/create-agents.ts [agents, default 100,2000,10000] [--made 40] [--json]
//
// The login should be a service login as in docs/ISOLATION.md: for a superuser Postgres does not
// read role memberships, and their number is what grows. The other agents are real: four clients
// make them through the API. They stay, and a later run adds the missing ones. At each size one
// client makes and erases `--made` agents: `one by one` with a second between two, `at once`
// without a pause, which may use up the spare schemas.
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { openPostgres } from "../src/db/pg.ts";
import { deploy } from "./support/deployment.ts";
import { figuresOf, measure, printRows, timed } from "./support/figures.ts";

const { positionals, values: flags } = parseArgs({
  allowPositionals: true,
  options: { made: { type: "string", default: "40" }, json: { type: "boolean" } },
});
const SIZES = (positionals[0] ?? "100,2000,10000").split(",").map(Number);
const MADE = Number(flags.made);
const CLIENTS = 4;
const PAUSE_MS = 1000;

const connectionString = process.env.DATABASE_URL ?? "";
const service = await deploy(8, { provider: "instant" });
const db = openPostgres({ connectionString, maxConnections: 1, onIdleError: () => undefined });
const make = (agent: string) => service.call("PUT", `/v1/agents/${agent}/files/a.md`, { content: "first" });
const rows: Record<string, string | number>[] = [];
for (const size of SIZES) {
  const there = await countAgents();
  const run = Date.now().toString(36);
  const began = performance.now();
  if (there < size) await timed(CLIENTS, size - there, (i) => make(`other-${run}-${i}`));
  console.log(`${size} agents after ${Math.round((performance.now() - began) / 1000)} s`);
  // Autovacuum would do this in time. Its row count decides how many spare schemas are made.
  await db.executeSql("ANALYZE recollect.agents");
  await make(`made-${run}-before`);
  await restOfJobs();
  const ms: number[] = [];
  for (let i = 0; i < MADE; i++) {
    ms.push(...(await timed(1, 1, () => make(`made-${run}-${i}`))).ms);
    await setTimeout(PAUSE_MS);
  }
  await restOfJobs();
  const { perSecond: _, ...oneByOne } = figuresOf({ ms, seconds: 1 });
  const atOnce = await measure(1, MADE, (i) => make(`made-${run}-at-once-${i}`));
  rows.push({ agents: size, how: "one by one", ...oneByOne }, { agents: size, how: "at once", ...atOnce });
  for (let i = 0; i < MADE; i++)
    for (const name of ["", "at-once-"]) await service.call("DELETE", `/v1/agents/made-${run}-${name}${i}`);
}
printRows("An agent and its first write, ms", rows);
await db.close();
process.exit();

async function countAgents(): Promise<number> {
  const { rows: found } = await db.executeSql<{ n: number }>("SELECT count(*)::int AS n FROM recollect.agents");
  return found[0]?.n ?? 0;
}

async function restOfJobs(): Promise<void> {
  for (;;) {
    const { rows: found } = await db.executeSql<{ n: number }>(
      "SELECT count(*)::int AS n FROM recollect_jobs.job WHERE name = 'spare-spaces' AND state IN ('created', 'active', 'retry')",
    );
    if (found[0]?.n === 0) return;
    await setTimeout(500);
  }
}
