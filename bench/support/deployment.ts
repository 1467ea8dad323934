import { type ChildProcess, fork, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { Agent, request as ask, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { noteOf } from "./fake-vectors.ts";

const CLI = new URL("../../src/start/cli.ts", import.meta.url).pathname;
const CHUNKS_PER_FILE = 4;
const FILES_PER_WRITE = 50;

export interface AgentStatus {
  chunks: number;
  pendingEmbeddings: number;
  jobs: Record<string, { waiting: number; active: number }>;
  reindex: { state: string };
}

/**
 * The service as deployed: the API and the worker as separate processes, and a provider that takes
 * no time.
 */
export interface Deployment {
  /** The URL of the API. */
  url: string;
  key: string;
  api: ChildProcess;
  worker: ChildProcess;
  call<T>(method: string, path: string, body?: unknown): Promise<T>;
  status(agent: string): Promise<AgentStatus>;
  /** Resolves when no work is left for an agent. */
  settled(agent: string): Promise<AgentStatus>;
  /** Starts one more process of the service and waits until a line of its log matches `sign`. */
  start(args: string[], sign: RegExp): Promise<{ child: ChildProcess; match: RegExpMatchArray }>;
}

export interface DeployOptions {
  /** Additional environment variables of the service. */
  env?: Record<string, string>;
  /** Environment variables of the worker only. */
  workerEnv?: Record<string, string>;
  /** Arguments of Node for the API's process. */
  nodeArgs?: string[];
  /**
   * `clustered`, the default, computes a vector for each text, which takes a tenth of a
   * millisecond. `instant` is for benchmarks in which the vectors do not matter.
   */
  provider?: "clustered" | "instant";
}

/**
 * Starts a provider that takes no time.
 *
 * @returns the environment variables with which the service asks the provider
 */
export async function startProvider(
  dimensions: number,
  kind: DeployOptions["provider"] = "clustered",
): Promise<Record<string, string>> {
  const provider = fork(new URL("fake-provider.ts", import.meta.url), [kind]);
  const { url } = await new Promise<{ url: string }>((done) =>
    provider.once("message", (message) => done(message as { url: string })),
  );
  return {
    RECOLLECT_PROVIDER: "openai-compatible",
    RECOLLECT_BASE_URL: url,
    RECOLLECT_MODEL: "fake",
    RECOLLECT_OUTPUT_DIMENSIONALITY: String(dimensions),
  };
}

export async function deploy(dimensions: number, options: DeployOptions = {}): Promise<Deployment> {
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
  const provider = await startProvider(dimensions, options.provider);
  const key = `rcl_${randomBytes(6).toString("hex")}_${randomBytes(24).toString("hex")}`;
  const env = {
    ...process.env,
    RECOLLECT_ADMIN_KEY: key,
    RECOLLECT_REQUESTS_PER_MINUTE: "1000000",
    ...provider,
    ...options.env,
  };
  const start: Deployment["start"] = (args, sign) => {
    const nodeArgs = args[0] === "serve" ? (options.nodeArgs ?? []) : [];
    const ownEnv = args[0] === "worker" ? { ...env, ...options.workerEnv } : env;
    const child = spawn(process.execPath, [...nodeArgs, CLI, ...args], {
      env: ownEnv,
      stdio: ["ignore", "pipe", "pipe"],
    });
    process.once("exit", () => child.kill());
    let log = "";
    return new Promise((done, fail) => {
      const read = (part: Buffer) => {
        log = (log + part).slice(-10_000);
        const match = log.match(sign);
        if (match) done({ child, match });
      };
      child.stdout.on("data", read);
      child.stderr.on("data", read);
      child.once("exit", (code) => fail(new Error(`recollect ${args.join(" ")} ended with ${code}.\n${log}`)));
    });
  };
  const api = await start(["serve", "--port", "0", "--no-worker"], /"url":"([^"]+)"/);
  const worker = await start(["worker"], /"msg":"working"/);
  const url = api.match[1] ?? "";
  const call = callerOf(url, key);
  const status: Deployment["status"] = (agent) => call("GET", `/v1/agents/${agent}/status`);
  const settled: Deployment["settled"] = async (agent) => {
    for (;;) {
      const now = await status(agent);
      const busy = Object.values(now.jobs).some(({ waiting, active }) => waiting + active > 0);
      if (now.pendingEmbeddings === 0 && now.reindex.state === "none" && !busy) return now;
      await new Promise((done) => setTimeout(done, 500));
    }
  };
  return { url, key, api: api.child, worker: worker.child, call, status, settled, start };
}

/**
 * Returns a function that calls the API. It uses `http.request`, because `fetch` takes three times
 * as much processor time: a millisecond per request, on the two cores that all processes share.
 */
export function callerOf(url: string, key: string): Deployment["call"] {
  const agent = new Agent({ keepAlive: true });
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  return async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const asked = ask(url + path, { agent, method, headers }).end(body === undefined ? "" : JSON.stringify(body));
    const [response] = (await once(asked, "response")) as [IncomingMessage];
    const answer = await text(response);
    const { statusCode = 0 } = response;
    if (statusCode < 200 || statusCode > 299) throw new Error(`${method} ${path}: ${statusCode} ${answer}`);
    return JSON.parse(answer) as T;
  };
}

/**
 * Notes that are made only on request, because the notes of a million chunks do not fit in memory.
 */
export interface Notes {
  /** The topic of each note. */
  topics: string[];
  /** The number of requests, of 50 files each, that write all notes. */
  requests: number;
  request(batch: number): { path: string; content: string }[];
}

/**
 * Returns notes about many topics, of about `chunks` chunks together. Another name gives other
 * notes.
 */
export function notesFor(chunks: number, name = ""): Notes {
  const requests = Math.ceil(chunks / CHUNKS_PER_FILE / FILES_PER_WRITE);
  const note = (batch: number, i: number, size: number) => noteOf(`${name}${batch} ${i}`, size);
  const ofBatch = <T>(make: (i: number) => T) => Array.from({ length: FILES_PER_WRITE }, (_, i) => make(i));
  return {
    topics: Array.from({ length: requests }, (_, batch) => ofBatch((i) => note(batch, i, 0).topic)).flat(),
    requests,
    request: (batch) =>
      ofBatch((i) => ({ path: `n${batch}-${i}.md`, content: note(batch, i, CHUNKS_PER_FILE).content })),
  };
}

/**
 * Writes notes to an agent, unless it already has `chunks` chunks, and waits until they are
 * embedded and indexed.
 */
export async function fill(service: Deployment, agent: string, chunks: number, name?: string): Promise<string[]> {
  const { topics, requests, request } = notesFor(chunks, name);
  const there = await service.status(agent).catch(() => undefined);
  if (!there || there.chunks < chunks)
    for (let batch = 0; batch < requests; batch++)
      await service.call("POST", `/v1/agents/${agent}/files`, { put: request(batch) });
  await service.settled(agent);
  return topics;
}
