// What it costs to make an agent when there are so many already, and the first write to it.
//
//   DATABASE_URL=postgres://recollect:…@localhost/bench BENCH_SUPERUSER_URL=postgres://postgres:…@localhost/bench \
//     node bench/create-agents.ts [agents, default 100,2000,10000] [--made 40] [--json]
//
// What grows with agents is the memberships of the service's login (docs/SCALE.md), so the others are roles alone, with the
// memberships that an agent's role has, made by SQL as a superuser; on a Citus cluster through the coordinator, on every node. They are
// left; a later run adds what is missing. At each size so many agents are made and erased, one after the other.
import { parseArgs } from "node:util";
import { citusVersion } from "../src/db/citus/inspect-cluster.ts";
import { openPostgres } from "../src/db/pg.ts";
import { deploy } from "./support/deployment.ts";
import { measure, printRows } from "./support/figures.ts";

const { positionals, values: flags } = parseArgs({
  allowPositionals: true,
  options: { made: { type: "string", default: "40" }, json: { type: "boolean" } },
});
const SIZES = (positionals[0] ?? "100,2000,10000").split(",").map(Number);
const MADE = Number(flags.made);
const BATCH = 200;

const connectionString = process.env.BENCH_SUPERUSER_URL ?? "";
const login = decodeURIComponent(new URL(process.env.DATABASE_URL ?? "").username);
const service = await deploy(8, { provider: "instant" });
const db = openPostgres({ connectionString, maxConnections: 1, onIdleError: () => undefined });
const isCluster = (await citusVersion(db)) !== undefined;
const nameOf = (i: number) => `bench_other_${String(i).padStart(6, "0")}`;
let there = await countThere();
const rows: Record<string, string | number>[] = [];
for (const size of SIZES) {
  while (there < size) await addRoles(there, Math.min(BATCH, size - there));
  const run = `made-${Date.now().toString(36)}`;
  const { perSecond, ...times } = await measure(1, MADE, (i) =>
    service.call("PUT", `/v1/agents/${run}-${i}/files/a.md`, { content: "first" }),
  );
  rows.push({ agents: size, ...times });
  for (let i = 0; i < MADE; i++) await service.call("DELETE", `/v1/agents/${run}-${i}`);
}
printRows("An agent and its first write, ms", rows);
await db.close();
process.exit();

async function countThere(): Promise<number> {
  const { rows } = await db.executeSql<{ n: number }>(
    "SELECT count(*)::int AS n FROM pg_roles WHERE rolname LIKE 'bench\\_other\\_%'",
  );
  return rows[0]?.n ?? 0;
}

/** Of each the two memberships that an agent's role gives: its maker's, and the service's own grant. */
async function addRoles(from: number, count: number): Promise<void> {
  const names = Array.from({ length: count }, (_, i) => nameOf(from + i));
  for (const name of names) await db.executeSql(`CREATE ROLE ${name} NOLOGIN NOINHERIT`);
  await db.executeSql(`GRANT ${names.join(", ")} TO "${login}" WITH ADMIN TRUE, INHERIT FALSE, SET FALSE`);
  await db.executeSql(`GRANT ${names.join(", ")} TO "${login}" GRANTED BY "${login}"`);
  if (isCluster) await db.executeSql(`GRANT ${names.join(", ")} TO recollect_data GRANTED BY "${login}"`);
  there += count;
}
