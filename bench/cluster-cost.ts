// Compares the cost of creations, writes and searches on a Citus cluster with that on one Postgres
// server.
//
//   DATABASE_URL=postgres://recollect:…@one-server/bench
//     CLUSTER_URL=postgres://recollect:…@coordinator/bench
//     node bench/cluster-cost.ts [rounds, default 8] [--clients 1] [--json]
//
// Runs as deployed, twice: each database has its own API, worker and provider; the provider takes
// no time. In each round the two databases are measured in turn, and the order alternates. `create`
// makes a new agent with its first note while spare schemas are available. `create at once` makes
// more new agents than there are spare schemas, without a pause. A write is a note of 4 KB; a
// search is hybrid. Each number is the median over the rounds of the round's median, in
// milliseconds. `times` is the cluster's median divided by the single server's.
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type Deployment, deploy, fill } from "./support/deployment.ts";
import { noteOf } from "./support/fake-vectors.ts";
import { percentile, printRows, timed } from "./support/figures.ts";

const { positionals, values: flags } = parseArgs({
  allowPositionals: true,
  options: { clients: { type: "string", default: "1" }, json: { type: "boolean" } },
});
const ROUNDS = Number(positionals[0] ?? 8);
const CLIENTS = Number(flags.clients);
const AGENTS = 6;
const CHUNKS_OF_AGENT = 2000;
const CREATED_AT_ONCE = 20;
const WRITES = 40;
const SEARCHES = 60;
/** The pause in which the worker makes a spare schema. */
const PAUSE_MS = 1500;

const { DATABASE_URL = "", CLUSTER_URL = "" } = process.env;
const run = Date.now().toString(36);
let created = 0;

interface Subject {
  name: "one server" | "cluster";
  service: Deployment;
  topics: string[];
}

async function start(name: Subject["name"], url: string): Promise<Subject> {
  process.env.BENCH_PROVIDER_PORT = name === "cluster" ? "7472" : "7471";
  const service = await deploy(384, { env: { DATABASE_URL: url } });
  const topics: string[][] = [];
  for (let i = 0; i < AGENTS; i++) topics.push(await fill(service, `cost-${i}`, CHUNKS_OF_AGENT, `cost-${i} `));
  return { name, service, topics: topics[0] ?? [] };
}

const note = (at: string) => noteOf(`${run} ${at}`, 4).content;
const create = ({ service }: Subject) =>
  service.call("PUT", `/v1/agents/new-${run}-${created++}/files/a.md`, { content: note(`new ${created}`) });

const works: Record<string, (subject: Subject, round: number) => Promise<number[]>> = {
  create: async (subject) => {
    const ms: number[] = [];
    for (let i = 0; i < 4; i++) {
      await sleep(PAUSE_MS);
      ms.push(...(await timed(1, 1, () => create(subject))).ms);
    }
    return ms;
  },
  "create at once": async (subject) => (await timed(1, CREATED_AT_ONCE, () => create(subject))).ms,
  write: async ({ service }, round) =>
    (
      await timed(CLIENTS, WRITES, (i) =>
        service.call("PUT", `/v1/agents/cost-${i % AGENTS}/files/w-${run}-${round}-${i}.md`, {
          content: note(`${round} ${i}`),
        }),
      )
    ).ms,
  search: async ({ service, topics }, round) =>
    (
      await timed(CLIENTS, SEARCHES, (i) => {
        const query = topics[(round * SEARCHES + i) % topics.length] ?? "";
        return service.call("POST", `/v1/agents/cost-${i % AGENTS}/tools/memory_search`, {
          query,
          minScore: (round * SEARCHES + i) * 1e-9,
        });
      })
    ).ms,
};

const subjects = [await start("one server", DATABASE_URL), await start("cluster", CLUSTER_URL)];
const medians = new Map<string, number[]>();
for (let round = 0; round < ROUNDS; round++)
  for (const what of Object.keys(works))
    for (const subject of round % 2 === 0 ? subjects : subjects.toReversed()) {
      await Promise.all(Array.from({ length: AGENTS }, (_, i) => subject.service.settled(`cost-${i}`)));
      const ms = (await works[what]?.(subject, round)) ?? [];
      const key = `${what} ${subject.name}`;
      medians.set(key, [...(medians.get(key) ?? []), percentile(ms, 0.5)]);
    }
printRows(
  `${ROUNDS} rounds, ${CLIENTS} clients, medians in ms`,
  Object.keys(works).map((what) => {
    const [one, cluster] = subjects.map(({ name }) => percentile(medians.get(`${what} ${name}`) ?? [], 0.5));
    return { what, "one server": one, cluster, times: (cluster ?? 0) / (one ?? 1) };
  }),
);
process.exit();
