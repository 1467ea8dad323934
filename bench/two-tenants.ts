/**
 * Measures what one tenant notices while another tenant sends the worst known loads.
 *
 *   DATABASE_URL=postgres://…/bench
 *     node bench/two-tenants.ts [--clients 24] [--seconds 20] [--names 5000]
 *     [--chunks 38000] [--texts 3000] [--only wildcards|words|appends|embed] [--builtin] [--json]
 *
 * The database should be empty and its server on the same machine, so that all processes share two
 * cores. The API and the worker are separate processes. The quiet tenant has one client that
 * searches, one that writes, and one that writes a text and waits until it is embedded. They are
 * measured alone first, then beside each load. The provider is a fake that takes 20 ms a text; with
 * --builtin it is the built-in model.
 *
 * Goal: p95 of searches and of writes below five times the idle value and below 1.5 s, the
 * embedding within 2 s, and no answer `database_busy`. --short chooses sizes for a quick look: 3 s
 * a load, 500 names, 4,000 chunks, 500 texts.
 */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { Agent, request as ask, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type AgentStatus, type Deployment, deploy } from "./support/deployment.ts";
import { noteOf } from "./support/fake-vectors.ts";
import { percentile, printRows } from "./support/figures.ts";
import { type Load, type Send, worstLoads } from "./support/worst-loads.ts";

const { values: flags } = parseArgs({
  options: {
    short: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    only: { type: "string" },
    builtin: { type: "boolean", default: false },
    ...Object.fromEntries(["clients", "seconds", "names", "chunks", "texts"].map((name) => [name, { type: "string" }])),
  } as const,
});
const sizeOf = (name: string, whole: number, short: number) =>
  Number((flags as Record<string, unknown>)[name] ?? (flags.short ? short : whole));
const CLIENTS = sizeOf("clients", 24, 24);
const SECONDS = sizeOf("seconds", 20, 3);
const sizes = {
  longNames: sizeOf("names", 5000, 500),
  commonChunks: sizeOf("chunks", 38_000, 4000),
  texts: sizeOf("texts", 3000, 500),
};
const QUIET_FILES = 200;
const DIMENSIONS = 256;
const GOAL = { ratio: 5, ms: 1500, embeddedMs: 2000 };

/** Counts of failed requests, by status and code. */
type Errors = Map<string, number>;

/**
 * Returns a function that sends requests with one key over separate connections, and counts the
 * errors.
 */
function senderOf(url: string, key: string, errors: Errors, more: Record<string, string> = {}): Send {
  const agent = new Agent({ keepAlive: true });
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json", ...more };
  return async (method, path, body) => {
    const asked = ask(url + path, { agent, method, headers }).end(body === undefined ? "" : JSON.stringify(body));
    const [response] = (await once(asked, "response")) as [IncomingMessage];
    const answer = JSON.parse(await text(response)) as { error?: { code?: string } };
    const { statusCode: status = 0 } = response;
    const name = `${status} ${answer.error?.code ?? ""}`.trim();
    if (status > 299) errors.set(name, (errors.get(name) ?? 0) + 1);
    return { status, body: answer };
  };
}

/** Makes a new tenant with a key of its own. */
async function tenantOf({ url, key: adminKey, call }: Deployment, name: string) {
  const { id } = await call<{ id: string }>("POST", "/v1/tenants", { name: `${name} ${randomUUID()}` });
  const admin = senderOf(url, adminKey, new Map(), { "recollect-tenant": id });
  const scopes = ["tenant", "agent:read", "agent:write"];
  const { body } = await admin("POST", "/v1/keys", { name, scopes, requestsPerMinute: 1_000_000 });
  const errors: Errors = new Map();
  return { errors, send: senderOf(url, (body as { key: string }).key, errors) };
}

/** The milliseconds of a tenant's requests, by kind. */
interface Times {
  search: number[];
  write: number[];
  embedded: number[];
}

/** Repeats an action of the quiet tenant until the signal aborts, with a rest after each. */
async function repeat(times: number[], restMs: number, until: AbortSignal, action: () => Promise<unknown>) {
  while (!until.aborted) {
    const began = performance.now();
    await action();
    times.push(performance.now() - began);
    await sleep(restMs, undefined, { signal: until }).catch(() => undefined);
  }
}

let serial = 0;
const statusOf = async (send: Send, agent: string) =>
  (await send("GET", `/v1/agents/${agent}/status`)).body as AgentStatus;

/**
 * Measures the quiet tenant until the signal aborts.
 *
 * @param embeds whether a worker runs that makes embeddings
 */
async function measureQuiet(send: Send, topics: readonly string[], until: AbortSignal, embeds = true): Promise<Times> {
  const times: Times = { search: [], write: [], embedded: [] };
  const put = (agent: string) =>
    send("PUT", `/v1/agents/${agent}/files/note.md`, { content: `A single note, number ${++serial}.` });
  await Promise.all([
    repeat(times.search, 20, until, () => {
      const query = `${topics[++serial % topics.length]} question ${serial}`;
      return send("POST", "/v1/agents/quiet/tools/memory_search", { query });
    }),
    repeat(times.write, 50, until, () => put("quiet")),
    embeds &&
      repeat(times.embedded, 200, until, async () => {
        await put("embedded");
        while ((await statusOf(send, "embedded")).pendingEmbeddings !== 0) await sleep(20);
      }),
  ]);
  return times;
}

