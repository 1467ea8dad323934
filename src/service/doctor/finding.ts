/** What one check of a service, or of a machine by `recollect doctor`, found. */
export interface Finding {
  check:
    | ("configuration" | "server" | "key" | "database" | "pgvector" | "login" | "cluster" | "migrations")
    | ("provider" | "model" | "index" | "disk" | "queue" | "clock" | "server clock");
  /** Whether it works, works but should be looked at, or does not. */
  state: "ok" | "warning" | "failed";
  /** One sentence; never a key or a password. */
  message: string;
  /** What to do about it, unless it is ok. */
  remedy?: string;
}

export function ok(check: Finding["check"], message: string): Finding {
  return { check, state: "ok", message };
}

export function warning(check: Finding["check"], message: string, remedy: string): Finding {
  return { check, state: "warning", message, remedy };
}

export function failed(check: Finding["check"], message: string, remedy: string): Finding {
  return { check, state: "failed", message, remedy };
}

/** `1 job`, `2 jobs`. */
export function some(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? "" : "s"}`;
}
