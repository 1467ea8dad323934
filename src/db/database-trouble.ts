import { AppError } from "../base/errors.ts";
import { sqlState } from "./pg-error.ts";

/** The reason for which a database could not be used, and the remedy for the operator, each as a sentence. */
export interface DatabaseTrouble {
  readonly what: string;
  readonly remedy: string;
}

/**
 * Returns why a Postgres server could not be used. It names host, login and database, but never the
 * password or another part of the URL.
 */
export function databaseTrouble(error: unknown, databaseUrl: string): DatabaseTrouble {
  const { where, login, name } = partsOf(databaseUrl);
  const cause = error instanceof AppError ? (error.cause ?? error) : error;
  const state = sqlState(cause);
  const code = (cause as { code?: unknown } | null)?.code;
  const trouble = (what: string, remedy: string): DatabaseTrouble => ({ what, remedy });
  if (code === "ECONNREFUSED")
    return trouble(
      `No server listens at ${where}.`,
      "Start the Postgres server, or correct host and port of DATABASE_URL.",
    );
  if (code === "ENOTFOUND" || code === "EAI_AGAIN")
    return trouble(`There is no host ${where}.`, "Correct the host of DATABASE_URL, or the DNS.");
  if (state === "28P01" || state === "28000")
    return trouble(
      `${where} refuses the login ${login}.`,
      "Correct user and password of DATABASE_URL, or pg_hba.conf of the server.",
    );
  if (state === "3D000")
    return trouble(
      `${where} has no database ${name}.`,
      `Make it: CREATE DATABASE ${name} OWNER ${login}; see docs/ISOLATION.md.`,
    );
  if (state === "42501")
    return trouble(`The login ${login} may not use the database ${name}.`, "Give it the rights of docs/ISOLATION.md.");
  if (state === "53300")
    return trouble(
      `${where} has no connection left.`,
      "Raise its max_connections, or lower RECOLLECT_DB_POOL of the processes.",
    );
  if (state === "53100")
    return trouble(`The disk of ${where} is full.`, "Make room on the server; no acknowledged write is lost.");
  if (state === "57P03") return trouble(`${where} is starting, or recovers from a crash.`, "Try again in a moment.");
  const what = error instanceof AppError ? `No answer (${String(code ?? "no reason given")})` : messageOf(error);
  return trouble(`${where}: ${what}.`, "Look at the server's log, and at the network between it and this machine.");
}

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\.$/, "");
}

function partsOf(databaseUrl: string): { where: string; login: string; name: string } {
  if (!URL.canParse(databaseUrl))
    return { where: "The server of DATABASE_URL", login: "of DATABASE_URL", name: "of DATABASE_URL" };
  const { hostname, port, username, pathname } = new URL(databaseUrl);
  const login = decodeURIComponent(username) || "of this user";
  return {
    where: `${hostname || "localhost"}:${port || "5432"}`,
    login,
    name: decodeURIComponent(pathname.slice(1)) || login,
  };
}
