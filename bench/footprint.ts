/**
 * Measures what the embedded service takes of a machine, for one or more clones in turn: two states of
 * the code, in one run on the same machine.
 *
 *   node bench/footprint.ts [rounds, default 3] [clone, default this one]...
 *
 * A clone has its packages installed (`npm ci`). Each figure is the least of all rounds, because other
 * work on the machine only adds. Needs Linux: processor time and memory come from /proc.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

const ROUNDS = Number(process.argv[2] ?? 3);
const CLONES = process.argv.length > 3 ? process.argv.slice(3).map((path) => resolve(path)) : [process.cwd()];
const TICKS_PER_SECOND = 100;
/** The time after the start in which a server still loads its model and works on its first jobs. */
const SETTLED_MS = 5000;

type Figures = Record<string, number>;

const figures = new Map<string, Figures>(CLONES.map((clone) => [clone, {}]));
for (let round = 0; round < ROUNDS; round++)
  for (const clone of CLONES) {
    const folder = mkdtempSync(join(tmpdir(), "recollect-footprint-"));
    try {
      await measure(clone, folder, figures.get(clone) ?? {});
    } finally {
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    }
  }
console.log(`| measure | ${CLONES.join(" | ")} |\n|---|${CLONES.map(() => "---|").join("")}`);
for (const name of Object.keys(figures.get(CLONES[0] ?? "") ?? {}))
  console.log(`| ${name} | ${CLONES.map((clone) => figures.get(clone)?.[name]?.toFixed(2) ?? "-").join(" | ")} |`);

async function measure(clone: string, folder: string, into: Figures): Promise<void> {
  const note = (name: string, value: number) => {
    into[name] = Math.min(into[name] ?? Number.POSITIVE_INFINITY, value);
  };
  for (const provider of ["none", "builtin"])
    await serve(clone, ["serve"], { ...homeIn(join(folder, provider)), RECOLLECT_PROVIDER: provider }, /"url"/, {
      ready: (seconds, pid) => {
        note(`server, ${provider}: seconds until ready`, seconds);
        note(`server, ${provider}: processor seconds until ready`, processorSeconds(pid));
      },
      settled: (pid) => {
        note(`server, ${provider}: MB when ready`, megabytes(pid, "VmRSS"));
        note(`server, ${provider}: MB at its peak`, megabytes(pid, "VmHWM"));
      },
    });
  const tour = homeIn(join(folder, "tour"));
  await serve(clone, ["start"], tour, /keeps serving/, {
    ready: (seconds) => note("tour: seconds", seconds),
    settled: (pid) => {
      note("tour: MB after it", megabytes(pid, "VmRSS"));
      note("tour: MB at its peak", megabytes(pid, "VmHWM"));
      note("tour: processor seconds", processorSeconds(pid));
    },
  });
  const [before, start] = [childSeconds(), performance.now()];
  await once(spawn(node(clone), [command(clone), "search", "billing cron"], { cwd: clone, env: tour }), "exit");
  note("recollect search: seconds", (performance.now() - start) / 1000);
  note("recollect search: processor seconds", childSeconds() - before);
  const [first = 0, next = 0] = await created(clone, folder);
  note("createRecollect, first: processor seconds", first);
  note("createRecollect, next: processor seconds", next);
}

/** Returns the environment of a process whose data are in a folder of their own. */
function homeIn(folder: string): Record<string, string> {
  const { PATH = "" } = process.env;
  return { PATH, HOME: folder, RECOLLECT_DATA_DIR: join(folder, "data"), RECOLLECT_CACHE_DIR: join(folder, "cache") };
}

/** The clone's own Node.js. */
function node(clone: string): string {
  return join(clone, "node_modules/.bin/node");
}

/** The file that the clone's script `recollect` runs. */
function command(clone: string): string {
  const script = join(clone, "scripts/command.js");
  return existsSync(script) ? script : join(clone, "src/start/cli.ts");
}

async function serve(
  clone: string,
  args: readonly string[],
  env: Record<string, string>,
  sign: RegExp,
  on: { ready(seconds: number, pid: number): void; settled(pid: number): void },
): Promise<void> {
  const start = performance.now();
  const child = spawn(node(clone), [command(clone), ...args], {
    cwd: clone,
    env: { ...env, RECOLLECT_PORT: String(await freePort()) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  await wrote(child, sign);
  const pid = child.pid ?? 0;
  on.ready((performance.now() - start) / 1000, pid);
  await wait(SETTLED_MS);
  on.settled(pid);
  child.kill();
  await once(child, "exit");
}

function wrote(child: ChildProcess, sign: RegExp): Promise<void> {
  let output = "";
  return new Promise((done, fail) => {
    const look = (part: Buffer) => {
      output += part;
      if (sign.test(output)) done();
    };
    child.stdout?.on("data", look);
    child.stderr?.on("data", look);
    child.once("exit", () => fail(new Error(output)));
  });
}

/** Returns the processor seconds of the first and of the third service that a process creates. */
async function created(clone: string, folder: string): Promise<number[]> {
  const file = join(folder, "create.mjs");
  writeFileSync(
    file,
    `
    const { createRecollect } = await import(${JSON.stringify(join(clone, "src/start/create-recollect.ts"))});
    const seconds = [];
    for (let i = 0; i < 3; i++) {
      const before = i === 0 ? undefined : process.cpuUsage();
      const recollect = await createRecollect({ provider: "none" });
      const { user, system } = process.cpuUsage(before);
      seconds.push((user + system) / 1e6);
      await recollect.close();
    }
    console.log(JSON.stringify([seconds[0], seconds[2]]));
    process.exit();`,
  );
  const child = spawn(node(clone), [file], { cwd: clone, env: homeIn(folder), stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (part: Buffer) => {
    output += part;
  });
  await once(child, "close");
  return JSON.parse(output) as number[];
}

function megabytes(pid: number, field: "VmRSS" | "VmHWM"): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(status)?.[1]) / 1024;
}

/** Returns the fields of a process's line of figures after its name. */
function statOf(pid: number | "self"): number[] {
  return (readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? []).map(Number);
}

function processorSeconds(pid: number): number {
  const fields = statOf(pid);
  return ((fields[11] ?? 0) + (fields[12] ?? 0)) / TICKS_PER_SECOND;
}

/** Returns the processor seconds of all children of this process that have ended. */
function childSeconds(): number {
  const fields = statOf("self");
  return ((fields[13] ?? 0) + (fields[14] ?? 0)) / TICKS_PER_SECOND;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as { port: number };
  await new Promise((done) => server.close(done));
  return port;
}
