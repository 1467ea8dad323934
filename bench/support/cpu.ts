import { readdirSync, readFileSync } from "node:fs";
import { DATA_ROLE } from "../../src/db/citus/acting.ts";

/**
 * Linux counts a process's CPU time in hundredths of a second (USER_HZ, the same on every
 * architecture that Node runs on).
 */
const MS_PER_TICK = 10;

/**
 * Returns the CPU milliseconds that a process has used, in user and kernel mode; undefined if there
 * is no /proc, or no such process.
 */
function cpuMs(pid: number | string | undefined): number | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
  } catch {
    return undefined;
  }
}

/**
 * Returns the resident memory of a process in bytes; undefined if there is no /proc, or no such
 * process.
 */
export function residentBytes(pid: number | undefined): number | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1024;
  } catch {
    return undefined;
  }
}

/**
 * Begins to count the CPU time of a process and of all backends that serve a database. The time of
 * a backend that has ended is lost. Each figure is undefined where it cannot be read, for instance
 * when Postgres runs on another machine.
 *
 * @returns a function that returns the CPU time used since, in milliseconds per piece of work,
 * given the number of pieces
 */
export function startCpu(pid: number | undefined, databaseUrl: string) {
  const [own, backends] = [cpuMs(pid), backendsCpu(databaseUrl)];
  return (works: number): { process: number | undefined; postgres: number | undefined } => {
    const now = cpuMs(pid);
    const used = [...backendsCpu(databaseUrl)].map(([backend, ms]) => ms - (backends.get(backend) ?? 0));
    return {
      process: now === undefined || own === undefined ? undefined : (now - own) / works,
      postgres: used.length === 0 ? undefined : used.reduce((sum, ms) => sum + ms, 0) / works,
    };
  };
}

function backendsCpu(databaseUrl: string): Map<string, number> {
  const { username, pathname } = new URL(databaseUrl);
  // The service reaches workers of a cluster on the same machine as the data role.
  const titles = [username, DATA_ROLE].map((role) => `postgres: ${role} ${pathname.slice(1)} `);
  const isBackend = (pid: string) => {
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, "utf8");
      return titles.some((title) => line.startsWith(title));
    } catch {
      return false;
    }
  };
  return new Map(
    existing()
      .filter(isBackend)
      .map((pid) => [pid, cpuMs(pid) ?? 0]),
  );
}

function existing(): string[] {
  try {
    return readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}
