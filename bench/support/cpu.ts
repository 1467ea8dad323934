import { readdirSync, readFileSync } from "node:fs";

/** Linux counts a process's CPU time in hundredths of a second (USER_HZ, the same on every architecture that Node runs on). */
const MS_PER_TICK = 10;

/** CPU milliseconds that a process has used, in user and kernel mode; undefined where there is no /proc, or no such process. */
export function cpuMs(pid: number | string | undefined): number | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
  } catch {
    return undefined;
  }
}

/** Resident memory of a process in bytes; undefined where there is no /proc, or no such process. */
export function residentBytes(pid: number | undefined): number | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1024;
  } catch {
    return undefined;
  }
}

/**
 * CPU milliseconds of all backends that serve a database now; undefined when there are none to see, as when Postgres runs
 * on another machine. A backend that ends takes what it used with it: compare while pools are open.
 */
export function postgresCpuMs(databaseUrl: string): number | undefined {
  const { username, pathname } = new URL(databaseUrl);
  const title = `postgres: ${username} ${pathname.slice(1)} `;
  const isBackend = (pid: string) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").startsWith(title);
    } catch {
      return false;
    }
  };
  const pids = existing().filter(isBackend);
  return pids.length === 0 ? undefined : pids.reduce((sum, pid) => sum + (cpuMs(pid) ?? 0), 0);
}

function existing(): string[] {
  try {
    return readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}
