import type { Connection } from "../../cli/shell/context.ts";

/** The result of one check of a service, or of a machine by `recollect doctor`. */
export interface Finding {
  check:
    | ("configuration" | "server" | "key" | "database" | "pgvector" | "login" | "cluster" | "migrations")
    | ("provider" | "model" | "index" | "disk" | "queue" | "clock" | "server clock");
  /** Whether the checked part works, works but needs attention, or does not work. */
  state: "ok" | "warning" | "failed";
  /** One sentence; never a key or a password. */
  message: string;
  /** The remedy, unless the state is `ok`. */
  remedy?: string;
  /**
   * Why a failed check may pass by itself in a moment: `slow`, no answer in time; `limit`, the
   * provider's limit of requests is reached; `outage`, it does not answer, or answers with errors.
   */
  reason?: "slow" | "limit" | "outage";
  /** The time of a check whose result is kept for some seconds, in ISO 8601. */
  at?: string;
  /** The age of a kept result in seconds; absent for a result of this examination. */
  ageSeconds?: number;
}

export function ok(check: Finding["check"], message: string): Finding {
  return { check, state: "ok", message };
}

export function warning(check: Finding["check"], message: string, remedy: string): Finding {
  return { check, state: "warning", message, remedy };
}

export function failed(check: Finding["check"], message: string, remedy: string, reason?: Finding["reason"]): Finding {
  return { check, state: "failed", message, remedy, ...(reason && { reason }) };
}

/**
 * The findings about this machine, and the server to ask for more, if commands would talk to one.
 */
export interface Diagnosis {
  findings: Finding[];
  server?: Connection;
  /** Examines the database that the environment names beside the server; for a server that does not serve. */
  ifNotServed?: () => Promise<Finding[]>;
}
