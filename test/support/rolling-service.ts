import { type RunningCommand, runCommand } from "./process.ts";

/** Processes of which each can be told to stop and is then started again as it was. */
export interface RollingService {
  /** Of the APIs, which keep their ports. */
  urls: string[];
  /** `api 1`, `api 2`, `worker 1`, `worker 2`. */
  names: string[];
  /**
   * SIGTERM, or another signal; then the same process anew, when the old one has ended.
   *
   * @returns how long it took to stop, and how it ended: nothing is what is wanted
   */
  restart(name: string, signal?: NodeJS.Signals): Promise<{ stopMs: number; problems: string[] }>;
  stop(): Promise<void>;
}

interface Part {
  args: string[];
  ready: RegExp;
  command: RunningCommand;
}

const READY = { api: /"msg":"listening"/, worker: /"msg":"working"/ } as const;

/** Starts two APIs and two workers. @param envOf settings of a process, by its name */
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
    // The first prepares the database, and what it compiled is there for the others.
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
  return {
    ...{ urls, names: [...parts.keys()] },
    restart: async (name, signal = "SIGTERM") => {
      const part = parts.get(name);
      if (!part) throw new Error(`There is no ${name}.`);
      const begun = performance.now();
      part.command.child.kill(signal);
      const code = await part.command.ended;
      const stopMs = Math.round(performance.now() - begun);
      const errors = part.command
        .output()
        .stderr.split("\n")
        .filter((line) => /"level":[56]0/.test(line));
      const expected = signal === "SIGKILL" ? null : 0;
      await start(name, part.args, part.ready);
      return { stopMs, problems: [...(code === expected ? [] : [`${name} ended with ${code}`]), ...errors] };
    },
    stop: async () => {
      for (const { command } of parts.values()) {
        command.child.kill("SIGKILL");
        await command.ended;
      }
    },
  };
}
