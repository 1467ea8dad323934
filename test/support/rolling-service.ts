import { type RunningCommand, runCommand } from "./process.ts";

/** Processes that can each be stopped and started again with the same arguments. */
export interface RollingService {
  /** The URLs of the APIs, which keep their ports. */
  urls: string[];
  /** The names of the processes: `api 1`, `api 2`, `worker 1`, `worker 2`. */
  names: string[];
  /**
   * Sends SIGTERM, and starts the same process again when the old one has ended.
   *
   * @returns how long the process took to stop, and the problems; empty if there are none
   */
  restart(name: string): Promise<{ stopMs: number; problems: string[] }>;
  /** Ends a process as `kill -9` does. */
  kill(name: string): Promise<void>;
  /** Returns the log of a process since its last start. */
  log(name: string): string[];
  stop(): Promise<void>;
}

interface Part {
  args: string[];
  ready: RegExp;
  command: RunningCommand;
}

const READY = { api: /"msg":"listening"/, worker: /"msg":"working"/ } as const;

/** Starts two APIs and two workers. @param envOf returns the settings of a process, by its name */
export async function startRollingService(envOf: (name: string) => Record<string, string>): Promise<RollingService> {
  const parts = new Map<string, Part>();
  const start = async (name: string, args: string[], ready: RegExp) => {
    const command = runCommand(args, envOf(name));
    parts.set(name, { args, ready, command });
    await command.saw(ready);
    return command.output().stderr.match(/"url":"([^"]+)"/)?.[1] ?? "";
  };
  const urls: string[] = [];
  try {
    // The first process prepares the database and fills the cache of compiled code for the others.
    for (const name of ["api 1", "api 2"]) {
      const url = await start(name, ["serve", "--no-worker", "--port", "0"], READY.api);
      urls.push(url);
      parts.get(name)?.args.splice(-1, 1, new URL(url).port);
    }
    for (const name of ["worker 1", "worker 2"]) await start(name, ["worker"], READY.worker);
  } catch (error) {
    for (const { command } of parts.values()) command.child.kill("SIGKILL");
    throw error;
  }
  const partOf = (name: string): Part => {
    const part = parts.get(name);
    if (!part) throw new Error(`There is no ${name}.`);
    return part;
  };
  const logOf = ({ command }: Part) => command.output().stderr.split("\n");
  return {
    urls,
    names: [...parts.keys()],
    restart: async (name) => {
      const part = partOf(name);
      const begun = performance.now();
      part.command.child.kill("SIGTERM");
      const code = await part.command.ended;
      const stopMs = Math.round(performance.now() - begun);
      const lines = logOf(part);
      const problems = lines.filter((line) => /"level":[56]0/.test(line));
      if (code !== 0) problems.push(`${name} ended with ${code}`);
      // An orderly stop logs this line last: requests were answered, jobs handed back, connections
      // closed.
      if (!lines.some((line) => line.includes('"msg":"stopped"'))) problems.push(`${name} did not stop in order`);
      await start(name, part.args, part.ready);
      return { stopMs, problems };
    },
    kill: async (name) => {
      const { command } = partOf(name);
      command.child.kill("SIGKILL");
      await command.ended;
    },
    log: (name) => logOf(partOf(name)),
    stop: async () => {
      for (const { command } of parts.values()) {
        command.child.kill("SIGKILL");
        await command.ended;
      }
    },
  };
}
