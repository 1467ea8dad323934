// Measures the pipeline from pending chunks to embedded ones, in chunks a second, with a provider
// that takes no time.
//
//   DATABASE_URL=postgres://recollect:…@localhost/bench
//     node bench/pipeline.ts [chunks] [--against <another checkout>]
//
// There are two seams: `embedder` is a function in the worker, `http` an OpenAI-compatible server
// on loopback in a separate process. Each run writes new notes through the API and measures that,
// then starts a worker process and measures it from its first request for embeddings until no
// embedding is missing, with its event-loop delay. With --against the worker of another checkout
// takes turns with this one's. The database should be empty at first.
import { type ChildProcess, fork } from "node:child_process";
import { resolve } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { pathToFileURL } from "node:url";
import { createLogger } from "../src/base/logger.ts";
import { readConfig } from "../src/config/config.ts";
import type { createEmbedder as Create } from "../src/embeddings/create-embedder.ts";
import type { Embedder } from "../src/embeddings/embedder.ts";
import type { compose as Compose } from "../src/start/compose.ts";
import { noteOf, vectorPool } from "./support/fake-vectors.ts";

type Seam = "embedder" | "http";
interface Run {
  seam: Seam;
  dimensions: number;
  /** The address of the provider. */
  url: string;
  checkout: string;
  agent: string;
}
interface Outcome {
  chunksPerSecond: number;
  delayP99: number;
  delayMax: number;
  cpuShare: number;
}

const RUNS = 3;
const CHUNKS_PER_FILE = 4;
const FILES_PER_WRITE = 50;
const config = readConfig();
const logger = createLogger("error");

/** Loads the service of a checkout. */
async function load(checkout: string) {
  const module = (path: string) => import(pathToFileURL(resolve(checkout, path)).href);
  const { compose } = (await module("src/start/compose.ts")) as { compose: typeof Compose };
  const { createEmbedder } = (await module("src/embeddings/create-embedder.ts")) as { createEmbedder: typeof Create };
  return { compose, createEmbedder };
}

/**
 * Makes the embedder of the worker. Both seams make the same index, so the writing process needs
 * neither seam.
 */
function embedderFor({ dimensions }: Run): Embedder {
  const pool = vectorPool(dimensions);
  let next = 0;
  return {
    provider: "openai-compatible",
    model: "fake",
    dimensions,
    providerKey: `${dimensions}`,
    maxBatchTexts: 100,
    parallelCalls: 4,
    maxInputTokens: 8191,
    embed: async (texts) => texts.map(() => pool[next++ % pool.length] as Float32Array),
    close: async () => undefined,
  };
}

/** Runs as the worker process: reports how long the work took from the first request on. */
async function work(run: Run): Promise<void> {
  const { compose, createEmbedder } = await load(run.checkout);
  const settings = { provider: "openai-compatible", model: "fake", outputDimensionality: run.dimensions } as const;
  const made =
    run.seam === "embedder" ? embedderFor(run) : await createEmbedder({ ...settings, baseUrl: run.url, cacheDir: "." });
  if (!made) throw new Error("There is no embedder.");
  const delay = monitorEventLoopDelay({ resolution: 5 });
  let began: number | undefined;
  let cpu = process.cpuUsage();
  const first = () => {
    began = Date.now();
    cpu = process.cpuUsage();
    delay.enable();
  };
  const embed: Embedder["embed"] = (texts, ...rest) => {
    if (began === undefined) first();
    return made.embed(texts, ...rest);
  };
  const runtime = await compose(config, {
    logger,
    worker: true,
    keyless: true,
    embedder: async () => ({ ...made, embed }),
  });
  process.once("message", async (ended: number) => {
    delay.disable();
    const { user, system } = process.cpuUsage(cpu);
    const ms = ended - (began ?? ended);
    process.send?.({
      ms,
      delayP99: delay.percentile(99) / 1e6,
      delayMax: delay.max / 1e6,
      cpuShare: (user + system) / 1000 / ms,
    });
    await runtime.close();
    process.disconnect();
  });
}

const message = <T>(child: ChildProcess) =>
  new Promise<T>((done, fail) => {
    child.once("message", (value) => done(value as T));
    child.once("exit", (code) => fail(new Error(`A process ended with ${code}.`)));
  });

/**
 * Writes notes of about `chunks` chunks; returns how many chunks there are and how fast they were
 * acknowledged.
 */
