// Measures an agent that moves to another node of a Citus cluster while it is written to and
// searched, and the effect on its neighbours.
//
//   DATABASE_URL=… RECOLLECT_CLUSTER_ADMIN_URL=…
//     node bench/cluster-move.ts [chunks, default 50000] [--json]
//
// Runs as deployed: `recollect cluster move` moves the agent to a worker that it is not on. Two
// clients write to the agent, one searches it, and one writes to another agent. Failed requests are
// counted. There are rows for the time before the move and for the time during it.
import { parseArgs } from "node:util";
import { placeOf } from "../src/db/citus/place-agents.ts";
import { openPostgres } from "../src/db/pg.ts";
import { deploy, fill } from "./support/deployment.ts";
import { percentile, printRows } from "./support/figures.ts";

const { positionals } = parseArgs({ allowPositionals: true, options: { json: { type: "boolean" } } });
const CHUNKS = Number(positionals[0] ?? 50_000);
const BEFORE_MS = 10_000;
const [MOVING, OTHER] = ["moving", "staying"];

const service = await deploy(384);
const connectionString = process.env.DATABASE_URL ?? "";
const db = openPostgres({ connectionString, maxConnections: 1, onIdleError: () => undefined });
const topics = await fill(service, MOVING, CHUNKS);
await fill(service, OTHER, 200);

const run = Date.now().toString(36);
let phase = "before";
const taken = new Map<string, number[]>();
const failures: string[] = [];
const loops = [0, 1].map((client) => loop("write", (i) => write(MOVING, `${client}-${i}`)));
loops.push(
  loop("search", search),
  loop("write of another", (i) => write(OTHER, String(i))),
);
await new Promise((done) => setTimeout(done, BEFORE_MS));
const target = await otherNode();
phase = "moving";
const began = performance.now();
const mover = await service.start(["cluster", "move", MOVING, target, "--json"], /"workers":/);
const seconds = (performance.now() - began) / 1000;
phase = "over";
await Promise.all(loops);
mover.child.kill();
const rows = [...taken].map(([what, ms]) => ({
  what,
  requests: ms.length,
  p50: percentile(ms, 0.5),
  p95: percentile(ms, 0.95),
  longest: Math.max(...ms),
}));
printRows(
  `${CHUNKS} chunks moved in ${seconds.toFixed(1)} s, ${failures.length} failed requests${failures[0] === undefined ? "" : `, the first: ${failures[0]}`}; ms`,
  rows,
);
await db.close();
process.exit();

async function loop(what: string, work: (i: number) => Promise<unknown>): Promise<void> {
  for (let i = 0; phase !== "over"; i++) {
    const [sent, name] = [performance.now(), `${what}, ${phase}`];
    await work(i).catch((error: unknown) => void failures.push(String(error)));
    const ms = taken.get(name) ?? [];
    taken.set(name, [...ms, performance.now() - sent]);
  }
}

function write(agent: string, name: string): Promise<unknown> {
  const content = `What was decided about ${topics[name.length]} in ${run} ${name}.`;
  return service.call("PUT", `/v1/agents/${agent}/files/${run}/${name}.md`, { content });
}

function search(i: number): Promise<unknown> {
  const query = `What of ${topics[(i * 7919) % topics.length]} was decided in ${i}?`;
  return service.call("POST", `/v1/agents/${MOVING}/tools/memory_search`, { query });
}

async function otherNode(): Promise<string> {
  const { rows } = await db.executeSql<{ schema: string }>(
    "SELECT schema_name AS schema FROM recollect.agents WHERE id = $1",
    [MOVING],
  );
  const here = await placeOf(db, rows[0]?.schema ?? "");
  const { rows: nodes } = await db.executeSql<{ name: string; host: string }>(
    "SELECT nodename || ':' || nodeport AS name, nodename AS host FROM pg_dist_node WHERE groupid <> 0 AND shouldhaveshards ORDER BY nodeid",
  );
  const other = nodes.find(({ host, name }) => host !== here?.host || name !== `${here.host}:${here.port}`);
  if (!other) throw new Error("The cluster has one worker.");
  return other.name;
}
