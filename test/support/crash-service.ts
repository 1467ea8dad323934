import { type RunningCommand, runCommand } from "./process.ts";

export type Part = "api" | "worker";

/** An API process and a worker process that are killed and restarted. The API keeps its port. */
export interface CrashService {
  url: string;
  /**
   * Ends a process as `kill -9` does and restarts it at once. Resolves when the new process runs,
   * not when it is ready.
   */
  kill(part: Part): Promise<void>;
  /** Resolves when both processes are ready. */
  ready(): Promise<void>;
  /**
   * The output of processes that ended without being killed, and unhandled errors; empty if there
   * are none.
   */
  deaths: string[];
  /**
   * Returns the lines of the log at level error, which explain an answer that was not the client's
   * fault.
   */
  errors(): string[];
  stop(): Promise<void>;
}

const READY = { api: /"msg":"listening"/, worker: /"msg":"working"/ } as const;

/** Starts both processes and resolves when they are ready. */
export async function startCrashService(env: Record<string, string>): Promise<CrashService> {
  const running = new Map<Part, RunningCommand>();
  const deaths: string[] = [];
  const logs: RunningCommand[] = [];
  const killed = new WeakSet<RunningCommand>();
  let port = "0";
  const start = (part: Part) => {
    const command = runCommand(part === "api" ? ["serve", "--no-worker", "--port", port] : ["worker"], env);
    running.set(part, command);
    logs.push(command);
    void command.ended.then((code) => {
      const { stdout, stderr } = command.output();
      if (!killed.has(command)) deaths.push(`${part} ended with ${code}: ${(stdout + stderr).slice(-2000)}`);
    });
    return command;
  };
  const end = async (part: Part) => {
    const command = running.get(part);
    if (!command) return;
    killed.add(command);
    command.child.kill("SIGKILL");
    await command.ended;
  };
  const [, url = ""] = await start("api").saw(/"url":"([^"]+)"/);
  port = new URL(url).port;
  await start("worker").saw(READY.worker);
  return {
    url,
    kill: async (part) => {
      await end(part);
      start(part);
    },
    ready: async () => {
      for (const [part, command] of running) await command.saw(READY[part]);
    },
    deaths,
    errors: () =>
      logs.flatMap((command) => command.output().stderr.split("\n")).filter((line) => /"level":[56]0/.test(line)),
    stop: async () => {
      await Promise.all([end("api"), end("worker")]);
    },
  };
}