async function write(run: Run, chunks: number): Promise<{ written: number; perSecond: number }> {
  const { compose } = await load(".");
  const runtime = await compose(config, {
    logger,
    worker: false,
    keyless: true,
    embedder: async () => embedderFor(run),
  });
  const batches = Array.from({ length: Math.ceil(chunks / CHUNKS_PER_FILE / FILES_PER_WRITE) }, (_, batch) =>
    Array.from({ length: FILES_PER_WRITE }, (_, i) => ({
      path: `n${batch}-${i}.md`,
      content: noteOf(`${run.agent} ${batch} ${i}`, CHUNKS_PER_FILE).content,
    })),
  );
  const began = performance.now();
  let written = 0;
  const writer = async () => {
    for (let put = batches.pop(); put; put = batches.pop()) {
      const response = await runtime.app.request(`/v1/agents/${run.agent}/files`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ put }),
      });
      const { files } = (await response.json()) as { files: { chunks: number }[] };
      written += files.reduce((sum, file) => sum + file.chunks, 0);
    }
  };
  await Promise.all([writer(), writer(), writer(), writer()]);
  const perSecond = written / ((performance.now() - began) / 1000);
  await runtime.close();
  return { written, perSecond };
}

async function measure(run: Run, written: number): Promise<Outcome> {
  const { openPostgres } = await import("../src/db/pg.ts");
  const connection = { connectionString: config.databaseUrl ?? "", maxConnections: 1, onIdleError: () => undefined };
  const db = openPostgres(connection);
  const { rows } = await db.executeSql<{ schema: string }>(
    "SELECT schema_name AS schema FROM recollect.agents WHERE id = $1",
    [run.agent],
  );
  const table = `"${rows[0]?.schema}".vectors_1`;
  const child = fork(import.meta.filename, [JSON.stringify(run)], { execArgv: process.execArgv });
  try {
    for (;;) {
      const { rows: left } = await db.executeSql(`SELECT 1 FROM ${table} WHERE embedding IS NULL LIMIT 1`);
      if (left.length === 0) break;
      await new Promise((done) => setTimeout(done, 25));
    }
    child.send(Date.now());
    const { ms, ...rest } = await message<{ ms: number } & Omit<Outcome, "chunksPerSecond">>(child);
    return { chunksPerSecond: (written / ms) * 1000, ...rest };
  } finally {
    await db.close();
  }
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

async function main(): Promise<void> {
  if (config.databaseUrl === undefined) throw new Error("Set DATABASE_URL.");
  const [chunks = "8000", flag, other] = process.argv.slice(2);
  const checkouts = flag === "--against" && other !== undefined ? [other, "."] : ["."];
  const provider = fork(new URL("support/fake-provider.ts", import.meta.url), ["instant"]);
  const { url } = await message<{ url: string }>(provider);
  const acknowledged: number[] = [];
  for (const dimensions of [1536, 384])
    for (const seam of ["embedder", "http"] as const) {
      const outcomes = new Map<string, Outcome[]>(checkouts.map((checkout) => [checkout, []]));
      for (let i = 0; i < RUNS; i++)
        for (const checkout of checkouts) {
          const agent = `bench-${Date.now().toString(36)}`;
          const run: Run = { seam, dimensions, url, checkout, agent };
          const { written, perSecond } = await write(run, Number(chunks));
          acknowledged.push(perSecond);
          outcomes.get(checkout)?.push(await measure(run, written));
        }
      for (const [checkout, made] of outcomes) {
        const of = (key: keyof Outcome) => median(made.map((outcome) => outcome[key]));
        const speeds = made.map((outcome) => outcome.chunksPerSecond.toFixed(0)).join(" ");
        console.log(
          `${seam.padEnd(8)} ${dimensions} dimensions${checkout === "." ? "" : ", the other checkout"}: ${of("chunksPerSecond").toFixed(0)} chunks/s (${speeds}), event loop p99 ${of("delayP99").toFixed(1)} max ${of("delayMax").toFixed(0)} ms, worker's CPU ${(of("cpuShare") * 100).toFixed(0)} %`,
        );
      }
    }
  console.log(
    `written through the API: ${median(acknowledged).toFixed(0)} chunks/s acknowledged (median of ${acknowledged.length})`,
  );
  provider.disconnect();
}

const argument = process.argv[2];
if (argument?.startsWith("{")) await work(JSON.parse(argument) as Run);
else await main();
