// Measures how an unavailable worker of a Citus cluster affects the requests for its agents, and
// the requests for other agents.
//
//   DATABASE_URL=… TEST_CITUS_NODE_COMMAND=… node bench/node-away.ts [agents, default 12]
//     [--how kill|freeze|cut] [--seconds 15] [--json]
//
// Runs as deployed. Each agent has one client, which writes and searches in turn, at most ten times
// a second. A worker is killed, frozen, or cut off from the network, stays away for `--seconds`,
// and comes back. The command gets `kill` or `start`, `freeze` or `thaw`, `cut` or `join`, and the
// worker's host. `loss` has the requests that were sent before the first refusal, `away` those sent
// from then until the worker comes back. `back` begins when every agent has been answered again.
// Refused requests are counted, and their times are included.
import { parseArgs } from "node:util";
import { placeOf } from "../src/db/citus/place-agents.ts";
import { openPostgres } from "../src/db/pg.ts";
import { COMES_BACK, controlNode, type GoesAway } from "../test/support/control-node.ts";
import { deploy } from "./support/deployment.ts";
import { percentile, printRows } from "./support/figures.ts";

const { positionals, values: flags } = parseArgs({
  allowPositionals: true,
  options: {
    how: { type: "string", default: "kill" },
    seconds: { type: "string", default: "15" },
    json: { type: "boolean" },
  },
});
const PAUSE_MS = 100;
const how = flags.how as GoesAway;
if (!(how in COMES_BACK)) throw new Error(`--how takes ${Object.keys(COMES_BACK).join(", ")}.`);
const phaseMs = Number(flags.seconds) * 1000;
const agents = Array.from({ length: Number(positionals[0] ?? 12) }, (_, i) => `away-${i}`);

type Phase = "before" | "loss" | "away" | "starting" | "back";
interface Answered {
  agent: string;
  what: "write" | "search";
  phase: Phase;
  ms: number;
  refused: string | undefined;
}

const service = await deploy(8, { provider: "instant" });
const connectionString = process.env.DATABASE_URL ?? "";
const db = openPostgres({ connectionString, maxConnections: 1, onIdleError: () => undefined });
const run = Date.now().toString(36);
const hosts = new Map<string, string>();
for (const agent of agents) {
  await write(agent, 0);
  const sql = "SELECT schema_name AS schema FROM recollect.agents WHERE id = $1";
  const { rows } = await db.executeSql<{ schema: string }>(sql, [agent]);
  hosts.set(agent, (await placeOf(db, rows[0]?.schema ?? ""))?.host ?? "");
}
const host = hosts.get(agents[0] ?? "") ?? "";
const isThere = (agent: string) => hosts.get(agent) === host;

const answers: Answered[] = [];
let phase: Phase = "before";
let isOver = false;
const loops = agents.map(use);
const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));
await pause(phaseMs);
controlNode(how, host);
phase = "loss";
while (!answers.some(({ refused }) => refused)) await pause(5);
phase = "away";
await pause(phaseMs);
phase = "starting";
const began = performance.now();
controlNode(COMES_BACK[how], host);
const isAnswered = (agent: string) => answers.some((one) => one.agent === agent && one.phase === phase && !one.refused);
while (!agents.every(isAnswered)) await pause(5);
const seconds = (performance.now() - began) / 1000;
phase = "back";
await pause(phaseMs);
isOver = true;
await Promise.all(loops);

const rows = (["before", "loss", "away", "back"] as const).flatMap((at) =>
  [true, false].flatMap((there) => (["write", "search"] as const).map((what) => rowOf(at, there, what))),
);
const codes = [...new Set(answers.flatMap(({ refused }) => refused ?? []))].join(", ");
printRows(
  `${agents.filter(isThere).length} of ${agents.length} agents on the worker that is away; refused with ${codes}; all answered again ${seconds.toFixed(1)} s after it began to come back; ms`,
  rows.filter(({ requests }) => requests > 0),
);
await db.close();
process.exit();

function rowOf(at: Phase, there: boolean, what: Answered["what"]) {
  const of = answers.filter((one) => one.phase === at && isThere(one.agent) === there && one.what === what);
  const ms = of.map((one) => one.ms);
  const [p50, p95] = [percentile(ms, 0.5), percentile(ms, 0.95)];
  const refused = of.filter((one) => one.refused).length;
  return {
    what: `${at}: ${what}, ${there ? "there" : "others"}`,
    requests: of.length,
    refused,
    p50,
    p95,
    longest: Math.max(...ms),
  };
}

async function use(agent: string): Promise<void> {
  for (let i = 1; !isOver; i++) {
    const [what, at, sent] = [i % 2 ? "write" : "search", phase, performance.now()] as const;
    const refused = await (what === "write" ? write(agent, i) : search(agent, i)).then(
      () => undefined,
      (error: Error) => /"code":"(\w+)"/.exec(error.message)?.[1] ?? error.message,
    );
    const ms = performance.now() - sent;
    answers.push({ agent, what, phase: at, ms, refused });
    await pause(Math.max(0, PAUSE_MS - ms));
  }
}

function write(agent: string, i: number): Promise<unknown> {
  const path = `/v1/agents/${agent}/files/${run}/${i % 50}.md`;
  return service.call("PUT", path, { content: `The gate of ${agent} was painted green in ${run}, ${i}.` });
}

/**
 * Searches an agent. The tool's answer tells a model that the memory is unavailable; the API says
 * the same with a status.
 */
async function search(agent: string, i: number): Promise<void> {
  const path = `/v1/agents/${agent}/tools/memory_search`;
  const { unavailable } = await service.call<{ unavailable?: true }>("POST", path, { query: `green gate ${i}` });
  if (unavailable) throw new Error("unavailable");
}
