import { resolve } from "node:path";
import type { ProcessOutput } from "../cli/shell/context.ts";
import type { Config } from "../config/config.ts";

/**
 * Returns whether a process that runs until it is stopped speaks to a person: at a terminal, unless
 * an option asks for output for programs.
 */
export function writesText({ json = false, log }: ProcessOutput): boolean {
  return log === undefined ? !json && process.stderr.isTTY === true : log === "text";
}

/** Returns the lines that tell a person where the memory is stored, without user and password. */
export function databaseRows({ databaseUrl, dataDir }: Pick<Config, "databaseUrl" | "dataDir">): [string, string][] {
  if (databaseUrl === undefined) return [["data folder", resolve(dataDir)]];
  const { host, pathname } = new URL(databaseUrl);
  return [["database", `Postgres at ${host}${pathname}`]];
}