/**
 * Sends a load from all clients until the signal aborts.
 *
 * @returns the milliseconds of each request
 */
async function sendLoad(load: Load, send: Send, until: AbortSignal): Promise<number[]> {
  const times: number[] = [];
  const client = async (number: number) => {
    for (let round = 0; load.request && !until.aborted; round++) {
      const began = performance.now();
      await load.request(send, number, round);
      times.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)));
  return times;
}

/** Resolves when no agent of a tenant has any work left. */
async function settled(send: Send): Promise<void> {
  const { agents } = (await send("GET", "/v1/agents")).body as { agents: { id: string }[] };
  for (const { id } of agents)
    for (;;) {
      const { jobs, pendingEmbeddings } = await statusOf(send, id);
      // A sync job waits ten seconds after an append; it does not count as load.
      const busy = Object.entries(jobs).some(([name, { waiting, active }]) => name !== "sync" && waiting + active > 0);
      if (pendingEmbeddings === 0 && !busy) break;
      await sleep(250);
    }
}

type Row = Record<string, string | number | undefined>;

function rowOf(name: string, times: Times, idle: Times | undefined, quiet: Errors, loud?: [Errors, number[]]): Row {
  const p95 = (values: readonly number[]) => (values.length === 0 ? undefined : Math.round(percentile(values, 0.95)));
  const [search, write] = [p95(times.search), p95(times.write)];
  const ratio = (kind: "search" | "write") =>
    idle && percentile(times[kind], 0.95) / Math.max(1, percentile(idle[kind], 0.95));
  const ratios = [ratio("search"), ratio("write")];
  const embedded = times.embedded.length === 0 ? undefined : Math.round(Math.max(...times.embedded));
  const isBusy = [...quiet.keys(), ...(loud?.[0].keys() ?? [])].some((error) => error.includes("database_busy"));
  const isMet =
    ratios.every((one = 0) => one < GOAL.ratio) &&
    [search, write].every((ms = 0) => ms < GOAL.ms) &&
    (embedded ?? 0) < GOAL.embeddedMs &&
    !isBusy;
  return {
    load: name,
    "search p95": search,
    "x idle": ratios[0] && Math.round(ratios[0] * 10) / 10,
    "write p95": write,
    "x idle ": ratios[1] && Math.round(ratios[1] * 10) / 10,
    "embedded p50": times.embedded.length === 0 ? undefined : Math.round(percentile(times.embedded, 0.5)),
    "embedded max": embedded,
    errors: listed(quiet),
    "load p95": loud && p95(loud[1]),
    "load count": loud?.[1].length,
    "load errors": loud && listed(loud[0]),
    goal: isMet ? "met" : "missed",
  };
}

function listed(errors: Errors): string {
  return errors.size === 0 ? "none" : [...errors].map(([name, count]) => `${count} x ${name}`).join(", ");
}

const rows: Row[] = [];
const note = (row: Row) => {
  rows.push(row);
  if (!flags.json) console.error(JSON.stringify(row));
};

process.env.BENCH_PROVIDER_TEXT_MS = "20";
const builtin = {
  RECOLLECT_PROVIDER: "builtin",
  RECOLLECT_BASE_URL: "",
  RECOLLECT_MODEL: "",
  RECOLLECT_OUTPUT_DIMENSIONALITY: "",
};
const service = await deploy(DIMENSIONS, flags.builtin ? { env: builtin } : {});
const quiet = await tenantOf(service, "quiet");
const loud = await tenantOf(service, "loud");
const notes = Array.from({ length: QUIET_FILES }, (_, i) => ({ path: `q${i}.md`, ...noteOf(`quiet ${i}`, 4) }));
for (let from = 0; from < notes.length; from += 50)
  await quiet.send("POST", "/v1/agents/quiet/files", {
    put: notes.slice(from, from + 50).map(({ path, content }) => ({ path, content })),
  });
await settled(quiet.send);
const topics = notes.map(({ topic }) => topic);
// Runs a first round, so that the connections and caches of the process are warm.
await measureQuiet(quiet.send, topics, AbortSignal.timeout(2000));
const idle = await measureQuiet(quiet.send, topics, AbortSignal.timeout(SECONDS * 1000));
note(rowOf("idle", idle, undefined, quiet.errors));

let { worker } = service;
for (const load of worstLoads(sizes).filter(({ group }) => group === (flags.only ?? group))) {
  const { jobs = "finished" } = load;
  if (jobs === "not begun") {
    worker.kill();
    await once(worker, "exit");
  }
  await load.prepare?.(loud.send);
  if (jobs === "finished") await settled(loud.send);
  for (const errors of [quiet.errors, loud.errors]) errors.clear();
  const end = AbortSignal.timeout(SECONDS * 1000);
  const measuring = measureQuiet(quiet.send, topics, end, jobs !== "not begun");
  const [times, sent] = await Promise.all([measuring, sendLoad(load, loud.send, end)]);
  note(rowOf(load.name, times, idle, quiet.errors, [loud.errors, sent]));
  if (jobs === "not begun") ({ child: worker } = await service.start(["worker"], /"msg":"working"/));
  await Promise.all([settled(loud.send), settled(quiet.send)]);
}
printRows(
  `Two tenants, ${CLIENTS} connections of one, ${SECONDS} s a load; milliseconds of the other (${sizes.longNames} names, ${sizes.commonChunks} chunks, ${sizes.texts} texts)`,
  rows,
);
process.exit();
